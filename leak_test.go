package trackgen_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/backend"
)

// The report of a device in debug mode names the line of this file that made what is still open, however deep in the
// library it was made.
func TestLeaksNameTheLineOfTheirUser(t *testing.T) {
	circle := trackgen.Circuit{X: []float64{90, 0, -90, 0}, Y: []float64{0, 90, 0, -90}}
	makers := map[string]func(trackgen.Device) (line int, err error){
		"generator": func(d trackgen.Device) (int, error) {
			config := trackgen.DefaultConfig()
			config.NumEnvs = 2
			_, err := trackgen.NewGenerator(d, config)
			return here() - 1, err
		},
		"import": func(d trackgen.Device) (int, error) {
			_, err := trackgen.Import(t.Context(), d, trackgen.ImportOptions{HalfWidth: 5}, circle)
			return here() - 1, err
		},
		"array": func(d trackgen.Device) (int, error) {
			_, err := trackgen.NewArray[int32](d, 3)
			return here() - 1, err
		},
		"slice": func(d trackgen.Device) (int, error) {
			_, err := trackgen.FromSlice(d, []float32{1, 2})
			return here() - 1, err
		},
	}
	for name, create := range makers {
		device, err := trackgen.Open("cpu", trackgen.Workers(1), trackgen.Debug(true))
		require.NoError(t, err)
		line, err := create(device)
		require.NoError(t, err, name)
		var leaks *backend.LeakError
		require.ErrorAs(t, device.Close(), &leaks, name)
		_, file, _, _ := runtime.Caller(0)
		for _, leak := range leaks.Leaks {
			assert.Contains(t, leak.String(), fmt.Sprintf("%s:%d", file, line), name)
		}
	}
}

// here returns the line of its caller.
func here() int {
	_, _, line, _ := runtime.Caller(1)
	return line
}
