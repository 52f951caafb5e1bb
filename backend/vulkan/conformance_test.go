//go:build cgo && (linux || darwin)

package vulkan

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	"github.com/trackgen-go/trackgen/kernel"
)

// collect applies options.
func collect(options []backend.Option) (o backend.Options) {
	for _, option := range options {
		option(&o)
	}
	return o
}

// TestConformance runs the suite under the validation layer: on the device as it is, with corrected arithmetic, with
// another number of lanes, and with an alignment at which no view of the suite can be bound.
func TestConformance(t *testing.T) { // R166
	for name, change := range map[string]func(*settings){
		"native":             func(*settings) {},
		"corrected":          func(s *settings) { s.corrected = true },
		"8 lanes":            func(s *settings) { s.lanes = 8 },
		"offset alignment":   func(s *settings) { s.alignment = granule },
		"without validation": func(s *settings) { s.validation = false },
	} {
		t.Run(name, func(t *testing.T) {
			needDriver(t)
			backendtest.Run(t, backendtest.Config{Open: func(t testing.TB, options ...backend.Option) backend.Device {
				s, err := readSettings()
				require.NoError(t, err)
				change(&s)
				d, err := openIndex(0, collect(options), s)
				require.NoError(t, err)
				return d
			}})
			require.Empty(t, ValidationMessages())
		})
	}
}

// mutate replaces one instruction of a SPIR-V module by another with the same operands.
func mutate(t *testing.T, code []byte, from, to uint16) []byte {
	t.Helper()
	mutant := bytes.Clone(code)
	for at := spirvHeader; at < len(mutant); {
		word := binary.LittleEndian.Uint32(mutant[at:])
		if uint16(word) == from {
			binary.LittleEndian.PutUint32(mutant[at:], word&0xffff0000|uint32(to))
			return mutant
		}
		at += 4 * int(word>>16)
	}
	t.Fatalf("the shader has no instruction %d", from)
	return nil
}

// The suite detects generated shaders with one wrong instruction, each in the case written for it.
func TestConformanceFindsWrongShaders(t *testing.T) {
	needDriver(t)
	const (
		floatAdd, floatSubtract, floatMultiply  = 129, 131, 133
		shiftRightLogical, shiftRightArithmetic = 194, 195
		orderedLessThan, orderedLessThanEqual   = 184, 188
		convertSigned, convertUnsigned          = 111, 112
	)
	expected := make(map[string]string)
	for _, m := range []struct {
		def      *kernel.Def
		from, to uint16
		found    string
	}{
		{&kernels.AddDef, floatAdd, floatSubtract, "launch/addition"},
		{&kernels.Scale3Def, floatMultiply, floatAdd, "launch/packed vectors"},
		{&kernels.CompareDef, orderedLessThan, orderedLessThanEqual, "launch/float comparisons"},
		{&kernels.IntegersDef, shiftRightArithmetic, shiftRightLogical, "launch/integer arithmetic"},
		{&kernels.ConvertDef, convertSigned, convertUnsigned, "launch/conversions"},
	} {
		right := m.def.Shader
		m.def.Shader = mutate(t, right, m.from, m.to)
		defer func() { m.def.Shader = right }()
		expected[m.found] = "the shader of " + m.def.Name + " is wrong"
	}
	open := func(t testing.TB, options ...backend.Option) backend.Device {
		s, err := readSettings()
		require.NoError(t, err)
		d, err := openIndex(0, collect(options), s)
		require.NoError(t, err)
		return d
	}
	backendtest.Run(t, backendtest.Config{ExpectFail: expected, Open: open})
	require.Empty(t, ValidationMessages())
}
