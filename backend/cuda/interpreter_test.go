//go:build cgo && linux

package cuda

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/bench/parity"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// startInterpreter starts an emulated driver that interprets the PTX of all kernels.
func startInterpreter(t testing.TB, version int) *emulator.Emulator {
	if onGPU() {
		t.Skip("NOT RUN on a GPU, which runs the PTX itself")
	}
	t.Setenv(emulator.ModeVariable, "ptx")
	e := start(t, version, uint64(version))
	require.True(t, e.Interprets())
	return e
}

// The PTX of the conformance kernels passes the suite, and the interpreter finds no mistake in it.
func TestInterpretedConformance(t *testing.T) {
	startInterpreter(t, versions[1])
	backendtest.Run(t, backendtest.Config{Open: func(t testing.TB, options ...backend.Option) backend.Device {
		return openDevice(t, options...)
	}})
}

// The PTX of the producers gives the same bits as the CPU, and the interpreter finds no mistake in it.
func TestInterpretedProducers(t *testing.T) {
	reference, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, reference.Close()) }()
	startInterpreter(t, versions[len(versions)-1])
	d := openTest(t)
	for _, generator := range track.Generators() {
		t.Run(generator, func(t *testing.T) {
			config := tracktest.Small(tracktest.Config(generator, 5))
			comparisons, err := parity.Compare(t.Context(), []backend.Device{reference, d}, config, 3, parity.Modes(), nil)
			require.NoError(t, err)
			require.Len(t, comparisons, 2*len(parity.Modes()))
			for _, c := range comparisons {
				require.Nil(t, c.First, "%s on %s, %s: %v", generator, c.Device, c.Mode, c.First)
			}
		})
	}
}
