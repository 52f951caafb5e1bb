package column

import (
	"math"

	"github.com/trackgen-go/trackgen/backend"
)

// Scale multiplies the lengths among columns by a number above 0, in place. It returns a *backend.ArgumentError for
// another number, with the name of the operation.
func Scale(op string, columns []Host, by float64) error {
	if !(by > 0) || math.IsInf(by, 0) {
		return &backend.ArgumentError{Op: op, Argument: "by", Value: by, Allowed: "a number > 0"}
	}
	factor := float32(by)
	for _, c := range columns {
		if c.Unit != Length {
			continue
		}
		for i := range c.Numbers() {
			c.Numbers()[i] *= factor
		}
		for i, v := range c.Vectors() {
			c.Vectors()[i] = v.Scale(factor)
		}
	}
	return nil
}
