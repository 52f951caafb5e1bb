package cpu

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// functionsVariable names the environment variable that chooses how kernels run, whatever the options of Open say.
const functionsVariable = "TRACKGEN_CPU"

// Values of the variable.
const (
	goFunctions   = "go"    // the Go functions of kernels
	laneFunctions = "lanes" // machine code for eight lanes, where processor and kernel have it
)

// widthOfAVX2 is the number of lanes of float32 in a register of AVX2.
const widthOfAVX2 = 8

// chooseLanes says whether kernels run in machine code. In debug mode they run in their twins.
func chooseLanes(options backend.Options, variable string, possible bool) (bool, error) {
	scalar := options.Scalar
	switch variable {
	case "":
	case goFunctions:
		scalar = true
	case laneFunctions:
		scalar = false
	default:
		return false, &backend.ArgumentError{Op: "open", Argument: functionsVariable,
			Value: fmt.Sprintf("%q", variable), Allowed: goFunctions + " or " + laneFunctions}
	}
	return possible && !scalar && !options.Debug, nil
}

// lanesOf returns how many items a core runs at a time.
func lanesOf(lanes bool) int {
	if lanes {
		return widthOfAVX2
	}
	return 1
}

// function returns what runs the items of a kernel on this device.
func (d *device) function(def *kernel.Def) function {
	if d.lanes && def.Vector != nil {
		return def.Vector
	}
	return def.Go
}
