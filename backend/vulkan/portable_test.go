//go:build cgo && linux

package vulkan

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
)

const (
	logVariable       = "TRACKGEN_TEST_LOG"
	oldLoaderVariable = "TRACKGEN_TEST_OLD_LOADER"
	controlsVariable  = "TRACKGEN_TEST_CONTROLS"
)

// portableLoader makes the loader of testdata/portable.c the one that child processes find. It returns the directory
// and the file of what the loader is asked for.
func portableLoader(t *testing.T) (directory, log string) {
	t.Helper()
	directory = t.TempDir()
	build := exec.Command("cc", "-shared", "-fPIC", "-fvisibility=hidden", "-I.", "-o",
		filepath.Join(directory, "libvulkan.so.1"), "testdata/portable.c")
	output, err := build.CombinedOutput()
	require.NoError(t, err, string(output))
	return directory, filepath.Join(directory, "log")
}

// Drivers that are not conformant, as MoltenVK, are listed, and opened with the extension that they require.
func TestPortableDevices(t *testing.T) {
	if os.Getenv(childVariable) == "" {
		directory, log := portableLoader(t)
		inChild(t, "LD_LIBRARY_PATH="+directory, logVariable+"="+log, validationVariable+"=0")
		asked, err := os.ReadFile(log)
		require.NoError(t, err)
		require.Equal(t, []string{"instance flags 1 VK_KHR_portability_enumeration",
			"device flags 0 VK_KHR_portability_subset"}, strings.Split(strings.TrimSpace(string(asked)), "\n"))
		return
	}
	infos, err := driver{}.Devices()
	require.NoError(t, err)
	require.Len(t, infos, 1)
	require.Equal(t, "portable device (integrated)", infos[0].Description)
	_, err = backend.Open("vulkan:0")
	require.ErrorContains(t, err, "initialization failed", "the loader opens no device")
}

// Each property of the float controls is read from its place. The digits are those of the structure: the independence
// of denormals and of rounding, then for 16, 32 and 64 bits zeros, denormals kept and flushed, rounding to nearest and
// to zero.
func TestFloatControlsOfDriver(t *testing.T) {
	cases := map[string]floatControls{
		"21100010111001111": {zeros: width16, denormals: width32, rounding: width64, denormalsTogether: true},
		"02011101000110000": {zeros: width32 | width64, denormals: width16 | width64, rounding: width16 | width32,
			roundingTogether: true},
	}
	digits := os.Getenv(controlsVariable)
	if digits == "" {
		directory, log := portableLoader(t)
		for digits := range cases {
			inChild(t, "LD_LIBRARY_PATH="+directory, logVariable+"="+log, controlsVariable+"="+digits,
				validationVariable+"=0")
		}
		return
	}
	instance, devices, err := list(settings{})
	require.NoError(t, err)
	require.Equal(t, cases[digits], instance.describe(devices[0]).controls)
}

// A loader that knows nothing of them is not asked for them.
func TestLoaderWithoutPortableDevices(t *testing.T) {
	if os.Getenv(childVariable) == "" {
		directory, log := portableLoader(t)
		inChild(t, "LD_LIBRARY_PATH="+directory, logVariable+"="+log, oldLoaderVariable+"=1", validationVariable+"=0")
		asked, err := os.ReadFile(log)
		require.NoError(t, err)
		require.Equal(t, "instance flags 0\n", string(asked))
		return
	}
	_, err := driver{}.Devices()
	require.ErrorIs(t, err, backend.ErrUnavailable)
}

// A library that is no loader is an error that names it.
func TestBrokenLoader(t *testing.T) {
	if os.Getenv(childVariable) == "" {
		directory := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(directory, "libvulkan.so.1"), []byte("no library"), 0o600))
		inChild(t, "LD_LIBRARY_PATH="+directory)
		return
	}
	_, err := driver{}.Devices()
	require.ErrorIs(t, err, backend.ErrUnavailable)
	require.ErrorContains(t, err, "libvulkan.so.1: ")
}
