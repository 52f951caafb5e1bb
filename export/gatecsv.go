package export

import (
	"context"
	"io"
	"slices"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/gate"
)

// gateCSV writes a table of gate courses, in the form of the tables of tracks.
type gateCSV struct{ tableCSV }

// NewGatesCSV writes one row for each real gate: the env, the index of the gate along the course, whether the course is
// valid (1 or 0), and every column of gates. A vector has three fields and a quaternion four: position_x, position_y,
// position_z. Padding has no rows, so a course without gates has none.
func NewGatesCSV(w io.Writer, shape Shape, options ...EncoderOption) (GateEncoder, error) {
	return newGateCSV(w, "gate", shape, options)
}

// NewGateSummaryCSV writes one row for each gate course: the env and every column of one value per env. The column
// reason is empty for a valid course; otherwise it names the tests that the course failed, joined by "|".
func NewGateSummaryCSV(w io.Writer, shape Shape, options ...EncoderOption) (GateEncoder, error) {
	return newGateCSV(w, "", shape, options)
}

func newGateCSV(w io.Writer, index string, shape Shape, options []EncoderOption) (GateEncoder, error) {
	table, err := newTableCSV(w, index, shape, options)
	if err != nil {
		return nil, err
	}
	return &gateCSV{table}, nil
}

// Append implements EncoderOf.
func (c *gateCSV) Append(ctx context.Context, chunk *gate.Batch) error {
	first, err := c.takeGates(chunk)
	if err != nil {
		return err
	}
	columns := slices.DeleteFunc(gateTable(chunk), func(h column.Host) bool {
		return (h.Per != column.Env) != (c.index != "") && h.Name != "valid"
	})
	return c.appendChunk(ctx, gateChunk(chunk, first, columns))
}
