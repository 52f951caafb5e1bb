package vehicle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/race/vehicle"
)

// newSimulator makes a simulator until the test ends.
func newSimulator(t testing.TB, device backend.Device, c vehicle.Config, with ...vehicle.Option) *vehicle.Simulator {
	t.Helper()
	s, err := vehicle.New(device, vehicle.Source{}, c, with...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// config returns the default configuration with changes.
func config(change func(c *vehicle.Config)) vehicle.Config {
	c := vehicle.DefaultConfig()
	change(&c)
	return c
}

// read returns the state of a simulator.
func read(t testing.TB, s *vehicle.Simulator) *vehicle.HostState {
	t.Helper()
	host, err := s.State().Read(t.Context())
	require.NoError(t, err)
	return host
}

// drive makes one step with actions.
func drive(t testing.TB, s *vehicle.Simulator, actions exec.Array[float32], values []float32) {
	t.Helper()
	require.NoError(t, actions.Write(t.Context(), values))
	require.NoError(t, s.StepAt(t.Context(), vehicle.Inputs{Actions: actions}))
}
