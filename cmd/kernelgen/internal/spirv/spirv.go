// Package spirv changes and verifies SPIR-V modules.
package spirv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// The parts of the SPIR-V specification that matter here.
const (
	magic       = 0x07230203
	headerWords = 5

	opExtInst        = 12
	opSpecConstantOp = 52
	opDecorate       = 71
	firstTypeOp      = 19 // OpTypeVoid
	lastTypeOp       = 39 // OpTypeForwardPointer
	noContraction    = 42
	extInstSqrt      = 31
	extInstFindMSB   = 75 // FindUMsb
)

// exact are the float operations that a driver may contract, or treat loosely, unless they are decorated.
var exact = map[uint32]string{
	127: "OpFNegate", 129: "OpFAdd", 131: "OpFSub", 133: "OpFMul", 136: "OpFDiv", 140: "OpFRem", 141: "OpFMod",
}

// refused are float operations that kernels never need, and whose result is not exactly rounded or not decorated here.
var refused = map[uint32]string{
	139: "OpSMod", 142: "OpVectorTimesScalar", 143: "OpMatrixTimesScalar", 144: "OpVectorTimesMatrix",
	145: "OpMatrixTimesVector", 146: "OpMatrixTimesMatrix", 147: "OpOuterProduct", 148: "OpDot",
}

// extended are the instructions of GLSL.std.450 that are exact: those on integers, and the square root, which backends
// replace where it is not.
var extended = map[uint32]string{
	extInstSqrt: "Sqrt", 73: "FindILsb", 74: "FindSMsb", extInstFindMSB: "FindUMsb",
}

// forgotten are the instructions of GLSL.std.450 for which SwiftShader takes a variable that a loop changes for a
// constant.
var forgotten = map[uint32]string{38: "UMin", 39: "SMin", 41: "UMax", 42: "SMax"}

// Exact returns a module with NoContraction on the result of every float operation, because `precise` in GLSL does not
// reach all of them. It refuses modules with operations that have no exact meaning.
func Exact(module []byte) ([]byte, error) {
	words, err := parse(module)
	if err != nil {
		return nil, err
	}
	results, decorated, err := operations(words)
	if err != nil {
		return nil, err
	}
	at := -1 // where decorations end
	err = each(words, func(i int, op uint32, instruction []uint32) error {
		if at < 0 && op >= firstTypeOp && op <= lastTypeOp {
			at = i
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if at < 0 {
		return nil, errors.New("the SPIR-V declares no types")
	}
	var decorations []uint32
	for _, result := range results {
		if !decorated[result] {
			decorations = append(decorations, 3<<16|opDecorate, result, noContraction)
		}
	}
	words = slices.Insert(words, at, decorations...)
	if err := verify(words); err != nil {
		return nil, err
	}
	return bytesOf(words), nil
}

// Verify checks that every float operation of a module is decorated with NoContraction.
func Verify(module []byte) error {
	words, err := parse(module)
	if err != nil {
		return err
	}
	return verify(words)
}

func verify(words []uint32) error {
	results, decorated, err := operations(words)
	if err != nil {
		return err
	}
	for _, result := range results {
		if !decorated[result] {
			return fmt.Errorf("the float operation %%%d of the SPIR-V may be contracted", result)
		}
	}
	return nil
}

// operations returns the results of the float operations of a module, and which results are decorated.
func operations(words []uint32) (results []uint32, decorated map[uint32]bool, err error) {
	decorated = map[uint32]bool{}
	err = each(words, func(_ int, op uint32, instruction []uint32) error {
		switch {
		case exact[op] != "":
			if len(instruction) < 3 {
				return fmt.Errorf("%s has no result", exact[op])
			}
			results = append(results, instruction[2])
		case refused[op] != "":
			return fmt.Errorf("%s has no exact meaning here", refused[op])
		case op == opSpecConstantOp && (len(instruction) < 4 || exact[instruction[3]] != ""):
			return errors.New("OpSpecConstantOp of floats has no exact meaning here")
		case op == opExtInst:
			if len(instruction) >= 5 && forgotten[instruction[4]] != "" {
				return fmt.Errorf("%s is wrong in loops of some drivers: select one of the numbers instead",
					forgotten[instruction[4]])
			}
			if len(instruction) < 5 || extended[instruction[4]] == "" {
				return fmt.Errorf("instruction %v of GLSL.std.450 has no exact meaning",
					instruction[min(4, len(instruction)-1)])
			}
		case op == opDecorate && len(instruction) == 3 && instruction[2] == noContraction:
			decorated[instruction[1]] = true
		}
		return nil
	})
	return results, decorated, err
}

// each calls visit with each instruction, its offset and its operation.
func each(words []uint32, visit func(i int, op uint32, instruction []uint32) error) error {
	for i := headerWords; i < len(words); {
		length := int(words[i] >> 16)
		if length == 0 || i+length > len(words) {
			return fmt.Errorf("the SPIR-V instruction at word %d has %d words", i, length)
		}
		if err := visit(i, words[i]&0xffff, words[i:i+length]); err != nil {
			return err
		}
		i += length
	}
	return nil
}

// Flip returns a copy of a module in which one float addition is a subtraction, for tests that must notice; ok is false
// where there is none.
func Flip(module []byte) (changed []byte, ok bool) {
	const opFAdd, opFSub = 129, 131
	words, err := parse(module)
	if err != nil {
		return nil, false
	}
	err = each(words, func(i int, op uint32, _ []uint32) error {
		if op == opFAdd && !ok {
			words[i] = words[i]&^0xffff | opFSub
			ok = true
		}
		return nil
	})
	return bytesOf(words), ok && err == nil
}

func parse(module []byte) ([]uint32, error) {
	if len(module)%4 != 0 || len(module) < 4*headerWords {
		return nil, fmt.Errorf("SPIR-V of %d bytes (at least %d, in words of 4)", len(module), 4*headerWords)
	}
	words := make([]uint32, len(module)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(module[4*i:])
	}
	if words[0] != magic {
		return nil, fmt.Errorf("SPIR-V begins with %#08x (%#08x)", words[0], magic)
	}
	return words, nil
}

func bytesOf(words []uint32) []byte {
	var module []byte
	for _, word := range words {
		module = binary.LittleEndian.AppendUint32(module, word)
	}
	return module
}
