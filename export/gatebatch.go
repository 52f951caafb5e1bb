package export

import (
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/gate"
)

// GateShapeOf returns the shape of b.
func GateShapeOf(b *gate.Batch) Shape { return Shape{Envs: b.Envs, NMax: b.MaxGates} }

// GateBytes returns the host memory that the columns of a batch of gate courses of this shape need, in bytes.
func (s Shape) GateBytes() int64 { return s.BytesOf(gate.Schema.Columns()) }

// GateTable returns the columns of a batch in the order of tables, as Table does for tracks.
func GateTable(b *gate.Batch) []column.Host {
	return inTableOrder(gate.Schema.Host(&b.HostColumns))
}

// gateTable returns the columns in GateTable that a file contains.
func gateTable(b *gate.Batch) []column.Host { return written(GateTable(b)) }

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
	return batchLayout{GateShapeOf(b), "gates", "G_max"}.check(gate.Schema.Host(&b.HostColumns), b.Count, b.Valid)
}
