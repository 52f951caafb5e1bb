// Package random makes random kernels, runs all implementations of each on the same inputs, and compares every word.
//
// A program is one kernel with its types and helpers, drawn from a seed. It is accepted by kernelgen by construction,
// and has a defined result: indices are masked or bounded, divisors are not zero, loops end, and the items of a phase
// keep to what they own. Floats take every bit pattern.
//
// A NaN that is computed has other bits on other processors, and kernels promise none (docs/design/kernels.md). So two
// NaNs are equal in an output of floats, and a program looks at the bits, or takes the sign, of a float only after it
// has replaced any NaN by kernel.NaN.
package random

import (
	"fmt"
	"go/format"
	"math/rand/v2"
	"strings"

	"github.com/trackgen-go/trackgen/kernel"
)

// Program is one random kernel.
type Program struct {
	Seed   uint64
	Kernel string // the name of its function
	Source string // a Go file of package main
	Items  int32  // of the launch that is compared
	// Denormals says that literals and arguments may be denormals, as in the programs of odd seeds.
	Denormals bool
}

const (
	inputLength = 64 // elements of each buffer that is only read; a power of two, as all lengths are
	threadPart  = 4  // elements of an output that one thread owns
	groupPart   = 32 // elements of an output that one group owns, and of shared arrays
	countLength = 8  // elements of a buffer for atomics
)

// Generate returns the program of a seed. The names of its declarations end in the seed, so that programs can share a
// package.
func Generate(seed uint64) Program {
	g := &generator{
		Rand:   rand.New(rand.NewPCG(seed, 0x6b65726e656c)),
		suffix: fmt.Sprint(seed),
		needs:  map[string]bool{},

		denormals: seed%2 == 1,
	}
	g.structTypes()
	g.constants()
	for range g.IntN(4) {
		g.helperFunction()
	}
	p := Program{Seed: seed, Kernel: "k" + g.suffix, Denormals: g.denormals}
	if g.chance(1, 2) {
		p.Items = []int32{1, 7, 64, 65, 150}[g.IntN(5)]
		g.threadKernel(p.Kernel)
	} else {
		p.Items = 1 + g.Int32N(5)
		g.groupKernel(p.Kernel)
	}
	p.Source = g.file()
	return p
}

// generator writes one program.
type generator struct {
	*rand.Rand
	suffix  string
	structs []structType
	named   []namedConstant
	helpers []helper
	needs   map[string]bool // support functions
	written strings.Builder // finished declarations

	denormals bool // literals may be denormals

	// The function that is being written:
	body   strings.Builder
	scopes []scope
	reads  []*variable // those that an expression reads, in the order of their first uses
	jumps  []jump      // what a break or continue would leave, from the outside in
	place  place
	item   string // the index that is the item's own, "" where there is none
	lanes  int    // of a group
	budget int    // statements that may still be written
	depth  int    // of the expression
	rounds int    // how often the loops around run a statement
	cost   int    // iterations of all loops
	result []typ  // of a helper
}

// place is where code stands.
type place int

const (
	inHelper place = iota
	inThread
	inGroup // at group scope
	inPhase
)

// jump is a statement that a break or continue may leave.
type jump int

const (
	loop jump = iota
	tagged
	tagless
	phase
	groupLoop // a loop around phases
)

// chance is true in n of m cases.
func (g *generator) chance(n, m int) bool { return g.IntN(m) < n }

