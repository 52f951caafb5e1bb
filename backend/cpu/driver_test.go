package cpu

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
)

func TestRegistration(t *testing.T) {
	t.Setenv(backend.DeviceVariable, "")
	for _, name := range []string{"cpu", "cpu:0", "auto"} {
		device, err := backend.Open(name, backend.Workers(3))
		require.NoError(t, err)
		info := device.Info()
		require.Equal(t, "cpu", info.Name)
		require.Equal(t, 3, info.Workers)
		require.Equal(t, runtime.Version(), info.Driver)
		require.Zero(t, device.DefaultStream().Handle())
		require.NoError(t, device.Close())
	}
	_, err := backend.Open("cpu:1")
	require.ErrorIs(t, err, backend.ErrInvalid)
	for _, b := range backend.Devices() {
		require.Equal(t, "cpu", b.Name)
		require.NoError(t, b.Err)
		require.Equal(t, runtime.GOMAXPROCS(0), b.Devices[0].Workers)
	}
}

// Caps match decision D14 and the assumptions of package exec.
func TestCaps(t *testing.T) {
	caps := openTest(t, backend.Options{}).Caps()
	require.True(t, caps.Capture && caps.CaptureConditionals && caps.CheapHostPoll && caps.ExactFloat &&
		caps.GraphRetain && caps.WhileNodes)
	require.False(t, caps.OwnGraphs || caps.EagerConditionals || caps.ForeignStreams)
}
