//go:build cgo && linux

package vulkan

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The compiled shaders match their sources, if the compiler that generated them is installed.
func TestShadersAreCompiled(t *testing.T) {
	compiler, err := exec.LookPath("glslangValidator")
	if err != nil {
		t.Skip("NOT TESTED, glslangValidator is not installed (Debian: glslang-tools)")
	}
	version, err := exec.Command(compiler, "--version").Output()
	require.NoError(t, err)
	if !strings.Contains(string(version), "11:12.0.0") {
		t.Skipf("NOT TESTED, the shaders are compiled by glslang 12.0.0, and this is %s", version)
	}
	for _, pattern := range []string{"shaders/*.comp", "testdata/*.comp"} {
		sources, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, sources)
		for _, source := range sources {
			fresh := filepath.Join(t.TempDir(), "fresh.spv")
			output, err := exec.Command(compiler, "-V", "--target-env", "vulkan1.2", "-o", fresh, source).CombinedOutput()
			require.NoError(t, err, string(output))
			want, err := os.ReadFile(fresh)
			require.NoError(t, err)
			got, err := os.ReadFile(strings.TrimSuffix(source, ".comp") + ".spv")
			require.NoError(t, err)
			require.Equal(t, want, got, "%s: run go generate", source)
			if validator, err := exec.LookPath("spirv-val"); err == nil {
				output, err := exec.Command(validator, "--target-env", "vulkan1.2", fresh).CombinedOutput()
				require.NoError(t, err, string(output))
			}
		}
	}
}
