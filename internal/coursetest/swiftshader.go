package coursetest

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/trackgen-go/trackgen/internal/required"
)

// swiftShaderVariable names the file that describes SwiftShader to the Vulkan loader. scripts/deps.sh installs the
// driver, and make sets the variable.
const swiftShaderVariable = "TRACKGEN_SWIFTSHADER"

// OnSwiftShader is for tests that take seconds on SwiftShader. After OnDevices it runs them there, too, without the tag
// slow. The compiler of SwiftShader takes ten to a hundred times as long as that of Mesa's driver, so other tests run
// there with the tag alone.
func OnSwiftShader(t *testing.T) {
	t.Helper()
	if !allOnSwiftShader && !testing.Short() {
		onSwiftShader(t)
	}
}

// onSwiftShader runs the subtest vulkan:0 of OnDevices again, in a child process whose only driver of Vulkan is
// SwiftShader: it shares no code with Mesa's and keeps no denormals.
func onSwiftShader(t *testing.T) {
	t.Helper()
	test := t.Name()
	t.Run("SwiftShader", func(t *testing.T) {
		driver := os.Getenv(swiftShaderVariable)
		if driver == "" {
			required.Skip(t, required.Vulkan, "%s does not name SwiftShader, which scripts/deps.sh installs",
				swiftShaderVariable)
		}
		program, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		subtest := test + "/vulkan:0"
		var pattern []string
		for part := range strings.SplitSeq(subtest, "/") {
			pattern = append(pattern, "^"+regexp.QuoteMeta(part)+"$")
		}
		child := exec.CommandContext(t.Context(), program, "-test.v", "-test.run", strings.Join(pattern, "/"))
		child.Env = append(os.Environ(), "VK_DRIVER_FILES="+driver, "VK_ICD_FILENAMES="+driver)
		output, err := child.CombinedOutput()
		if err != nil || !strings.Contains(string(output), "--- PASS: "+subtest) {
			t.Fatalf("in a child process: %v\n%s", err, output)
		}
	})
}
