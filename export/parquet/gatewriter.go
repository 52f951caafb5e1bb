package parquet

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
)

// gateLeaves are the columns of a data set of gate courses, in order.
var gateLeaves = newGateLeaves()

func newGateLeaves() []leaf {
	list := []leaf{{name: "env", of: ofEnv}, {name: "gate", of: ofGate, optional: true}}
	for i, h := range export.GateTable(new(gate.Batch)) {
		if h.Per == column.Env {
			list = append(list, envLeaf(h.Column, i))
			continue
		}
		for axis := range h.Components() {
			list = append(list, leaf{name: gateColumn(h.Column, axis), kind: number, of: i, axis: axis, optional: true})
		}
	}
	return list
}

// gateColumn returns the name of the column of a component: position_x.
func gateColumn(c column.Column, axis int) string {
	if c.Components() == 1 {
		return c.Name
	}
	return c.Name + "_" + "xyzw"[axis:axis+1]
}

// gateEncoder implements export.GateEncoder.
type gateEncoder struct {
	sequence *export.Sequence
	out      *output
}

// NewGateEncoder writes a batch of gate courses as one Parquet file with a row for each gate, as NewEncoder does for
// tracks. A course without gates has one row, without a gate.
func NewGateEncoder(w io.Writer, shape export.Shape, metadata export.GateMetadata,
	options ...export.EncoderOption) (export.GateEncoder, error) {
	sequence, err := export.NewSequence(shape, options...)
	if err != nil {
		return nil, err
	}
	metadata.Config.NumEnvs = shape.Envs
	out, err := newOutput(w, Layout{}.Resolved(), gateLeaves, NewGateHash(), metadata, metadata.Version)
	if err != nil {
		return nil, err
	}
	if err := out.file.footer.AppendKeyValueMetadata(MaxGatesKey, strconv.Itoa(shape.NMax)); err != nil {
		return nil, fmt.Errorf("parquet: %s: %w", MaxGatesKey, err)
	}
	return &gateEncoder{sequence: sequence, out: out}, nil
}

// Append implements export.GateEncoder.
func (e *gateEncoder) Append(ctx context.Context, chunk *gate.Batch) error {
	first, err := e.sequence.TakeGates(chunk)
	if err != nil {
		return err
	}
	columns := export.GateTable(chunk)
	for i := range chunk.Envs {
		if err := ctx.Err(); err != nil {
			return err
		}
		env := e.sequence.Number(first + i)
		e.out.addSource(integerOf(chunk.Seed, i), integerOf(chunk.Epoch, i))
		for g := range max(1, int(chunk.Count[i])) {
			e.out.sheet.addGate(columns, chunk, i, g, int32(env))
			if err := e.out.endRow(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Finish implements export.GateEncoder.
func (e *gateEncoder) Finish() error {
	if err := e.sequence.Finish(); err != nil {
		return err
	}
	return e.out.finish()
}

// addGate adds gate g of env e of a batch as the next row; env is its number in the file. If the env has no gates, it
// adds the env alone.
func (s *sheet) addGate(columns []column.Host, b *gate.Batch, e, g int, env int32) {
	none := b.Count[e] == 0
	for i := range s.columns {
		l := s.columns[i].leaf
		switch {
		case l.of == ofEnv:
			s.addInteger(i, env)
		case l.of != ofGate && columns[l.of].Per == column.Env:
			s.addEnvValue(i, columns[l.of], e, func() []string { return export.GateReasonNames(b, e) })
		case none:
			s.addNull(i)
		case l.of == ofGate:
			s.addInteger(i, int32(g))
		default:
			s.addNumber(i, componentOf(columns[l.of], e*b.MaxGates+g, l.axis))
		}
	}
	s.rows++
}

// componentOf returns a component of element k of a column.
func componentOf(c column.Host, k, axis int) float32 {
	switch c.Type {
	case kernel.TypeVec3:
		v := c.Vectors()[k]
		return [...]float32{v.X, v.Y, v.Z}[axis]
	case kernel.TypeQuat:
		q := c.Quaternions()[k]
		return [...]float32{q.X, q.Y, q.Z, q.W}[axis]
	}
	return c.Numbers()[k]
}
