package machine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"go/format"
	"strings"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// The files that hold the machine code of a package.
const (
	AssemblyFile = "kernel_lanes_amd64.s"
	GoFile       = source.LanesFile
)

// constraint says where the machine code is compiled in. The race detector must see what kernels touch, and OpenBSD
// does not let a program read constants among its code.
const constraint = "//go:build amd64 && !purego && !race && !openbsd"

// quadsPerLine fill a line of Go assembly.
const quadsPerLine = 4

// Function is one kernel with its machine code.
type Function struct {
	Kernel  *source.Kernel
	Code    *Code
	Scratch int64 // bytes of memory that the code takes beside its own stack
}

// name of the function in Go.
func (f *Function) name() string { return f.Kernel.Object.Name() + "Lanes" }

// Assembly returns the file of Go assembly with the machine code of a package's kernels.
//
// The frame holds what the code uses as its stack, and above that the scratch memory. Code begins at a multiple of 64
// bytes, because it loads its constants by instructions that need their alignment.
func Assembly(functions []Function) []byte {
	var w bytes.Buffer
	fmt.Fprintf(&w, "%s\n\n%s\n\n#include \"textflag.h\"\n", source.Header, constraint)
	for _, f := range functions {
		stack := (f.Code.Frame + 7) &^ 7
		scratch := (f.Scratch + 7) &^ 7
		fmt.Fprintf(&w, "\n// func %s(args *kernel.Args, first, last int32)\n", f.name())
		fmt.Fprintf(&w, "TEXT ·%s(SB), 0, $%d-16\n", f.name(), max(stack+scratch, 8))
		w.WriteString("\tMOVQ args+0(FP), R12\n\tMOVL first+8(FP), R13\n\tMOVL last+12(FP), R14\n")
		fmt.Fprintf(&w, "\tLEAQ %d(SP), R15\n\tPCALIGN $64\n", stack)
		writeQuads(&w, f.Code.Bytes)
		w.WriteString("\tRET\n")
	}
	return w.Bytes()
}

// Holds says whether a file of Go assembly has the machine code of a kernel.
func Holds(assembly []byte, k *source.Kernel) bool {
	f := Function{Kernel: k}
	return bytes.Contains(assembly, []byte("\nTEXT ·"+f.name()+"(SB)"))
}

func writeQuads(w *bytes.Buffer, code []byte) {
	const line = 8 * quadsPerLine
	for ; len(code) > 0; code = code[min(line, len(code)):] {
		var quads []string
		for k := 0; k < min(line, len(code)); k += 8 {
			quads = append(quads, fmt.Sprintf("QUAD $0x%016x", binary.LittleEndian.Uint64(code[k:])))
		}
		fmt.Fprintf(w, "\t%s\n", strings.Join(quads, "; "))
	}
}

// GoCode returns the Go file that declares the machine code of a package's kernels, and puts it into their definitions
// where the processor can run it.
func GoCode(p *source.Package, functions []Function) ([]byte, error) {
	var w bytes.Buffer
	fmt.Fprintf(&w, "%s\n\n%s\n\npackage %s\n\nimport %q\n\nfunc init() {\nif !kernel.HasLanes() {\nreturn\n}\n",
		source.Header, constraint, p.Types.Name(), source.VocabularyPath)
	for _, f := range functions {
		fmt.Fprintf(&w, "%sDef.Vector = %sVector\n", source.LauncherName(f.Kernel.Object.Name()), f.Kernel.Object.Name())
	}
	w.WriteString("}\n")
	for _, f := range functions {
		f.writeVector(&w)
	}
	text, err := format.Source(w.Bytes())
	if err != nil {
		return nil, fmt.Errorf("formatting %s: %w", GoFile, err)
	}
	return text, nil
}

// writeVector writes what the definition of a kernel runs. A call of the machine code runs one group, or as many
// threads as take about a millisecond at most.
func (f *Function) writeVector(w *bytes.Buffer) {
	name := f.Kernel.Object.Name()
	fmt.Fprintf(w, "\nfunc %sVector(first, last int32, args *kernel.Args) {\n", name)
	if f.Kernel.Group {
		fmt.Fprintf(w, "for ; first < last; first++ {\n%s(args, first, first+1)\n}\n}\n", f.name())
	} else {
		fmt.Fprintf(w, "items := %sDef.ItemsPerCall(last-first, args)\n", source.LauncherName(name))
		fmt.Fprintf(w, "for first < last {\nend := first + min(items, last-first)\n%s(args, first, end)\nfirst = end\n}\n}\n",
			f.name())
	}
	fmt.Fprintf(w, "\n//go:noescape\nfunc %s(args *kernel.Args, first, last int32)\n", f.name())
}
