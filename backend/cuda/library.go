//go:build cgo && linux

package cuda

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/trackgen-go/trackgen/backend"
)

// libraryName is the name under which the dynamic linker knows the library of the GPU's driver.
const libraryName = "libcuda.so.1"

// defaultLibraries lists where the library of the GPU's driver is looked for, in this order: first where the dynamic
// linker finds it, which is right on nearly all machines, and then in directories that are not always on its list.
func defaultLibraries() []string {
	libraries := []string{libraryName}
	for _, directory := range libraryDirectories(runtime.GOARCH) {
		libraries = append(libraries, filepath.Join(directory, libraryName))
	}
	return libraries
}

// libraryDirectories lists the directories for a processor, amd64 or arm64. docs/design/cuda.md has the same list.
func libraryDirectories(processor string) []string {
	triple, tegra := "x86_64-linux-gnu", []string(nil)
	if processor == "arm64" {
		triple = "aarch64-linux-gnu"
		tegra = []string{"/usr/lib/" + triple + "/nvidia", "/usr/lib/" + triple + "/tegra"} // Jetson
	}
	return append([]string{
		"/usr/lib/wsl/lib",        // Windows Subsystem for Linux
		"/run/opengl-driver/lib",  // NixOS
		"/usr/local/nvidia/lib64", // containers in which a device plugin of Kubernetes shows the driver of the host
		"/.singularity.d/libs",    // Apptainer and Singularity
		"/usr/lib/" + triple,      // Debian and Ubuntu
		"/usr/lib/" + triple + "/nvidia/current",
		"/usr/lib64", // Fedora and SUSE
		"/usr/lib64/nvidia",
		"/usr/lib", // Arch
	}, tegra...)
}

// attempt is a library that was tried, and why it cannot be used.
type attempt struct {
	path string
	err  error
}

// searchError says why none of the libraries can be used.
type searchError []attempt

// Error names the libraries that exist, each with the reason, and then the directories that have none. Libraries with
// the same reason are named together: they are often one file.
func (e searchError) Error() string {
	var reasons, absent []string
	paths := make(map[string][]string) // by reason
	for _, a := range e {
		if errors.Is(a.err, os.ErrNotExist) && filepath.Base(a.path) == libraryName {
			absent = append(absent, filepath.Dir(a.path))
			continue
		}
		reason := strings.TrimPrefix(a.err.Error(), a.path+": ") // the dynamic linker begins with the path
		if paths[reason] == nil {
			reasons = append(reasons, reason)
		}
		paths[reason] = append(paths[reason], a.path)
	}
	var texts []string
	for _, reason := range reasons {
		texts = append(texts, strings.Join(paths[reason], " and ")+": "+reason)
	}
	if len(absent) > 0 {
		texts = append(texts, "there is none in "+strings.Join(absent, ", "))
	}
	return strings.Join(texts, "; ")
}

// Unwrap returns the reasons.
func (e searchError) Unwrap() []error {
	reasons := make([]error, len(e))
	for i, a := range e {
		reasons[i] = a.err
	}
	return reasons
}

// connect loads and starts the first of the libraries that has a driver and a device. If there is none, the error names
// all of them, each with the reason.
func connect(libraries []string) (l *library, version, devices int, err error) {
	var tried searchError
	for _, path := range libraries {
		if l, version, devices, err = connectTo(path); err == nil {
			return l, version, devices, nil
		}
		tried = append(tried, attempt{path, err})
	}
	return nil, 0, 0, &backend.UnavailableError{Name: name, Reason: "no library of the driver can be used", Err: tried}
}

// connectTo loads and starts the driver of one library.
func connectTo(path string) (l *library, version, devices int, err error) {
	if filepath.IsAbs(path) {
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) { // the dynamic linker tells this by its text alone
			return nil, 0, 0, os.ErrNotExist
		}
	}
	if l, err = load(path); err != nil {
		return nil, 0, 0, err
	}
	version, devices, f := l.start()
	if err := f.as(name, "start the driver"); err != nil {
		return nil, 0, 0, err
	}
	switch {
	case version < minimumVersion:
		return nil, 0, 0, fmt.Errorf("the driver is of CUDA %s, at least %s is needed", versionText(version),
			versionText(minimumVersion))
	case devices == 0:
		return nil, 0, 0, errors.New("the driver has no device")
	}
	return l, version, devices, nil
}
