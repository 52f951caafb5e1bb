package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// A package without kernels claims no shaders. backend/vulkan has some that were written by hand where its own would
// lie, and backend/backendtest has those of its kernels.
func TestShadersOfOthersStay(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles the kernels of the conformance suite")
	}
	require.Zero(t, run([]string{"-check", "../../backend/..."}, os.Stdout, os.Stderr), "see the messages above")
}
