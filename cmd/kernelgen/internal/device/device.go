// Package device translates packages of kernels: for GPUs to CUDA C and PTX beside the source, to GLSL and SPIR-V in a
// package of shaders; and for CPUs to machine code beside the source.
package device

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/access"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/clike"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/cuda"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/emit"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/glsl"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/machine"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/spirv"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/toolchain"
)

// The generated files beside the source, and the one beside the shaders.
const (
	cudaFile     = "kernel_generated.cu"
	ptxFile      = "kernel_generated.ptx"
	manifestFile = "kernel_generated.json"
	shadersFile  = "shaders_generated.go"
)

// maxShader is the most bytes of a SPIR-V module. Drivers that compile at the first use take many seconds for larger
// ones.
const maxShader = 128 << 10

// Texts are a package's kernels in the languages of the devices.
type Texts struct {
	CUDA    *cuda.Text
	Shaders []Shader
	sources map[*source.Function]bool
}

// Shader is a kernel in GLSL.
type Shader struct {
	clike.Text
	Kernel *source.Kernel
}

// Translate returns the texts of a package.
func Translate(program *source.Program, p *source.Package, analysis *access.Analysis) (*Texts, error) {
	code, err := cuda.Package(program, p, analysis)
	if err != nil {
		return nil, err
	}
	texts := &Texts{CUDA: code, sources: maps.Clone(code.Sources)}
	for _, k := range p.Kernels {
		text, sources, err := glsl.Shader(program, k, analysis)
		if err != nil {
			return nil, err
		}
		maps.Copy(texts.sources, sources)
		texts.Shaders = append(texts.Shaders, Shader{Kernel: k, Text: text})
	}
	return texts, nil
}

// shaderDirectory returns where the shaders of a package go, relative to its module: below shaders where the package is
// below kernels, else into a directory of its own.
func shaderDirectory(p *source.Package) string {
	relative, err := filepath.Rel(p.ModuleDir, p.Dir)
	if err != nil {
		return "shaders"
	}
	elements := strings.Split(filepath.ToSlash(relative), "/")
	for i := len(elements) - 1; i >= 0; i-- {
		if elements[i] == "kernels" {
			elements[i] = "shaders"
			return path.Join(elements...)
		}
	}
	return path.Join(path.Join(elements...), "shaders")
}

// Compilers are those that are installed.
type Compilers struct {
	Devices *toolchain.Toolchain // for GPUs; nil if one of them is missing
	Lanes   *toolchain.Toolchain // for machine code of a CPU; nil if it is missing

	// Reuse says of a package, by its import path, that machine code is taken as it is where the same compiler has made it
	// of the same texts. nil means that all is compiled.
	Reuse func(path string) bool
}

// Package returns the generated files of a package except its Go files, and what those need to know. Without compilers,
// what was compiled for GPUs before must be current. The error may be source.Diagnostics that are only warnings.
func Package(
	program *source.Program, p *source.Package, analysis *access.Analysis, compilers Compilers,
) ([]emit.File, *emit.Device, error) {
	if len(p.Kernels) == 0 {
		return removed(p), nil, nil
	}
	b := newBuilder(program, p, compilers)
	var files []emit.File
	var device *emit.Device
	sources := map[*source.Function]bool{}
	if p.NoDevice {
		files = removedDevices(p)
	} else {
		var err error
		if files, device, err = b.devices(analysis, sources); err != nil {
			return nil, nil, err
		}
	}
	found, err := b.lanes(analysis)
	if err != nil {
		return nil, nil, err
	}
	maps.Copy(sources, found.sources)
	files = append(files, found.files...)
	manifest, err := b.manifest(program, sources, files)
	if err != nil {
		return nil, nil, err
	}
	files = append(files, emit.File{Path: filepath.Join(p.Dir, manifestFile), Text: manifest})
	if len(found.notes) > 0 {
		found.notes.Sort()
		return files, device, found.notes
	}
	return files, device, nil
}

// removed returns the removals of all that a package without kernels may have from before.
func removed(p *source.Package) []emit.File {
	files := removedDevices(p)
	for _, name := range []string{manifestFile, machine.AssemblyFile, machine.GoFile} {
		files = append(files, emit.File{Path: filepath.Join(p.Dir, name)})
	}
	return files
}

// removedDevices returns the removals of the code for GPUs.
func removedDevices(p *source.Package) []emit.File {
	files := []emit.File{{Path: filepath.Join(p.Dir, cudaFile)}, {Path: filepath.Join(p.Dir, ptxFile)}}
	return append(files, leftovers(filepath.Join(p.ModuleDir, filepath.FromSlash(shaderDirectory(p))), p, nil)...)
}

