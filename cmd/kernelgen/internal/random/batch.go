package random

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/access"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/check"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/cuda"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/device"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/emit"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/lanes"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/race"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/spirv"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/toolchain"
	"github.com/trackgen-go/trackgen/kernel"
)

// Batch is programs that were translated together. What is compiled once for all of them costs little for each.
type Batch struct {
	Programs []Program
	Defs     []*kernel.Def     // of Programs, without functions in Go
	Go       map[string][]byte // the files of a package main, by name
	CUDA     string

	program  *source.Program
	analysis *access.Analysis
	texts    *device.Texts
	compiled []*kernel.Def // with SPIR-V, once a leg needs it
	failed   []error       // where that could not be made

	flushing [][]Result // see flushed
	module   *kernel.Module
}

// packageDir is where the loader takes the programs of a batch to be.
const packageDir = "/module/batch"

// Translate translates the programs that kernelgen accepts. refused has the reason for each of the others, by the name
// of its kernel.
func Translate(vocabulary *source.Program, programs []Program) (batch *Batch, refused map[string]error, err error) {
	batch, refused = &Batch{Go: map[string][]byte{}}, map[string]error{}
	texts := map[string][]byte{}
	for _, p := range programs {
		path := filepath.Join(packageDir, p.Kernel+".go")
		one := map[string][]byte{path: []byte(p.Source)}
		if _, _, err := checked(vocabulary, one); err != nil {
			refused[p.Kernel] = err
			continue
		}
		batch.Programs = append(batch.Programs, p)
		texts[path] = one[path]
	}
	if len(texts) == 0 {
		return batch, refused, nil
	}
	if err := batch.translate(vocabulary, texts); err != nil {
		return nil, nil, fmt.Errorf("translating a batch: %w", err)
	}
	return batch, refused, nil
}

// checked loads texts as a package and checks its kernels.
func checked(vocabulary *source.Program, texts map[string][]byte) (*source.Program, *access.Analysis, error) {
	program, err := vocabulary.WithTexts(texts)
	if err != nil {
		return nil, nil, err
	}
	program.Packages[0].NoLauncher = true
	analysis := access.New(program)
	diagnostics := check.Program(program, analysis)
	if !diagnostics.Refused() {
		diagnostics = append(diagnostics, race.Program(program)...)
	}
	if diagnostics.Refused() {
		return nil, nil, diagnostics
	}
	return program, analysis, nil
}

func (b *Batch) translate(vocabulary *source.Program, texts map[string][]byte) error {
	program, analysis, err := checked(vocabulary, texts)
	if err != nil {
		return err
	}
	b.program, b.analysis = program, analysis
	p := program.Packages[0]
	if b.texts, err = device.Translate(program, p, analysis); err != nil {
		return err
	}
	b.CUDA = b.texts.CUDA.Code
	files, err := emit.Package(program, p, analysis, nil)
	if err != nil {
		return err
	}
	for _, file := range files {
		b.Go[filepath.Base(file.Path)] = file.Text
	}
	for path, text := range texts {
		b.Go[filepath.Base(path)] = text
	}
	// The package has its kernels in the order of its files.
	byKernel := map[string]Program{}
	for _, program := range b.Programs {
		byKernel[program.Kernel] = program
	}
	b.Programs = nil
	for _, k := range p.Kernels {
		b.Programs = append(b.Programs, byKernel[k.Object.Name()])
		b.Defs = append(b.Defs, emit.Definition(k, analysis))
	}
	return nil
}

// shaders returns definitions with checked SPIR-V of all programs, compiled as many at once as there are processors.
// mutation, if there is one, changes each text first. The errors are by program.
func (b *Batch) shaders(tools *toolchain.Toolchain, mutation func(string) string) ([]*kernel.Def, []error) {
	if mutation == nil && b.compiled != nil {
		return b.compiled, b.failed
	}
	defs, failures := make([]*kernel.Def, len(b.Defs)), make([]error, len(b.Defs))
	var wait sync.WaitGroup
	processors := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, shader := range b.texts.Shaders {
		def := *b.Defs[i]
		defs[i] = &def
		wait.Go(func() {
			processors <- struct{}{}
			defer func() { <-processors }()
			code := shader.Code
			if mutation != nil {
				code = mutation(code)
			}
			module, err := tools.SPIRV(code)
			if err == nil {
				module, err = spirv.Exact(module)
			}
			if err == nil {
				err = tools.Validate(module)
			}
			def.Shader, failures[i] = module, err
		})
	}
	wait.Wait()
	if mutation == nil {
		b.compiled, b.failed = defs, failures
	}
	return defs, failures
}

// ptx returns the checked PTX of all programs.
func (b *Batch) ptx(tools *toolchain.Toolchain) (string, error) {
	text, err := tools.PTX(b.CUDA)
	if err == nil {
		err = cuda.Check(text, b.texts.CUDA.Entries)
	}
	if err != nil {
		return "", fmt.Errorf("compiling a batch: %w", err)
	}
	return text, nil
}

// lanes returns all programs in lanes.
func (b *Batch) lanes() ([]*lanes.Text, error) {
	var texts []*lanes.Text
	for _, k := range b.program.Packages[0].Kernels {
		text, problem, err := lanes.Translate(b.program, k, b.analysis)
		if problem != nil {
			err = source.Diagnostics{*problem}
		}
		if err != nil {
			return nil, fmt.Errorf("translating a batch into lanes: %w", err)
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// inModule returns the definition of a program with PTX. Programs with the same text share a module.
func (b *Batch) inModule(i int, text string) *kernel.Def {
	if b.module == nil || b.module.PTX != text {
		b.module = &kernel.Module{Name: "batch", PTX: text, Hash: device.Hash([]byte(text))}
	}
	def := *b.Defs[i]
	def.Module, def.Entry = b.module, entry(&def)
	return &def
}

// entry returns the name of a program's kernel in the CUDA C.
func entry(def *kernel.Def) string {
	return "k_" + def.Name[strings.LastIndexByte(def.Name, '.')+1:]
}
