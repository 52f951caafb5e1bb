//go:build cgo && linux

package emulator

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
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
var flags = []string{"-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off", "-fno-thread-jumps",
	"-fno-strict-aliasing", "-fwrapv", "-fno-math-errno"}

// compileMutex keeps concurrent tests of one process from compiling the same library twice.
var compileMutex sync.Mutex

// Driver compiles the emulated driver, or finds it in the cache, and returns the path of the library. Each file is an
// object of its own in the cache.
func Driver() (string, error) {
	unpacked, err := unpack()
	if err != nil {
		return "", err
	}
	defer unpacked.remove()
	compileMutex.Lock()
	defer compileMutex.Unlock()
	objects, failures := make([]string, len(unpacked.files)), make([]error, len(unpacked.files))
	var all sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	for i, file := range unpacked.files {
		name, isSource := strings.CutSuffix(file.name, ".cc")
		if !isSource {
			continue
		}
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			objects[i], failures[i] = compile(output{"libcuda-" + name, ".o", unpacked.directory}, []string{file.name},
				slices.Concat(unpacked.headers, file.text), "-c")
		})
	}
	all.Wait()
	if err := errors.Join(failures...); err != nil {
		return "", err
	}
	objects = slices.DeleteFunc(objects, func(object string) bool { return object == "" })
	return compile(output{"libcuda", ".so", unpacked.directory}, objects, []byte(strings.Join(objects, "\n")), "-shared",
		"-ldl", "-lpthread")
}

// entry matches a kernel in generated CUDA C.
var entry = regexp.MustCompile(`(?m)^KG_ENTRY\([^)]*\) void (\w+)\(`)

// Kernels compiles a file of generated CUDA C for the host, or finds it in the cache, and returns the path of the
// library. The emulator identifies each kernel by the hash of its PTX, taken from the file beside the source, so that
// several modules may have kernels of the same name.
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
	unpacked, err := unpack()
	if err != nil {
		return "", err
	}
	defer unpacked.remove()
	var text strings.Builder
	fmt.Fprintf(&text, "#include %q\n#include \"host.h\"\n", source)
	text.WriteString("extern \"C\" __attribute__((visibility(\"default\"))) const HostKernel host_kernels[] = {\n")
	for _, kernel := range entry.FindAllSubmatch(code, -1) {
		fmt.Fprintf(&text, "HOST_KERNEL(%s, %dull)\n", kernel[1], KernelIdentity(string(ptx), string(kernel[1])))
	}
	text.WriteString("{nullptr, nullptr, nullptr, 0, 0}};\n")
	const file = "kernels.cc"
	if err := os.WriteFile(filepath.Join(unpacked.directory, file), []byte(text.String()), 0o600); err != nil {
		return "", fmt.Errorf("compiling kernels for the host: %w", err)
	}
	compileMutex.Lock()
	defer compileMutex.Unlock()
	return compile(output{"kernels", ".so", unpacked.directory}, []string{file},
		slices.Concat([]byte(text.String()), code, unpacked.headers), "-shared", "-w")
}

// output is what the compiler makes: a name and an extension, from files of a directory.
type output struct{ name, extension, directory string }

// compile runs the compiler on files. If the cache has what it would make, for the hash of text and the arguments, that
// is used.
func compile(o output, files []string, text []byte, more ...string) (string, error) {
	arguments := slices.Concat(flags, strings.Fields(os.Getenv(FlagsVariable)), files, more)
	sum := sha256.Sum256([]byte(strings.Join(arguments, " ") + "\n" + string(text)))
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	target := filepath.Join(cache, "trackgen", "emulator", o.name+"-"+hex.EncodeToString(sum[:12])+o.extension)
	if _, err := os.Stat(target); err == nil {
		return target, nil
	}
	if _, err := exec.LookPath("g++"); err != nil {
		return "", fmt.Errorf("the emulator of the CUDA driver needs g++ (apt-get install g++): %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return "", fmt.Errorf("compiling %s: %w", o.name, err)
	}
	made, err := os.MkdirTemp(filepath.Dir(target), "build")
	if err != nil {
		return "", fmt.Errorf("compiling %s: %w", o.name, err)
	}
	defer func() { _ = os.RemoveAll(made) }()
	result := filepath.Join(made, o.name+o.extension)
	command := exec.Command("g++", append(arguments, "-o", result)...)
	command.Dir = o.directory
	if text, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("g++ %s: %w\n%s", strings.Join(arguments, " "), err, text)
	}
	if err := os.Rename(result, target); err != nil { // atomic, because another process may be looking for the file
		return "", fmt.Errorf("compiling %s: %w", o.name, err)
	}
	return target, nil
}

// unpacked is a directory with the sources of the emulator.
type unpacked struct {
	directory string
	files     []sourceFile
	headers   []byte // text of all headers
}

type sourceFile struct {
	name string
	text []byte
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
		u.files = append(u.files, sourceFile{entry.Name(), data})
		if strings.HasSuffix(entry.Name(), ".h") {
			u.headers = append(u.headers, data...)
		}
	}
	return u, nil
}