// devices returns the code of a package for GPUs, and adds the functions that it comes from to sources.
func (b *builder) devices(
	analysis *access.Analysis, sources map[*source.Function]bool,
) ([]emit.File, *emit.Device, error) {
	p := b.p
	shaders := shaderDirectory(p)
	shaderDir := filepath.Join(p.ModuleDir, filepath.FromSlash(shaders))
	texts, err := Translate(b.program, p, analysis)
	if err != nil {
		return nil, nil, err
	}
	maps.Copy(sources, texts.sources)
	files := []emit.File{{Path: filepath.Join(p.Dir, cudaFile), Text: []byte(texts.CUDA.Code)}}
	ptx, refusedPTX := b.ptx(texts.CUDA)
	modules, refusedShaders := b.shaders(shaderDir, texts.Shaders)
	if refused := append(refusedPTX, refusedShaders...); refused.Refused() {
		refused.Sort()
		return nil, nil, refused
	}
	files = append(files, emit.File{Path: filepath.Join(p.Dir, ptxFile), Text: ptx})
	var index bytes.Buffer
	fmt.Fprintf(&index,
		"%s\n\n// Package %s holds the Vulkan compute shaders of the kernels of package\n%spackage %s\n\n"+
			"import _ \"embed\"\n",
		source.Header, path.Base(shaders), indexOwner(p), packageName(p, shaders))
	var diagnostics source.Diagnostics
	for i, shader := range texts.Shaders {
		name := shader.Kernel.Object.Name()
		module := modules[i]
		if len(module) > maxShader {
			diagnostics = append(diagnostics, tooLarge(b.program, shader.Kernel, len(module)))
		}
		files = append(files,
			emit.File{Path: filepath.Join(shaderDir, name+".comp"), Text: []byte(shader.Code)},
			emit.File{Path: filepath.Join(shaderDir, name+".spv"), Text: module})
		exported := source.LauncherName(name)
		fmt.Fprintf(&index, "\n// %s is the shader of kernel %s.\n//\n//go:embed %s.spv\nvar %s []byte\n", exported,
			name, name, exported)
	}
	if diagnostics.Refused() {
		return nil, nil, diagnostics
	}
	files = append(files, emit.File{Path: filepath.Join(shaderDir, shadersFile), Text: index.Bytes()})
	files = append(files, leftovers(shaderDir, p, files)...)
	return files, &emit.Device{
		Shaders: path.Join(p.ModulePath, shaders), Module: ptxFile, ModuleHash: Hash(ptx), Entry: cuda.EntryName,
	}, nil
}

// tooLarge refuses a kernel whose SPIR-V has so many bytes.
func tooLarge(program *source.Program, k *source.Kernel, size int) source.Diagnostic {
	return source.Diagnostic{
		Position: program.Fset.Position(k.Declaration.Pos()), Rule: "limit",
		Message: fmt.Sprintf(
			"%s takes %d bytes of SPIR-V (at most %d: split the kernel, or loop where it repeats itself)",
			k.Object.Name(), size, maxShader),
	}
}

// packageName returns the name of a package of shaders: that of its kernels, in a directory named after them.
func packageName(p *source.Package, shaders string) string {
	if path.Base(shaders) == "shaders" {
		return "shaders"
	}
	return p.Types.Name()
}

// indexOwner is the line by which the Go file beside shaders says whose they are.
func indexOwner(p *source.Package) string { return "// " + p.Types.Path() + ", as SPIR-V.\n" }

// leftovers returns removals of the files that kernelgen wrote earlier to a directory of shaders for a package and that
// are not in kept. Shaders of another package, or shaders written by hand, may lie in the same directory.
func leftovers(dir string, p *source.Package, kept []emit.File) []emit.File {
	var removed []emit.File
	index, err := os.ReadFile(filepath.Join(dir, shadersFile))
	if err != nil || !source.IsGenerated(index) || !bytes.Contains(index, []byte(indexOwner(p))) {
		return nil
	}
	for _, pattern := range []string{"*.comp", "*.spv", shadersFile} {
		paths, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, found := range paths {
			if slices.ContainsFunc(kept, func(f emit.File) bool { return f.Path == found }) {
				continue
			}
			if text, err := os.ReadFile(found); err == nil && emit.Owns(found, text) {
				removed = append(removed, emit.File{Path: found})
			}
		}
	}
	return removed
}

// builder compiles the texts of a package, or takes what was compiled before from the same texts.
type builder struct {
	program   *source.Program
	p         *source.Package
	tools     *toolchain.Toolchain // for GPUs
	compilers Compilers
	before    *Manifest // nil if there is none
	mutex     sync.Mutex
	made      map[string]string // hashes of texts by the path of what was compiled from them
}

