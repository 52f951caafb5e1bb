//go:build cgo && (linux || darwin)

package vulkan

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// The parts of the SPIR-V specification that matter for execution modes.
const (
	spirvMagic = 0x07230203
	spirvWords = 5       // of the header
	spirv14    = 0x10400 // the version that includes SPV_KHR_float_controls

	opExtension       = 10
	opExtInstImport   = 11
	opMemoryModel     = 14
	opEntryPoint      = 15
	opExecutionMode   = 16
	opCapability      = 17
	opExecutionModeID = 331
)

// controlsExtension is the extension that defines the modes.
const controlsExtension = "SPV_KHR_float_controls"

// section is a part of the head of a module. The specification fixes their order ("Logical Layout of a Module").
type section int

const (
	capabilities section = iota
	extensions
	imports
	memoryModel
	entryPoints
	executionModes
	rest
)

// sectionOf returns the section of an instruction, and the minimum number of its words.
func sectionOf(operation uint32) (section, int) {
	switch operation {
	case opCapability:
		return capabilities, 2
	case opExtension:
		return extensions, 2
	case opExtInstImport:
		return imports, 3
	case opMemoryModel:
		return memoryModel, 3
	case opEntryPoint:
		return entryPoints, 4
	case opExecutionMode, opExecutionModeID:
		return executionModes, 3
	}
	return rest, 1
}

// head is the head of a module: where its sections end, and what it declares.
type head struct {
	ends         [rest + 1]int // the word after the last instruction of each section
	capabilities []uint32
	extended     bool     // it has controlsExtension
	entries      []uint32 // ids
	modes        []declaredMode
}

// declaredMode is an execution mode that a module declares for an entry point.
type declaredMode struct{ entry, mode, width uint32 }

// withModes returns a module that declares the modes for each of its entry points. Modes that it declares already are
// not repeated. A module that is malformed, or declares an opposite mode, is an error.
func withModes(code []byte, modes []executionMode) ([]byte, error) {
	words, err := wordsOf(code)
	if err != nil {
		return nil, err
	}
	h, err := headOf(words)
	if err != nil {
		return nil, err
	}
	var declared, required, extension []uint32
	for _, mode := range modes {
		for _, entry := range h.entries {
			if slices.Contains(h.modes, declaredMode{entry, mode.mode, mode.width}) {
				continue
			}
			if mode.opposite != 0 && slices.Contains(h.modes, declaredMode{entry, mode.opposite, mode.width}) {
				return nil, fmt.Errorf("SPIR-V: the module declares the opposite of %v", mode)
			}
			declared = append(declared, 4<<16|opExecutionMode, entry, mode.mode, mode.width)
		}
		if !slices.Contains(h.capabilities, mode.capability) {
			required = append(required, 2<<16|opCapability, mode.capability)
			h.capabilities = append(h.capabilities, mode.capability)
		}
	}
	if len(modes) > 0 && !h.extended && words[1] < spirv14 {
		text := literal(controlsExtension)
		extension = append([]uint32{uint32(1+len(text))<<16 | opExtension}, text...)
	}
	patched := slices.Concat(words[:h.ends[capabilities]], required, words[h.ends[capabilities]:h.ends[extensions]],
		extension, words[h.ends[extensions]:h.ends[executionModes]], declared, words[h.ends[executionModes]:])
	code = make([]byte, 0, 4*len(patched))
	for _, word := range patched {
		code = binary.LittleEndian.AppendUint32(code, word)
	}
	return code, nil
}

// wordsOf returns the words of a module.
func wordsOf(code []byte) ([]uint32, error) {
	if len(code) < 4*spirvWords || len(code)%4 != 0 {
		return nil, fmt.Errorf("SPIR-V: %d bytes, must be at least %d and a multiple of 4", len(code), 4*spirvWords)
	}
	words := make([]uint32, len(code)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(code[4*i:])
	}
	if words[0] != spirvMagic {
		return nil, fmt.Errorf("SPIR-V: the first word is %#08x, must be %#08x", words[0], spirvMagic)
	}
	return words, nil
}

// headOf reads the head of a module, and checks that all of its instructions lie within it and are in order.
func headOf(words []uint32) (head, error) {
	var h head
	for i := range h.ends {
		h.ends[i] = spirvWords
	}
	current, models := capabilities, 0
	for at := spirvWords; at < len(words); {
		length := int(words[at] >> 16)
		found, least := sectionOf(words[at] & 0xffff)
		if length < least || length > len(words)-at {
			return h, fmt.Errorf("SPIR-V: the instruction at word %d has %d words", at, length)
		}
		if found < current {
			return h, fmt.Errorf("SPIR-V: the instruction at word %d is not in the order of a module", at)
		}
		current = found
		h.note(found, words[at:at+length])
		if found == memoryModel {
			models++
		}
		at += length
		for s := found; s <= rest; s++ {
			h.ends[s] = at
		}
	}
	switch {
	case models != 1:
		return h, fmt.Errorf("SPIR-V: the module has %d memory models, must be 1", models)
	case len(h.entries) == 0:
		return h, errors.New("SPIR-V: the module has no entry point")
	}
	return h, nil
}

// note records what an instruction of a section declares.
func (h *head) note(found section, instruction []uint32) {
	switch found {
	case capabilities:
		h.capabilities = append(h.capabilities, instruction[1])
	case extensions:
		h.extended = h.extended || slices.Equal(instruction[1:], literal(controlsExtension))
	case entryPoints:
		if !slices.Contains(h.entries, instruction[2]) {
			h.entries = append(h.entries, instruction[2])
		}
	case executionModes:
		if instruction[0]&0xffff == opExecutionMode && len(instruction) == 4 {
			h.modes = append(h.modes, declaredMode{instruction[1], instruction[2], instruction[3]})
		}
	case imports, memoryModel, rest:
	}
}

// literal returns a string as SPIR-V has it: with a final zero byte, in words.
func literal(text string) []uint32 {
	padded := make([]byte, len(text)/4*4+4)
	copy(padded, text)
	var words []uint32
	for i := 0; i < len(padded); i += 4 {
		words = append(words, binary.LittleEndian.Uint32(padded[i:]))
	}
	return words
}
