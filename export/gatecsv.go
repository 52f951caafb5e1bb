package export

import (
	"context"
	"io"
	"strings"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/gate"
)

// gateCSV writes a table with one row for each gate course or for each real gate of a course, in the form of the tables
// of tracks.
type gateCSV struct {
	sequence
	textBuffer
	perGate bool
	columns []column.Host // of the first chunk
}

// NewGatesCSV writes one row for each real gate: the env, the index of the gate along the course, whether the course is
// valid (1 or 0), and every column of gates. A vector has three fields and a quaternion four: position_x, position_y,
// position_z. Padding has no rows, so a course without gates has none.
func NewGatesCSV(w io.Writer, shape Shape, options ...EncoderOption) (GateEncoder, error) {
	return newGateCSV(w, shape, true, options)
}

// NewGateSummaryCSV writes one row for each gate course: the env and every column of one value per env. The column
// reason is empty for a valid course; otherwise it names the tests that the course failed, joined by "|".
func NewGateSummaryCSV(w io.Writer, shape Shape, options ...EncoderOption) (GateEncoder, error) {
	return newGateCSV(w, shape, false, options)
}

func newGateCSV(w io.Writer, shape Shape, perGate bool, options []EncoderOption) (GateEncoder, error) {
	sequence, err := newSequence(shape, options...)
	if err != nil {
		return nil, err
	}
	return &gateCSV{sequence: sequence, textBuffer: textBuffer{w: w}, perGate: perGate}, nil
}

// Append implements EncoderOf.
func (c *gateCSV) Append(ctx context.Context, chunk *gate.Batch) error {
	first, err := c.takeGates(chunk)
	if err != nil || chunk.Envs == 0 {
		return err
	}
	columns := c.chosen(chunk)
	if c.columns == nil {
		c.columns = columns
		c.text = append(c.text, "env"...)
		if c.perGate {
			c.text = append(c.text, ",gate"...)
		}
		c.text = append(appendColumnsCSV(c.text, columns), '\n')
	}
	if err := sameColumns(c.columns, columns); err != nil {
		return err
	}
	for e := range chunk.Envs {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows := 1
		if c.perGate {
			rows = int(chunk.Count[e])
		}
		for i := range rows {
			c.appendRow(columns, chunk, first, e, i)
			if err := c.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// chosen returns the columns of a chunk that the table has.
func (c *gateCSV) chosen(chunk *gate.Batch) (list []column.Host) {
	for _, h := range gateTable(chunk) {
		if (h.Per != column.Env) == c.perGate || h.Name == "valid" {
			list = append(list, h)
		}
	}
	return list
}

// appendRow appends the row of env e, or of its gate i. first is the index of the first env of the chunk.
func (c *gateCSV) appendRow(columns []column.Host, chunk *gate.Batch, first, e, i int) {
	c.text = appendInt(c.text, c.number(first+e))
	if c.perGate {
		c.text = appendInt(append(c.text, ','), i)
	}
	for k := range columns {
		switch h := &columns[k]; {
		case h.Name == reasonColumn:
			c.text = append(append(c.text, ','), strings.Join(GateReasonNames(chunk, e), "|")...)
		case h.Per == column.Env:
			c.text = appendElementCSV(c.text, h, e)
		default:
			c.text = appendElementCSV(c.text, h, e*chunk.MaxGates+i)
		}
	}
	c.text = append(c.text, '\n')
}

// Finish implements EncoderOf.
func (c *gateCSV) Finish() error {
	if err := c.finish(); err != nil {
		return err
	}
	return c.flushAll()
}
