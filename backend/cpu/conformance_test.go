package cpu_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
)

func openWith(options ...backend.Option) func(t testing.TB, more ...backend.Option) backend.Device {
	return func(t testing.TB, more ...backend.Option) backend.Device {
		device, err := backend.Open("cpu", append(slices.Clone(options), more...)...)
		require.NoError(t, err)
		return device
	}
}

func TestConformance(t *testing.T) { // R166
	for _, workers := range []int{1, 2, 2*runtime.NumCPU() + 3} {
		t.Run(fmt.Sprintf("workers %d", workers), func(t *testing.T) {
			backendtest.Run(t, backendtest.Config{Open: openWith(backend.Workers(workers))})
		})
	}
}

// TestConformanceDebug runs the suite with the instrumented twins, which must find no error.
func TestConformanceDebug(t *testing.T) {
	backendtest.Run(t, backendtest.Config{Open: openWith(backend.Debug(true), backend.DebugSeed(7))})
}
