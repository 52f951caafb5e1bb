//go:build cgo && linux

package main_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
)

// A program in the role of PyTorch captures this library, on emulated drivers without conditional nodes, with the
// oldest ones, and of today: see testdata/capture.c. On a machine with a GPU, TRACKGEN_TEST_GPU takes the installed
// driver.
func TestForeignCapture(t *testing.T) { // R118a, R118g, R118i, R168, R169
	program := compile(t, "testdata/capture.c", "-D_GNU_SOURCE", "-ldl")
	if os.Getenv("TRACKGEN_TEST_GPU") != "" {
		assert.Empty(t, execute(t, program))
		return
	}
	driver, err := emulator.Driver()
	require.NoError(t, err)
	var kernels []string
	for _, area := range []string{"centerline", "inflation", "relaxation", "repulsive", "seeding", "selection"} {
		library, err := emulator.Kernels("../../kernels/" + area + "/kernel_generated.cu")
		require.NoError(t, err)
		kernels = append(kernels, library)
	}
	t.Setenv(emulator.LibraryVariable, driver)
	t.Setenv(emulator.KernelsVariable, strings.Join(kernels, ":"))
	for seed, version := range []int{12030, 12040, 13000} {
		t.Run(strconv.Itoa(version), func(t *testing.T) {
			assert.Empty(t, execute(t, program, strconv.Itoa(version), strconv.Itoa(seed)))
		})
	}
}
