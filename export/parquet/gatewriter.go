package parquet

import (
	"context"
	"io"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
)

// gateLeaves are the columns of a data set of gate courses, in order.
var gateLeaves = newGateLeaves()

func newGateLeaves() []leaf {
	list := []leaf{
		{name: "env", node: parquet.Leaf(parquet.Int32Type), of: ofEnv},
		{name: "gate", node: parquet.Optional(parquet.Leaf(parquet.Int32Type)), of: ofGate},
	}
	for i, h := range export.GateTable(new(gate.Batch)) {
		if h.Per == column.Env {
			list = append(list, leaf{name: h.Name, node: envNode(h.Column), of: i})
			continue
		}
		for axis := range h.Components() {
			list = append(list, leaf{name: gateColumn(h.Column, axis), of: i, axis: axis,
				node: parquet.Optional(parquet.Leaf(parquet.FloatType))})
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
	file     *file
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
	out, err := newFile(w, newSchema(gateLeaves), NewGateHash(), metadata, metadata.Version)
	if err != nil {
		return nil, err
	}
	out.writer.SetKeyValueMetadata(MaxGatesKey, strconv.Itoa(shape.NMax))
	return &gateEncoder{sequence: sequence, file: out}, nil
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
		e.file.addSource(integerOf(chunk.Seed, i), integerOf(chunk.Epoch, i))
		for g := range max(1, int(chunk.Count[i])) {
			e.file.row = appendGateRow(e.file.row[:0], columns, chunk, i, g, int32(env))
			if err := e.file.writeRow(env); err != nil {
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
	return e.file.finish()
}

// appendGateRow appends gate g of env e of a batch to an empty row; env is its number in the file. If the env has no
// gates, it appends the env alone.
func appendGateRow(row parquet.Row, columns []column.Host, b *gate.Batch, e, g int, env int32) parquet.Row {
	none := b.Count[e] == 0
	for i, l := range gateLeaves {
		value, level := parquet.NullValue(), 0
		switch {
		case l.of == ofEnv:
			value = parquet.Int32Value(env)
		case l.of == ofGate && !none:
			value, level = parquet.Int32Value(int32(g)), valuePresent
		case l.of == ofGate:
		case columns[l.of].Per == column.Env:
			value = gateEnvValue(columns[l.of], b, e)
		case !none:
			if v := componentOf(columns[l.of], e*b.MaxGates+g, l.axis); v-v == 0 {
				value, level = parquet.FloatValue(v), valuePresent
			}
		}
		row = append(row, value.Level(0, level, i))
	}
	return row
}

// gateEnvValue returns the value of a column of whole numbers for env e.
func gateEnvValue(c column.Host, b *gate.Batch, e int) parquet.Value {
	switch c.Name {
	case validColumn:
		return parquet.BooleanValue(c.Integer(e) != 0)
	case reasonColumn:
		return parquet.ByteArrayValue([]byte(strings.Join(export.GateReasonNames(b, e), "|")))
	}
	return parquet.Int32Value(c.Integer(e))
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
