package track

import (
	"fmt"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/kernel"
)

// CheckNumbers returns an error for the first number of a batch that no generation and no import makes, on any device
// and with any settings (docs/results.md): a number of an env or of a real point that is not finite, or padding that is
// neither finite nor a NaN with the bits kernel.NaNBits. It also returns one for an env that is valid and has a reason,
// or is not valid and has none, and for a count that does not fit. Batches that were read from files of other programs
// may have such numbers.
func (b *Batch) CheckNumbers() error {
	for e := range b.Envs {
		if valid, reason := b.Valid[e], b.Reason[e]; valid != 0 && valid != 1 || (valid == 1) != (reason == 0) {
			return fmt.Errorf("env %d: valid is %d and reason is %d", e, valid, int32(reason))
		}
		if count := b.Count[e]; count < 0 || int(count) > b.NMax || count == 0 && b.Valid[e] == 1 {
			return fmt.Errorf("env %d: count is %d of %d points, and valid is %d", e, count, b.NMax, b.Valid[e])
		}
	}
	for _, c := range Schema.Host(&b.HostColumns) {
		if c.IsAbsent() || c.Type != kernel.Float32 && c.Type != kernel.TypeVec3 {
			continue
		}
		stride := c.Len() / b.Envs
		for e := range b.Envs {
			realPoints := 0
			switch c.Per {
			case column.Env:
				realPoints = 1
			case column.Point:
				realPoints = int(b.Count[e])
			}
			for i := range stride {
				if err := c.CheckNumber(e*stride+i, i < realPoints); err != nil {
					return fmt.Errorf("env %d, point %d of %d: %w", e, i, realPoints, err)
				}
			}
		}
	}
	return nil
}
