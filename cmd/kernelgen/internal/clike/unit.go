// Package clike translates checked kernels into the two C-like languages of the backends, CUDA C and GLSL. Their texts
// differ only where GLSL lacks something (pointers, so that helpers are specialised by the slices they are given) and
// where C leaves something undefined (integer overflow).
package clike

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/access"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/kernel"
)

// Language is what a unit is written in.
type Language int

// The languages.
const (
	CUDA Language = iota
	GLSL
)

// Unit is one text: all kernels of a package in CUDA C, one kernel in GLSL.
type Unit struct {
	Language Language
	// Structs, Shared (GLSL only) and Functions are the definitions in an order in which each follows what it uses.
	Structs, Shared, Functions []Text
	// Uses holds the names of the prelude's functions that the text calls.
	Uses map[string]bool
	// Sources is every function of the source that the text came from.
	Sources map[*source.Function]bool

	program     *source.Program
	analysis    *access.Analysis
	structNames map[string]string // by type
	zeros       map[string]string // GLSL: functions that return zero, by type
	copies      map[string]string // functions by specialisation
	arrays      map[string]bool   // the functions in which an item has an array of its own
	taken       names
	problems    source.Diagnostics
}

// New returns an empty unit.
func New(language Language, program *source.Program, analysis *access.Analysis) *Unit {
	return &Unit{
		Language: language, Uses: map[string]bool{}, Sources: map[*source.Function]bool{},
		program: program, analysis: analysis,
		structNames: map[string]string{}, zeros: map[string]string{}, copies: map[string]string{},
		arrays: map[string]bool{}, taken: names{},
	}
}

// Problems returns what could not be translated.
func (u *Unit) Problems() source.Diagnostics { return u.problems }

// Kernel is how the text of a unit knows a kernel.
type Kernel struct {
	*source.Kernel
	Function string   // its body; the parameters are the index, or the number of the group, and those below
	Params   []string // names: in GLSL of buffers and scalars in the interface, in CUDA C of the body's parameters
	Header   []string // declarations of the body's parameters after the first
	Lengths  []string // CUDA C: of the parameters that hold the lengths of buffers, "" for scalars
	Access   []kernel.Access
	// Rewritten says for each buffer of a group kernel whether several lanes may write one element, with barriers
	// between.
	Rewritten []bool
	// LocalArrays says whether an item has an array of its own, which may need memory beyond registers.
	LocalArrays bool
}

// Add translates a kernel and the helpers that it calls.
func (u *Unit) Add(k *source.Kernel) Kernel {
	sets := u.analysis.Of(k.Function)
	added := Kernel{Kernel: k, Function: u.taken.take(functionPrefix + identifier(k.Object.Name()))}
	w := u.newWriter(k.Function)
	w.kernel, w.sets = k, sets
	w.group = k.Group
	index := w.declare(k.Index)
	header := []string{"int " + index}
	rewritten := w.rewritten(k.Declaration.Body)
	for _, param := range k.Params {
		added.Rewritten = append(added.Rewritten, k.Group && rewritten[param.Object])
		name := identifier(param.Object.Name())
		added.Access = append(added.Access, sets[param.Object])
		if !param.Buffer {
			w.locals[param.Object] = w.used.take(variablePrefix + name)
			header = append(header, u.declaration(param.Object.Type(), w.locals[param.Object]))
			if u.Language == GLSL {
				name = u.taken.take(scalarPrefix + name)
			} else {
				name = w.locals[param.Object]
			}
			added.Params = append(added.Params, name)
			added.Lengths = append(added.Lengths, "")
			continue
		}
		element := param.Object.Type().Underlying().(*types.Slice).Elem()
		if u.Language == GLSL {
			buffer := u.taken.take(bufferPrefix + name)
			w.lists[param.Object] = list{root: buffer, storage: buffers, length: "int(" + buffer + ".length())"}
			u.typeName(element)
			added.Params = append(added.Params, buffer)
			continue
		}
		pointer, length := w.declarePointer(param.Object)
		added.Params = append(added.Params, pointer)
		added.Lengths = append(added.Lengths, length)
		header = append(header, u.pointer(element, pointer, sets[param.Object]), "int "+length)
	}
	added.Header = header[1:]
	w.open("%s %s(%s)", u.functionSpecifier()+"void", added.Function, strings.Join(header, ", "))
	if k.Group {
		w.sharedArrays()
		w.groupStatements(k.Declaration.Body.List)
	} else {
		w.statements(k.Declaration.Body.List)
	}
	w.close()
	u.Functions = append(u.Functions, w.documented())
	added.LocalArrays = w.arraysSeen
	return added
}

func (u *Unit) functionSpecifier() string {
	if u.Language == CUDA {
		return "KG_DEVICE "
	}
	return ""
}

// pointer returns the declaration of a parameter that holds a slice in CUDA C.
func (u *Unit) pointer(element types.Type, name string, mode kernel.Access) string {
	constant := ""
	if mode&kernel.Write == 0 {
		constant = "const "
	}
	return constant + u.typeName(element) + " *" + name
}

func (u *Unit) problem(node ast.Node, format string, arguments ...any) {
	u.problems = append(u.problems, source.Diagnostic{
		Position: u.program.Fset.Position(node.Pos()), Rule: "expression", Message: fmt.Sprintf(format, arguments...),
	})
}

// uses returns the name of a function of the prelude and notes its use.
func (u *Unit) uses(name string) string {
	u.Uses[name] = true
	return name
}
