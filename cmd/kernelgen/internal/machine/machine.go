// Package machine turns kernels in C++ for several lanes into machine code that Go programs carry and call without cgo.
//
// clang compiles the text to assembly. Package machine checks it, takes the frame and the returns out of it, puts code
// and constants into one section, and has clang assemble that. What comes out has no relocations, so it runs wherever
// it lies. It is then written as the body of a function in Go assembly, whose frame is exactly the one that the code
// uses: Go checks the stack before the code runs, and profiles know the callers while it runs.
package machine

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"strings"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/toolchain"
)

// Code is the machine code of one kernel.
type Code struct {
	Bytes []byte // instructions, then constants; a multiple of 8; it ends by going on behind its last byte
	Frame int64  // bytes of the stack that it uses
}

// Entry is the name of the function in the text. Its arguments are in registers, by the calling convention
// preserve_none.
const Entry = "kg_entry"

// Compile compiles a text for eight lanes. The result depends on the text and on the compiler alone. An error is a
// *toolchain.Error where the compiler refuses the text, or says what the code has that it must not have.
func Compile(tools *toolchain.Toolchain, text string) (*Code, error) {
	assembly, err := tools.VectorAssembly(text)
	if err != nil {
		return nil, err
	}
	body, frame, err := rewrite(assembly)
	if err != nil {
		return nil, err
	}
	object, err := tools.Object(body)
	if err != nil {
		return nil, err
	}
	code, err := contents(object)
	if err != nil {
		return nil, err
	}
	return &Code{Bytes: code, Frame: frame}, nil
}

// contents returns the only section of an object that has bytes. It refuses an object that refers to anything else.
func contents(object []byte) ([]byte, error) {
	file, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		return nil, fmt.Errorf("reading the object: %w", err)
	}
	symbols, err := file.Symbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return nil, fmt.Errorf("reading the symbols of the object: %w", err)
	}
	for _, s := range symbols {
		if s.Section == elf.SHN_UNDEF && s.Name != "" {
			return nil, fmt.Errorf("the code needs %s, which it does not hold", s.Name)
		}
	}
	var code []byte
	for _, section := range file.Sections {
		switch {
		case section.Type == elf.SHT_RELA || section.Type == elf.SHT_REL:
			return nil, fmt.Errorf("the code depends on where it lies: it has relocations in %s", section.Name)
		case section.Flags&elf.SHF_ALLOC == 0 || section.Size == 0:
		case section.Name != ".text":
			return nil, fmt.Errorf("the code has a section %s beside .text", section.Name)
		default:
			if code, err = section.Data(); err != nil {
				return nil, fmt.Errorf("reading the object: %w", err)
			}
		}
	}
	if len(code) == 0 || len(code)%8 != 0 {
		return nil, fmt.Errorf("the object has %d bytes of code", len(code))
	}
	return code, nil
}

// fault is what assembly has that it must not have.
func fault(line, format string, arguments ...any) error {
	return fmt.Errorf("%s: %q", fmt.Sprintf(format, arguments...), strings.Join(strings.Fields(line), " "))
}
