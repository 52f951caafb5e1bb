//go:build cgo && linux

package cuda

import (
	"testing"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
)

// The suite notices a device that flushes denormals and says that it keeps them.
func TestConformanceFindsFlushedDenormals(t *testing.T) {
	start(t, versions[len(versions)-1], 1).SetDenormals(t, emulator.FlushDenormals)
	expected := map[string]string{}
	for _, name := range []string{"launch/addition", "launch/float arithmetic", "launch/float comparisons",
		"language/functions", "language/functions of two", "language/zeros that compilers know",
		"language/pairs of conversions", "language/vectors"} {
		expected[name] = "denormals are flushed"
	}
	backendtest.Run(t, backendtest.Config{ExpectFail: expected,
		Open: func(t testing.TB, options ...backend.Option) backend.Device { return openDevice(t, options...) }})
}
