package interop

import (
	"go/build"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// R118l, C8: the package works without cgo, and so without the libraries whose captures it records into.
func TestNoForeignLibrary(t *testing.T) {
	p, err := build.ImportDir(".", 0)
	require.NoError(t, err)
	require.NotEmpty(t, p.GoFiles)
	assert.Empty(t, p.CgoFiles)
	assert.NotContains(t, p.Imports, "C")
	assert.NotContains(t, p.Imports, "plugin")
}
