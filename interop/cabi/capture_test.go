//go:build cgo && linux

package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
)

// conditionalNode is the number of conditional nodes in drawings of the emulated driver, that of cuda.h.
const conditionalNode = "13 "

// areas are the packages of kernels that a generator launches.
var areas = []string{"centerline", "inflation", "relaxation", "repulsive", "seeding", "selection"}

// A program in C, in the role of another library, records a regeneration into a capture of its own on the emulated
// driver, with and without device conditionals: see testdata/capture.c.
func TestCaptureOfAnotherLibrary(t *testing.T) { // R118a to R118j
	driver, err := emulator.Driver()
	require.NoError(t, err)
	var kernels []string
	for _, area := range areas {
		path, err := emulator.Kernels("../../kernels/" + area + "/kernel_generated.cu")
		require.NoError(t, err)
		kernels = append(kernels, path)
	}
	t.Setenv(emulator.LibraryVariable, driver)
	t.Setenv(emulator.KernelsVariable, strings.Join(kernels, ":"))
	program := compile(t, "testdata/capture.c", "-std=gnu99", "-ldl")
	for conditional, nodes := range map[string]string{"0": "no IF nodes", "1": "IF nodes"} {
		t.Run(nodes, func(t *testing.T) {
			drawing := filepath.Join(t.TempDir(), "graph.dot")
			assert.Empty(t, execute(t, program, conditional, drawing))
			text, err := os.ReadFile(drawing)
			require.NoError(t, err)
			assert.Equal(t, conditional == "1", strings.Contains(string(text), "type "+conditionalNode), "%s", text)
		})
	}
}
