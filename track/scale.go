package track

import (
	"math"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
)

// Scale multiplies all lengths of the batch by a number above 0, in place, such as to make metres of track units. It
// returns a *backend.ArgumentError for another number.
func (b *Batch) Scale(by float64) error {
	if !(by > 0) || math.IsInf(by, 0) {
		return &backend.ArgumentError{Op: "track: scale", Argument: "by", Value: by, Allowed: "a number > 0"}
	}
	factor := float32(by)
	for _, c := range Schema.Host(&b.HostColumns) {
		if c.Unit != column.Length {
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