// pick returns one of a list.
func pick[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

// line writes a line of the current function.
func (g *generator) line(format string, arguments ...any) {
	fmt.Fprintf(&g.body, format+"\n", arguments...)
}

// file returns the whole program.
func (g *generator) file() string {
	var text strings.Builder
	text.WriteString("package main\n\nimport \"github.com/trackgen-go/trackgen/kernel\"\n\n")
	text.WriteString("const _ = kernel.MaxBuffers\n")
	for _, s := range g.structs {
		fmt.Fprintf(&text, "\ntype %s struct {\n", s.name)
		for _, f := range s.fields {
			fmt.Fprintf(&text, "%s %s%s\n", f.name, dimensions(f.dims), g.typeName(f.t))
		}
		text.WriteString("}\n")
	}
	for _, c := range g.named {
		fmt.Fprintf(&text, "\nconst %s\n", c.declaration)
	}
	for _, f := range supportFunctions {
		if g.needs[f.name] {
			text.WriteString("\n" + strings.ReplaceAll(f.text, "_S", g.suffix))
		}
	}
	text.WriteString(g.written.String())
	formatted, err := format.Source([]byte(text.String()))
	if err != nil {
		return text.String() // the loader says what is wrong
	}
	return string(formatted)
}

// support returns the name of a support function and sees to it that the program has it.
func (g *generator) support(name string) string {
	g.needs[name] = true
	return name + g.suffix
}

// supportFunctions are helpers that keep programs defined.
var supportFunctions = []struct{ name, text string }{
	{"known", "func known_S(x float32) float32 {\nif kernel.IsNaN(x) {\nreturn kernel.NaN()\n}\nreturn x\n}\n"},
	{"bits", "func bits_S(x float32) uint32 {\nif x != x {\nreturn kernel.NaNBits\n}\n" +
		"return kernel.Float32Bits(x)\n}\n"},
	{"flag", "func flag_S(b bool) uint32 {\nif b {\nreturn 1\n}\nreturn 0\n}\n"},
	{"quotient", "func quotient_S(a, b int32) int32 {\nif b == 0 || b == -1 && a == -2147483648 {\nreturn b\n}\n" +
		"return a / b\n}\n"},
	{"remainder", "func remainder_S(a, b int32) int32 {\nif b == 0 || b == -1 && a == -2147483648 {\nreturn a\n}\n" +
		"return a % b\n}\n"},
}

// BufferLength returns the elements of a buffer parameter in a launch of a program's kernel.
func BufferLength(name string, group bool, items int32) int {
	part := threadPart
	if group {
		part = groupPart
	}
	switch {
	case strings.HasPrefix(name, "in"):
		return inputLength
	case strings.HasPrefix(name, "out"):
		return part * int(items)
	}
	return countLength
}

// Arguments returns buffers and scalars for a launch of a program: edge cases first, then random bits.
func (p Program) Arguments(def *kernel.Def) (buffers [][]uint32, scalars []uint32) {
	r := rand.New(rand.NewPCG(p.Seed, 0x696e707574))
	for _, param := range def.Params {
		if !param.Buffer {
			scalars = append(scalars, p.pattern(r, param.Type))
			continue
		}
		data := make([]uint32, BufferLength(param.Name, def.Group, p.Items)*int(param.Type.Size()/4))
		for i := range data {
			if !strings.HasPrefix(param.Name, "count") || i%2 == 0 {
				data[i] = p.pattern(r, param.Type)
			}
		}
		buffers = append(buffers, data)
	}
	return buffers, scalars
}

// pattern returns the bits of a number for an argument.
func (p Program) pattern(r *rand.Rand, t kernel.Type) uint32 {
	bits := pattern(r, t)
	if whole := t == kernel.Int32 || t == kernel.Uint32; !whole && !p.Denormals && bits&0x7f800000 == 0 && bits<<1 != 0 {
		return bits | 0x00800000
	}
	return bits
}

// pattern returns the bits of a number: in one of three cases an edge case, in another an ordinary number.
func pattern(r *rand.Rand, t kernel.Type) uint32 {
	whole := t == kernel.Int32 || t == kernel.Uint32
	switch r.IntN(3) {
	case 0:
		if whole {
			return edgeIntegers[r.IntN(len(edgeIntegers))]
		}
		return edgeFloats[r.IntN(len(edgeFloats))]
	case 1:
		if whole {
			return uint32(r.Int32N(200) - 100)
		}
		return kernel.Float32Bits(r.Float32()*20 - 10)
	}
	return r.Uint32()
}

// edgeFloats are bit patterns at which arithmetic, conversions and comparisons go wrong.
var edgeFloats = []uint32{
	0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x00400000, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
	0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x3f000000, 0xbf000000, 0x40400000, 0x3eaaaaab, 0x4b7fffff,
	0x4b800000, 0x4b800001, 0xcb800001, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f800000, 0x7f7fffff,
	0xff7fffff, 0x7f000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7fc12345, 0x7f800001, 0xff812345,
}

// edgeIntegers are where integers wrap, and where floats round them.
var edgeIntegers = []uint32{
	0, 1, 0xffffffff, 2, 0xfffffffe, 3, 7, 31, 32, 33, 0xffffffe1, 255, 256, 65535, 65536, 46341, 16777215, 16777216,
	16777217, 0xfeffffff, 0x7fffffff, 0x7ffffffe, 0x80000000, 0x80000001, 0x7f800000, 0x7fc00000, 0x7fffff80,
}
