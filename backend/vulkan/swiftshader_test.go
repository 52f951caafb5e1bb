//go:build cgo && (linux || darwin)

package vulkan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/backend/vulkan/internal/vk"
	"github.com/trackgen-go/trackgen/internal/required"
)

// swiftShaderVariable names the file that describes SwiftShader to the Vulkan loader. scripts/deps.sh installs the
// driver, and make sets the variable.
const swiftShaderVariable = "TRACKGEN_SWIFTSHADER"

// withSwiftShader runs the test again in a child process where SwiftShader is a driver, beside others or alone. It
// returns whether this is the child.
func withSwiftShader(t *testing.T, others ...string) bool {
	t.Helper()
	file := os.Getenv(swiftShaderVariable)
	if file == "" {
		required.Skip(t, required.Vulkan, "%s does not name SwiftShader, which scripts/deps.sh installs",
			swiftShaderVariable)
	}
	files := strings.Join(append([]string{file}, others...), ":")
	return !inChild(t, "VK_DRIVER_FILES="+files, "VK_ICD_FILENAMES="+files)
}

// SwiftShader is a second driver, which shares no code with Mesa's and does not keep denormals. It passes the suite.
func TestConformanceOnSwiftShader(t *testing.T) {
	if !withSwiftShader(t) {
		return
	}
	backendtest.Run(t, backendtest.Config{Open: func(t testing.TB, options ...backend.Option) backend.Device {
		s, err := readSettings()
		require.NoError(t, err)
		d, err := openIndex(0, collect(options), s)
		require.NoError(t, err)
		require.Contains(t, d.info.Driver, "SwiftShader")
		return d
	}})
	require.Empty(t, ValidationMessages())
}

// A driver that flushes denormals and is exact apart from that is opened by name, with one warning.
func TestSwiftShaderIsOpenedByName(t *testing.T) {
	if !withSwiftShader(t) {
		return
	}
	var warnings []backend.Warning
	warn := backend.Warnings(func(w backend.Warning) { warnings = append(warnings, w) })
	t.Setenv(backend.DeviceVariable, "")
	t.Setenv(cacheVariable, t.TempDir())
	for times := range 2 { // the second time, the finding of the probe is stored
		opened, err := backend.Open("vulkan:0", warn)
		require.NoError(t, err)
		require.Equal(t, finding{Exact: true, Division: true, SquareRoot: true}, opened.(*device).exact)
		require.True(t, opened.Caps().ExactFloat)
		require.False(t, opened.Caps().Denormals)
		require.Len(t, warnings, times+1)
		require.Equal(t, backend.DenormalsWarning{Device: "vulkan:0", Driver: opened.Info().Driver}, warnings[times])
		require.NoError(t, opened.Close())
	}
	best, err := backend.Open("auto", warn)
	require.NoError(t, err)
	require.Equal(t, "cpu", best.Info().Name)
	require.NoError(t, best.Close())
	require.Len(t, warnings, 2)
}

// The order of software drivers does not depend on that of the loader.
func TestOrderOfDrivers(t *testing.T) {
	needDriver(t)
	mesa, err := filepath.Glob("/usr/share/vulkan/icd.d/lvp_icd.*.json")
	require.NoError(t, err)
	if len(mesa) == 0 {
		required.Skip(t, required.Vulkan, "lavapipe is not where Debian installs it")
	}
	if !withSwiftShader(t, mesa[0]) {
		return
	}
	devices, err := driver{}.Devices()
	require.NoError(t, err)
	require.Len(t, devices, 2)
	require.Contains(t, devices[0].Driver, "llvmpipe")
	require.Contains(t, devices[1].Driver, "SwiftShader")
}

// Devices are ordered by type, and those that compute on the CPU by driver; all others stay as the loader lists them.
func TestPlaces(t *testing.T) {
	of := func(kind vk.PhysicalDeviceType, driver string) place {
		d := &description{driverName: driver}
		d.properties.DeviceType = kind
		return placeOf(d)
	}
	const gpu, integrated, cpu = vk.PhysicalDeviceTypeDiscreteGpu, vk.PhysicalDeviceTypeIntegratedGpu,
		vk.PhysicalDeviceTypeCpu
	require.Zero(t, of(gpu, "radv").compare(of(gpu, "NVIDIA")))
	require.Negative(t, of(gpu, "radv").compare(of(integrated, "ANV")))
	require.Negative(t, of(integrated, "x").compare(of(cpu, "a")))
	require.Negative(t, of(cpu, "llvmpipe").compare(of(cpu, "SwiftShader driver")))
	require.Positive(t, of(cpu, "SwiftShader driver").compare(of(cpu, "llvmpipe")))
}
