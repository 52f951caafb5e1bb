//go:build cgo && linux

package course_test

import (
	"maps"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/course"
)

// Kernels lists all kernels that the construction of a course compiles.
func TestKernelsOfCourses(t *testing.T) {
	configs := crowdConfigs()
	maps.Copy(configs, loopConfigs())
	sources, err := filepath.Glob("../kernels/*/kernel_generated.cu")
	require.NoError(t, err)
	for name, c := range configs {
		t.Run(name, func(t *testing.T) {
			e := emulator.Start(t, 12080, 1)
			for _, source := range sources {
				e.LoadKernels(t, source)
			}
			device, err := backend.Open("cuda:0")
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, device.Close()) })
			require.NoError(t, device.Load(c.Kernels()...))
			listed := e.Calls("cuModuleLoadDataEx")
			made, err := course.New(device, c)
			require.NoError(t, err)
			require.NoError(t, made.Close())
			require.Equal(t, listed, e.Calls("cuModuleLoadDataEx"))
		})
	}
}
