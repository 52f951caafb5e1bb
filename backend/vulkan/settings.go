//go:build cgo && (linux || darwin)

package vulkan

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/vulkan/internal/vk"
)

// The environment variables; see the package comment.
const (
	cacheVariable      = "TRACKGEN_VULKAN_CACHE"
	correctedVariable  = "TRACKGEN_VULKAN_CORRECTED"
	inexactVariable    = "TRACKGEN_VULKAN_INEXACT"
	validationVariable = "TRACKGEN_VULKAN_VALIDATION"
	workVariable       = "TRACKGEN_VULKAN_SUBMISSION"
)

// settings holds the values of the environment variables, and overrides for tests.
type settings struct {
	cache      string // directory, empty if off
	corrected  bool
	inexact    bool
	validation bool
	work       float64 // most work of a submission, see device.maxWork; 0 for the default, negative for no limit

	alignment int64                     // minimum alignment of bindings, if larger than the device's own; for tests
	shared    int64                     // shared memory of a workgroup, if less than the device's own; for tests
	lanes     uint32                    // lanes of group kernels, 0 for those of their definitions; for tests
	seedError int32                     // added to the bits of seeds of corrected arithmetic; for tests
	finding   *finding                  // replaces the result of the probe unless nil; for tests
	controls  *floatControls            // replaces what the device says unless nil; for tests
	modules   func(code []byte)         // receives each module as the driver gets it; for tests
	trace     func(*recording, command) // receives each command as it is recorded; for tests

	// submit receives what each submission waits for and signals; another result than success replaces the call; for tests
	submit func(after, value uint64) vk.Result
}

// maxMillions is the maximum of TRACKGEN_VULKAN_SUBMISSION.
const maxMillions = 1_000_000_000

// readSettings reads the environment.
func readSettings() (settings, error) {
	var s settings
	for variable, flag := range map[string]*bool{
		correctedVariable: &s.corrected, inexactVariable: &s.inexact, validationVariable: &s.validation,
	} {
		switch value := os.Getenv(variable); value {
		case "", "0":
		case "1":
			*flag = true
		default:
			return s, &backend.ArgumentError{Op: "environment", Argument: variable, Value: value, Allowed: "0, 1 or nothing"}
		}
	}
	switch value := os.Getenv(workVariable); value {
	case "":
	case "off":
		s.work = -1
	default:
		millions, err := strconv.ParseInt(value, 10, 64)
		if err != nil || millions < 1 || millions > maxMillions {
			return s, &backend.ArgumentError{Op: "environment", Argument: workVariable, Value: value,
				Allowed: fmt.Sprintf("1 to %d (millions of loop iterations) or off", maxMillions)}
		}
		s.work = float64(millions) * 1e6
	}
	switch value := os.Getenv(cacheVariable); value {
	case "off":
	case "":
		if directory, err := os.UserCacheDir(); err == nil { // no home directory: no cache
			s.cache = filepath.Join(directory, "trackgen", "vulkan")
		}
	default:
		s.cache = value
	}
	return s, nil
}
