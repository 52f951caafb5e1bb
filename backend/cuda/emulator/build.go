//go:build cgo && linux

package emulator

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

//go:embed driver
var sources embed.FS

// FlagsVariable is an environment variable with additional flags for the compiler, such as those of a sanitizer.
const FlagsVariable = "TRACKGEN_EMULATOR_FLAGS"

// KernelsVariable is an environment variable with the paths of host kernels, separated by colons. The emulator loads
// them when it starts. It is for programs other than tests.
const KernelsVariable = "TRACKGEN_EMULATOR_KERNELS"

// flags make C++ arithmetic give the same bits as Go: no contraction, and integers that wrap around.
var flags = []string{"-std=c++17", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-ffp-contract=off",
	"-fno-strict-aliasing", "-fwrapv", "-fno-math-errno"}

// compileMutex keeps concurrent tests of one process from compiling the same library twice.
var compileMutex sync.Mutex

// Driver compiles the emulated driver, or finds it in the cache, and returns the path of the library.
func Driver() (string, error) {
	var files []string
	unpacked, err := unpack()
	if err != nil {
		return "", err
	}
	defer unpacked.remove()
	for _, name := range unpacked.names {
		if strings.HasSuffix(name, ".cc") {
			files = append(files, name)
		}
	}
	return compile("libcuda", unpacked.directory, files, unpacked.text)
}

// entry matches a kernel in generated CUDA C.
var entry = regexp.MustCompile(`(?m)^KG_ENTRY\([^)]*\) void (\w+)\(`)

// Kernels compiles a file of generated CUDA C for the host, or finds it in the cache, and returns the path of the
// library. The emulator identifies the module by the hash of the PTX file beside the source, so that several modules
// may have kernels of the same name.
func Kernels(source string) (string, error) {
	source, err := filepath.Abs(source)
	if err != nil {
		return "", fmt.Errorf("compiling kernels for the host: %w", err)
	}
	code, err := os.ReadFile(source)
	if err != nil {
		return "", fmt.Errorf("compiling kernels for the host: %w", err)
	}
	ptx, err := os.ReadFile(strings.TrimSuffix(source, filepath.Ext(source)) + ".ptx")
	if err != nil {
		return "", fmt.Errorf("compiling kernels for the host: %w", err)
	}
	module := fnv.New64a()
	_, _ = module.Write(ptx)
	unpacked, err := unpack()
	if err != nil {
		return "", err
	}
	defer unpacked.remove()
	var text strings.Builder
	fmt.Fprintf(&text, "#include %q\n#include \"host.h\"\n", source)
	fmt.Fprintf(&text,
		"extern \"C\" __attribute__((visibility(\"default\"))) const unsigned long long host_module = %dull;\n",
		module.Sum64())
	text.WriteString("extern \"C\" __attribute__((visibility(\"default\"))) const HostKernel host_kernels[] = {\n")
	for _, kernel := range entry.FindAllSubmatch(code, -1) {
		fmt.Fprintf(&text, "HOST_KERNEL(%s)\n", kernel[1])
	}
	text.WriteString("{nullptr, nullptr, nullptr, 0}};\n")
	const file = "kernels.cc"
	if err := os.WriteFile(filepath.Join(unpacked.directory, file), []byte(text.String()), 0o600); err != nil {
		return "", fmt.Errorf("compiling kernels for the host: %w", err)
	}
	all := append([]byte(text.String()), code...)
	return compile("kernels", unpacked.directory, []string{file}, append(all, unpacked.text...), "-w")
}

// compile makes a shared library of the files of a directory. If the cache has one for the hash of text and the
// arguments, it uses that one.
func compile(name, directory string, files []string, text []byte, more ...string) (string, error) {
	compileMutex.Lock()
	defer compileMutex.Unlock()
	arguments := append(append([]string(nil), flags...), more...)
	arguments = append(arguments, strings.Fields(os.Getenv(FlagsVariable))...)
	sum := sha256.Sum256([]byte(strings.Join(arguments, " ") + "\n" + string(text)))
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	target := filepath.Join(cache, "trackgen", "emulator", name+"-"+hex.EncodeToString(sum[:12])+".so")
	if _, err := os.Stat(target); err == nil {
		return target, nil
	}
	if _, err := exec.LookPath("g++"); err != nil {
		return "", fmt.Errorf("the emulator of the CUDA driver needs g++ (apt-get install g++): %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return "", fmt.Errorf("compiling %s: %w", name, err)
	}
	made, err := os.MkdirTemp(filepath.Dir(target), "build")
	if err != nil {
		return "", fmt.Errorf("compiling %s: %w", name, err)
	}
	defer func() { _ = os.RemoveAll(made) }()
	output := filepath.Join(made, name+".so")
	arguments = append(arguments, "-o", output)
	arguments = append(append(arguments, files...), "-ldl", "-lpthread")
	command := exec.Command("g++", arguments...)
	command.Dir = directory
	if text, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("g++ %s: %w\n%s", strings.Join(arguments, " "), err, text)
	}
	if err := os.Rename(output, target); err != nil { // atomic, because another process may be looking for the file
		return "", fmt.Errorf("compiling %s: %w", name, err)
	}
	return target, nil
}

// unpacked is a directory with the sources of the emulator.
type unpacked struct {
	directory string
	names     []string
	text      []byte // of all files
}

func (u unpacked) remove() { _ = os.RemoveAll(u.directory) }

func unpack() (u unpacked, err error) {
	defer func() {
		if err != nil {
			u.remove()
			err = fmt.Errorf("unpacking the emulator: %w", err)
		}
	}()
	if u.directory, err = os.MkdirTemp("", "emulator"); err != nil {
		return u, err
	}
	entries, err := fs.ReadDir(sources, "driver")
	if err != nil {
		return u, err
	}
	for _, entry := range entries {
		data, err := fs.ReadFile(sources, "driver/"+entry.Name())
		if err != nil {
			return u, err
		}
		if err := os.WriteFile(filepath.Join(u.directory, entry.Name()), data, 0o600); err != nil {
			return u, err
		}
		u.names = append(u.names, entry.Name())
		u.text = append(u.text, data...)
	}
	return u, nil
}
