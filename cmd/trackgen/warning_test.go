package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Environment variables that make sets: the file that describes SwiftShader to the Vulkan loader, and whether a test
// that lacks a driver fails.
const (
	swiftShaderVariable = "TRACKGEN_SWIFTSHADER"
	requireVariable     = "TRACKGEN_REQUIRE_VULKAN"
)

// A warning about a device is a message in one line, which --quiet leaves out. SwiftShader does not keep denormals.
func TestWarningIsAMessage(t *testing.T) {
	file := os.Getenv(swiftShaderVariable)
	if file == "" {
		if os.Getenv(requireVariable) == "1" {
			t.Fatalf("%s=1, and %s is not set", requireVariable, swiftShaderVariable)
		}
		t.Skipf("NOT TESTED with SwiftShader: %s is not set", swiftShaderVariable)
	}
	messages := func(arguments ...string) string {
		arguments = append([]string{"generate", "--dry-run", "--device", "vulkan:0"}, arguments...)
		command := exec.Command("trackgen", arguments...)
		command.Env = append(os.Environ(), "VK_DRIVER_FILES="+file, "VK_ICD_FILENAMES="+file)
		var stderr strings.Builder
		command.Stderr = &stderr
		require.NoError(t, command.Run(), stderr.String())
		return stderr.String()
	}
	require.Regexp(t, `^trackgen: warning: vulkan:0 \(SwiftShader driver.*\) replaces float32 denormals.*\n$`,
		messages())
	require.Empty(t, messages("--quiet"))
}
