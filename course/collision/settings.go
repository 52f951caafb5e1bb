package collision

import (
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
)

// Limits of settings.
const (
	maxItems  = 65536 // boxes or agents of an env
	maxLength = 1e6   // track units
)

// checkItems refuses a number of boxes, or agents, of an env that is out of range.
func checkItems(field string, n int) error {
	if n >= 0 && n <= maxItems {
		return nil
	}
	return &config.Error{Field: field, Value: fmt.Sprint(n),
		Allowed: fmt.Sprintf("a whole number >= 1 and <= %d, or 0 for 1", maxItems)}
}

// checkLength refuses a length that is not above 0, or out of range.
func checkLength(field string, length float64) error {
	if length >= math.SmallestNonzeroFloat32 && length <= maxLength { // false for a NaN
		return nil
	}
	return &config.Error{Field: field, Value: config.Text(length),
		Allowed: fmt.Sprintf("a number > 0 and <= %d", int(maxLength))}
}

// checkRoom refuses more boxes, or agents, in all envs than the arrays of a checker may have. Packed arrays have at
// most four columns of one type.
func checkRoom(field string, envs, perEnv int) error {
	const columns = 4
	if int64(envs)*int64(perEnv)*columns <= exec.MaxElements {
		return nil
	}
	return &config.Error{Field: field, Value: fmt.Sprint(perEnv),
		Allowed: fmt.Sprintf("at most %d for %d envs", exec.MaxElements/columns/envs, envs)}
}

// orOne returns a number of boxes or agents, for which 0 stands for 1.
func orOne(n int) int { return max(1, n) }
