//go:build cgo && linux

package vulkan

import (
	"os"
	"path/filepath"

	"github.com/trackgen-go/trackgen/backend"
)

// The environment variables; see the package comment.
const (
	cacheVariable      = "TRACKGEN_VULKAN_CACHE"
	correctedVariable  = "TRACKGEN_VULKAN_CORRECTED"
	inexactVariable    = "TRACKGEN_VULKAN_INEXACT"
	validationVariable = "TRACKGEN_VULKAN_VALIDATION"
)

// settings holds the values of the environment variables, and overrides for tests.
type settings struct {
	cache      string // directory, empty if off
	corrected  bool
	inexact    bool
	validation bool

	alignment int64                     // minimum alignment of bindings, if larger than the device's own; for tests
	shared    int64                     // shared memory of a workgroup, if less than the device's own; for tests
	lanes     uint32                    // lanes of group kernels, 0 for those of their definitions; for tests
	finding   *finding                  // replaces the result of the probe unless nil; for tests
	trace     func(*recording, command) // receives each command as it is recorded; for tests
	submitted func(after, value uint64) // receives what each submission waits for and signals; for tests
}

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
