//go:build cgo && (linux || darwin)

package vulkan

import (
	"encoding/binary"
	"fmt"
)

// floatControls says which execution modes for floats the modules of a device may declare: what is used here of
// VkPhysicalDeviceFloatControlsProperties. Without a mode, a driver may flush denormals, round in another direction, or
// compute as if there were no NaN and only one zero.
type floatControls struct {
	denormals widths // DenormPreserve
	rounding  widths // RoundingModeRTE: to nearest, ties to even
	zeros     widths // SignedZeroInfNanPreserve

	// Whether a module must declare the same mode for all widths.
	denormalsTogether, roundingTogether bool
}

// widths is a set of widths of floats.
type widths uint8

const (
	width16 widths = 1 << iota
	width32
	width64
)

// executionMode is an execution mode of SPIR-V that has a width in bits as its operand.
type executionMode struct {
	name       string
	mode       uint32
	capability uint32 // what a module with this mode must declare
	opposite   uint32 // the mode that cannot be declared beside this one, 0 if there is none
	width      uint32
}

// Numbers of the SPIR-V specification and of SPV_KHR_float_controls.
var (
	denormPreserve = executionMode{name: "DenormPreserve", mode: 4459, capability: 4464, opposite: 4460}
	roundingRTE    = executionMode{name: "RoundingModeRTE", mode: 4462, capability: 4467, opposite: 4463}
	zerosPreserve  = executionMode{name: "SignedZeroInfNanPreserve", mode: 4461, capability: 4466}
)

// modes returns the modes that every module declares. Kernels compute with 32 bits only. So the other widths matter
// only where a device wants one mode for all of them; then those that have the mode are declared too.
func (c floatControls) modes() []executionMode {
	var modes []executionMode
	add := func(mode executionMode, has widths, together bool) {
		for i, width := range []uint32{16, 32, 64} {
			if has&width32 != 0 && has&(1<<i) != 0 && (width == 32 || together) {
				mode.width = width
				modes = append(modes, mode)
			}
		}
	}
	add(denormPreserve, c.denormals, c.denormalsTogether)
	add(roundingRTE, c.rounding, c.roundingTogether)
	add(zerosPreserve, c.zeros, false)
	return modes
}

// key identifies the modes in the names of files.
func (c floatControls) key() []byte {
	var key []byte
	for _, mode := range c.modes() {
		key = binary.LittleEndian.AppendUint32(key, mode.mode)
		key = binary.LittleEndian.AppendUint32(key, mode.width)
	}
	return key
}

func (m executionMode) String() string { return fmt.Sprintf("%s %d", m.name, m.width) }
