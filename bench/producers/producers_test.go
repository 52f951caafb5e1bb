package producers

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/kernel"
)

// The list has every package of kernels.
func TestDefsAreComplete(t *testing.T) {
	modules := make(map[*kernel.Module]bool)
	for _, def := range Defs() {
		modules[def.Module] = true
	}
	files, err := filepath.Glob("../../kernels/*/kernel_generated.ptx")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	require.Len(t, modules, len(files), "Defs lacks a package of kernels")
}
