//go:build cgo && (linux || darwin)

package vulkan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/bench/gpucheck/facts"
)

// What each device does with floats, also one that is refused for it: bench/gpucheck runs this on a machine with a GPU.
func TestGPUFloats(t *testing.T) {
	needDriver(t)
	s, err := readSettings()
	require.NoError(t, err)
	instance, devices, err := list(s)
	require.NoError(t, err)
	var found facts.Facts
	for i, physical := range devices {
		what := instance.describe(physical)
		info := describe(i, &what)
		v := facts.Vulkan{Name: info.Description, Driver: info.Driver, Modes: []string{}}
		for _, mode := range what.controls.modes() {
			v.Modes = append(v.Modes, mode.String())
		}
		d, err := open(instance, physical, i, backend.Options{}, s)
		if err == nil {
			v.Exact, v.Denormals, v.Division, v.SquareRoot = d.exact.Exact, d.exact.Denormals, d.exact.Division,
				d.exact.SquareRoot
			require.NoError(t, d.Close())
		} else {
			v.Reason = err.Error()
		}
		found.Vulkan = append(found.Vulkan, v)
	}
	require.NotEmpty(t, found.Vulkan)
	text, err := found.Write()
	require.NoError(t, err)
	t.Log(text)
}
