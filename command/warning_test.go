package command

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/required"
)

// swiftShaderVariable names the file that describes SwiftShader to the Vulkan loader. make sets it.
const swiftShaderVariable = "TRACKGEN_SWIFTSHADER"

// A warning about a device is a message in one line, which --quiet leaves out. SwiftShader does not keep denormals.
func TestWarningIsAMessage(t *testing.T) {
	file := os.Getenv(swiftShaderVariable)
	if file == "" {
		required.Skip(t, required.Vulkan, "%s does not name SwiftShader, which scripts/deps.sh installs",
			swiftShaderVariable)
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
