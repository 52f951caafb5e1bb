package device

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/access"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/emit"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/lanes"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/machine"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/toolchain"
)

// inLanes is the kernels of a package in machine code for the CPU. Both files are nil where there is none.
type inLanes struct {
	files   []emit.File
	sources map[*source.Function]bool
	notes   source.Diagnostics // warnings: kernels that stay in Go, and why
}

// lanes compiles the kernels of a package to machine code. A kernel that cannot be put in lanes, or whose text clang
// refuses, runs in Go, and a warning says so. Without clang, what was compiled before is kept if the texts are the
// same; else all kernels run in Go.
func (b *builder) lanes(analysis *access.Analysis) (*inLanes, error) {
	texts, notes, err := laneTexts(b.program, b.p, analysis)
	if err != nil {
		return nil, err
	}
	found := &inLanes{sources: map[*source.Function]bool{}, notes: notes}
	for _, text := range texts {
		maps.Copy(found.sources, text.Sources)
	}
	functions, err := b.machineCode(texts, found)
	if err != nil {
		return nil, err
	}
	assembly := emit.File{Path: filepath.Join(b.p.Dir, machine.AssemblyFile)}
	declarations := emit.File{Path: filepath.Join(b.p.Dir, machine.GoFile)}
	if len(functions.list) > 0 {
		assembly.Text = functions.assembly
		if assembly.Text == nil {
			assembly.Text = machine.Assembly(functions.list)
		}
		if declarations.Text, err = machine.GoCode(b.p, functions.list); err != nil {
			return nil, err
		}
		b.made[assembly.Path] = recipe(texts)
	}
	found.files = []emit.File{assembly, declarations}
	return found, nil
}

// laneTexts returns the texts of the kernels of a package that can be put in lanes, and warnings for the others.
func laneTexts(
	program *source.Program, p *source.Package, analysis *access.Analysis,
) (texts []*lanes.Text, notes source.Diagnostics, err error) {
	for _, k := range p.Kernels {
		text, problem, err := lanes.Translate(program, k, analysis)
		switch {
		case err != nil:
			return nil, nil, err
		case problem != nil:
			problem.Warning = true
			problem.Message += " (it runs in Go on a CPU)"
			notes = append(notes, *problem)
		default:
			texts = append(texts, text)
		}
	}
	return texts, notes, nil
}

// LanesHash returns what the manifest of a package says of its machine code: a hash of the texts and of how they are
// compiled. It is empty if no kernel can be put in lanes.
func LanesHash(program *source.Program, p *source.Package, analysis *access.Analysis) (string, error) {
	texts, _, err := laneTexts(program, p, analysis)
	if err != nil || len(texts) == 0 {
		return "", err
	}
	return recipe(texts), nil
}

// recipe identifies texts and how they become machine code.
func recipe(texts []*lanes.Text) string {
	var all strings.Builder
	all.WriteString(toolchain.LanesRecipe())
	for _, text := range texts {
		all.WriteString(text.Code)
	}
	return Hash([]byte(all.String()))
}

// compiledFunctions are kernels with their machine code, or with the file that holds it already.
type compiledFunctions struct {
	list     []machine.Function
	assembly []byte
}

// machineCode compiles texts, or takes the file that was made of them before.
func (b *builder) machineCode(texts []*lanes.Text, found *inLanes) (compiledFunctions, error) {
	if len(texts) == 0 {
		return compiledFunctions{}, nil
	}
	if kept := b.keptAssembly(texts); kept != nil {
		var all []machine.Function
		for _, text := range texts {
			all = append(all, machine.Function{Kernel: text.Kernel, Scratch: text.Scratch})
		}
		return compiledFunctions{all, kept}, nil
	}
	if b.compilers.Lanes == nil {
		_, missing := toolchain.FindLanes()
		found.notes = append(found.notes, source.Diagnostic{
			Position: b.program.Fset.Position(texts[0].Kernel.Declaration.Name.Pos()), Rule: "tool", Warning: true,
			Message: fmt.Sprintf("on a CPU the kernels of %s run in Go, one item at a time: %v", b.p.Types.Path(), missing),
			Cause:   missing,
		})
		return compiledFunctions{}, nil
	}
	codes, errs := make([]*machine.Code, len(texts)), make([]error, len(texts))
	var wait sync.WaitGroup
	processors := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, text := range texts {
		wait.Go(func() {
			processors <- struct{}{}
			defer func() { <-processors }()
			codes[i], errs[i] = machine.Compile(b.compilers.Lanes, text.Code)
		})
	}
	wait.Wait()
	var functions compiledFunctions
	for i, text := range texts {
		if errs[i] == nil {
			functions.list = append(functions.list,
				machine.Function{Kernel: text.Kernel, Scratch: text.Scratch, Code: codes[i]})
			continue
		}
		refused := b.refusals("lanes.cpp", text.Text, text.Kernel, errs[i])
		var failure *toolchain.Error
		if errors.As(errs[i], &failure) && !failure.Refused() {
			return functions, refused
		}
		for k := range refused {
			refused[k].Warning = true
			refused[k].Message += " (it runs in Go on a CPU)"
		}
		found.notes = append(found.notes, refused...)
	}
	return functions, nil
}

// keptAssembly returns the file that was compiled before from the same texts, if it may be kept, and else nil.
func (b *builder) keptAssembly(texts []*lanes.Text) []byte {
	path := filepath.Join(b.p.Dir, machine.AssemblyFile)
	kept, err := os.ReadFile(path)
	if err != nil || !b.before.has(b.p, path, recipe(texts), Hash(kept)) {
		return nil
	}
	same := func() bool {
		reuse := b.compilers.Reuse
		return reuse != nil && reuse(b.p.Types.Path()) &&
			b.before.Tools[toolchain.Clang] == b.compilers.Lanes.Versions()[toolchain.Clang]
	}
	if b.compilers.Lanes != nil && !same() {
		return nil
	}
	for _, text := range texts { // one that clang refused is not in the file
		if !machine.Holds(kept, text.Kernel) {
			return nil
		}
	}
	return kept
}
