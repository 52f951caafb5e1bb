package export

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/gate"
)

// GateShapeOf returns the shape of b.
func GateShapeOf(b *gate.Batch) Shape { return Shape{Envs: b.Envs, NMax: b.MaxGates} }

// GateBytes returns the host memory that the columns of a batch of gate courses of this shape need, in bytes.
func (s Shape) GateBytes() int64 { return int64(s.Envs) * bytesPerEnv(gate.Schema.Columns(), s.NMax) }

// gateTable returns the columns of a batch that it has, in the order of tables: as those of tracks (Table).
func gateTable(b *gate.Batch) []column.Host {
	list := written(gate.Schema.Host(&b.HostColumns))
	place := func(c column.Host) int {
		at := slices.Index(leading, c.Name)
		if at < 0 {
			at = len(leading)
		}
		if c.Per != column.Env {
			at += len(leading) + 1
		}
		return at
	}
	slices.SortStableFunc(list, func(a, b column.Host) int { return cmp.Compare(place(a), place(b)) })
	return list
}

// GateReasonNames returns the names of the tests that env e of a batch failed. For a valid course it returns none,
// otherwise at least one: "unknown" if the batch names no test.
func GateReasonNames(b *gate.Batch, e int) []string {
	if b.Valid[e] != 0 {
		return nil
	}
	if names := numberOf(b.Reason, e).Names(); len(names) > 0 {
		return names
	}
	return []string{unknownReason}
}

// takeGates checks the chunk and returns the index of its first env.
func (s *sequence) takeGates(chunk *gate.Batch) (int, error) {
	if err := checkGates(chunk); err != nil {
		return 0, err
	}
	if chunk.MaxGates != s.shape.NMax {
		return 0, fmt.Errorf("export: the chunk stores %d gates per course, the file %d", chunk.MaxGates, s.shape.NMax)
	}
	return s.advance(chunk.Envs)
}

// checkGates checks that no access of this package to b is out of range.
func checkGates(b *gate.Batch) error {
	if b == nil {
		return errors.New("export: the batch is nil")
	}
	if b.Envs < 0 || b.MaxGates < 0 || b.MaxGates > 0 && b.Envs > math.MaxInt/b.MaxGates {
		return fmt.Errorf("export: a batch of %d envs with %d gates each is impossible", b.Envs, b.MaxGates)
	}
	for _, c := range gate.Schema.Host(&b.HostColumns) {
		if c.IsAbsent() && c.Absent != column.Never {
			continue
		}
		if have, want := c.Len(), elements(c.Column, GateShapeOf(b)); int64(have) != want {
			return fmt.Errorf("export: array %s of the batch holds %d elements, expected %d (envs %d, G_max %d)", c.Name, have,
				want, b.Envs, b.MaxGates)
		}
	}
	for e, count := range b.Count {
		if count < 0 || int(count) > b.MaxGates {
			return fmt.Errorf("export: env %d of the batch has a count of %d: must be 0 to G_max (%d)", e, count, b.MaxGates)
		}
		if v := b.Valid[e]; v != 0 && v != 1 {
			return fmt.Errorf("export: env %d of the batch has valid = %d: must be 0 or 1", e, v)
		}
	}
	return nil
}
