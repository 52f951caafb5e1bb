//go:build cgo && (linux || darwin)

package vulkan

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// layout compiles testdata/layout.c and returns what it prints.
func layout(t *testing.T, flags ...string) map[string]string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "layout")
	compile := exec.Command("cc", append(flags, "-o", program, "testdata/layout.c")...)
	output, err := compile.CombinedOutput()
	require.NoError(t, err, string(output))
	output, err = exec.Command(program).Output()
	require.NoError(t, err)
	fields := make(map[string]string)
	for line := range strings.Lines(string(output)) {
		name, place, _ := strings.Cut(strings.TrimSpace(line), " ")
		fields[name] = place
	}
	return fields
}

// The declarations of this package have the layouts of the official headers: those that package vulkan-go bundles,
// which end at Vulkan 1.1, and those of the system if they are installed.
func TestLayouts(t *testing.T) {
	own := layout(t, "-I.")
	require.Greater(t, len(own), 200)
	headers := make(map[string]string)
	output, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/vulkan-go/vulkan").Output()
	require.NoError(t, err)
	headers["vulkan-go"] = string(bytes.TrimSpace(output))
	if _, err := os.Stat("/usr/include/vulkan/vulkan.h"); err == nil {
		headers["the system"] = "/usr/include"
	}
	for name, directory := range headers {
		official := layout(t, "-DOFFICIAL", "-DVK_NO_PROTOTYPES", "-I"+directory)
		require.Greater(t, len(official), 200)
		for field, place := range official {
			require.Equal(t, place, own[field], "%s in the headers of %s", field, name)
		}
	}
}
