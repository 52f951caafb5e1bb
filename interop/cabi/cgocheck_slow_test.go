//go:build slow && cgo

package main_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// No pointer of Go is stored in memory of C: the same programs run with a library that checks every such store.
func TestNoPointerOfGoEscapes(t *testing.T) {
	directory := t.TempDir()
	build := exec.Command("../../scripts/library.sh", directory)
	build.Env = append(build.Environ(), "GOEXPERIMENT=cgocheck2")
	output, err := build.CombinedOutput()
	require.NoError(t, err, "%s", output)
	for _, name := range programs {
		t.Run(name, func(t *testing.T) {
			assert.Empty(t, execute(t, compileWith(t, directory, "testdata/"+name+".c", "-std=gnu11")))
		})
	}
}