func newBuilder(program *source.Program, p *source.Package, compilers Compilers) *builder {
	b := &builder{
		program: program, p: p, tools: compilers.Devices, compilers: compilers, made: map[string]string{},
	}
	if before, err := ReadManifest(filepath.Join(p.Dir, manifestFile)); err == nil {
		b.before = before
	}
	return b
}

func (b *builder) ptx(text *cuda.Text) ([]byte, source.Diagnostics) {
	path := filepath.Join(b.p.Dir, ptxFile)
	ptx, err := b.compile(path, text.Code, func() ([]byte, error) {
		ptx, err := b.tools.PTX(text.Code)
		return []byte(source.Header + "\n" + ptx), err
	})
	if err == nil {
		err = cuda.Check(string(ptx), text.Entries)
	}
	if err != nil {
		return nil, b.refusals(filepath.Join(b.p.Dir, cudaFile), text.Text, b.faulty(err), err)
	}
	return ptx, nil
}

// faulty returns the kernel whose PTX is at fault, or else the first one of the package.
func (b *builder) faulty(err error) *source.Kernel {
	var fault *cuda.Fault
	if errors.As(err, &fault) {
		for _, k := range b.p.Kernels {
			if cuda.EntryName(k) == fault.Entry {
				return k
			}
		}
	}
	return b.p.Kernels[0]
}

// shaders compiles shaders, as many at once as there are processors.
func (b *builder) shaders(dir string, list []Shader) ([][]byte, source.Diagnostics) {
	modules, refused := make([][]byte, len(list)), make([]source.Diagnostics, len(list))
	var wait sync.WaitGroup
	processors := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, shader := range list {
		wait.Go(func() {
			processors <- struct{}{}
			defer func() { <-processors }()
			path := filepath.Join(dir, shader.Kernel.Object.Name())
			var err error
			if modules[i], err = b.spirv(path, shader); err != nil {
				refused[i] = b.refusals(path+".comp", shader.Text, shader.Kernel, err)
			}
		})
	}
	wait.Wait()
	return modules, slices.Concat(refused...)
}

func (b *builder) spirv(path string, shader Shader) ([]byte, error) {
	module, err := b.compile(path+".spv", shader.Code, func() ([]byte, error) {
		module, err := b.tools.SPIRV(shader.Code)
		if err != nil {
			return nil, err
		}
		if module, err = spirv.Exact(module); err != nil {
			return nil, err
		}
		return module, b.tools.Validate(module)
	})
	if err != nil {
		return nil, err
	}
	return module, spirv.Verify(module)
}

// refusals returns why a text could not be compiled, at the places of the source that the lines come from. A message
// without such a place is reported at the kernel.
func (b *builder) refusals(path string, text clike.Text, k *source.Kernel, err error) source.Diagnostics {
	refusal := func(pos token.Pos, format string, arguments ...any) source.Diagnostic {
		if !pos.IsValid() {
			pos = k.Declaration.Name.Pos()
		}
		return source.Diagnostic{
			Position: b.program.Fset.Position(pos), Rule: "tool", Message: fmt.Sprintf(format, arguments...),
			Cause: err,
		}
	}
	var failure *toolchain.Error
	if !errors.As(err, &failure) || len(failure.Messages) == 0 {
		return source.Diagnostics{refusal(token.NoPos, "compiling %s: %v", filepath.Base(path), err)}
	}
	var list source.Diagnostics
	for _, m := range failure.Messages {
		list = append(list, refusal(text.Origin(m.Line),
			"%s: %s (line %d of %s)", failure.Program, m.Text, m.Line, filepath.Base(path)))
	}
	return list
}

// compile compiles a text, or without compilers returns what lies at a path if it came from the same text.
func (b *builder) compile(path, text string, compiler func() ([]byte, error)) ([]byte, error) {
	from := Hash([]byte(text))
	b.mutex.Lock()
	b.made[path] = from
	b.mutex.Unlock()
	if b.tools != nil {
		return compiler()
	}
	compiled, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading what was compiled before: %w", err)
	}
	if err == nil && b.before.has(b.p, path, from, Hash(compiled)) {
		return compiled, nil
	}
	_, missing := toolchain.Find()
	return nil, fmt.Errorf("%s must be compiled anew: %w, or write //kernel:nodevice above the package clause, and the "+
		"kernels run on the CPU alone", filepath.Base(path), missing)
}

// Hash returns the SHA-256 of a text in hexadecimal digits.
func Hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
