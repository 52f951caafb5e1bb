package export

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// The tables are plain CSV: a header row, commas and line feeds. Only names need quotes (RFC 4180), and only some. A
// number is the shortest decimal that parses to the same float32; computed numbers that are not finite are NaN, +Inf or
// -Inf. A vector has three columns: center_x, center_y, center_z. The first chunk determines the columns of a file.
// Columns that it lacks, such as the crossings of generated tracks and the names of tracks, are left out.

// tableCSV writes a table with one row for each env or for each real element of an env: the points of tracks, the gates
// of courses.
type tableCSV struct {
	sequence
	textBuffer
	index   string        // column of the index of the element; empty for a row for each env
	columns []column.Host // of the first chunk
	named   bool          // the first chunk has names
}

// trackCSV writes a table of tracks.
type trackCSV struct {
	tableCSV
	format string
}

func newTableCSV(w io.Writer, index string, shape Shape, options []EncoderOption) (tableCSV, error) {
	sequence, err := newSequence(shape, options...)
	return tableCSV{sequence: sequence, textBuffer: textBuffer{w: w}, index: index}, err
}

func newTrackCSV(w io.Writer, format, index string, shape Shape, options []EncoderOption) (Encoder, error) {
	table, err := newTableCSV(w, index, shape, options)
	if err != nil {
		return nil, err
	}
	return &trackCSV{tableCSV: table, format: format}, nil
}

// NewPointsCSV writes one row for each real point: the env, its name if the batch has names, the index of the point
// along the track, whether the track is valid (1 or 0), the crossings of a circuit, and every column of points. Padding
// has no rows, so a track without points has none.
func NewPointsCSV(w io.Writer, shape Shape, options ...EncoderOption) (Encoder, error) {
	return newTrackCSV(w, pointsTable, "point", shape, options)
}

// NewSummaryCSV writes one row for each track: the env, its name if the batch has names, and every column of one value
// per env. The column reason is empty for a valid track; otherwise it names the tests that the track failed, joined by
// "|".
func NewSummaryCSV(w io.Writer, shape Shape, options ...EncoderOption) (Encoder, error) {
	return newTrackCSV(w, summaryTable, "", shape, options)
}

// Append implements EncoderOf.
func (c *trackCSV) Append(ctx context.Context, chunk *track.Batch) error {
	first, err := c.take(chunk)
	if err != nil {
		return err
	}
	columns := slices.DeleteFunc(written(Table(chunk)), func(h column.Host) bool { return leavesOut(c.format, h.Column) })
	return c.appendChunk(ctx, trackChunk(chunk, first, columns))
}

// appendChunk appends the rows of a chunk and, before those of the first one, the header row.
func (c *tableCSV) appendChunk(ctx context.Context, chunk textChunk) error {
	if chunk.envs == 0 {
		return nil
	}
	if c.columns == nil {
		c.columns, c.named = chunk.columns, chunk.names != nil
		c.appendHeader()
	}
	if c.named != (chunk.names != nil) {
		return errors.New("export: either all chunks have names or none: this one differs from the first")
	}
	if err := sameColumns(c.columns, chunk.columns); err != nil {
		return err
	}
	for e := range chunk.envs {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows := 1
		if c.index != "" {
			rows = int(chunk.counts[e])
		}
		for i := range rows {
			c.appendRow(&chunk, e, i)
			if err := c.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// appendHeader appends the header row.
func (c *tableCSV) appendHeader() {
	c.text = append(c.text, "env"...)
	if c.named {
		c.text = append(c.text, ","+nameColumn...)
	}
	if c.index != "" {
		c.text = append(append(c.text, ','), c.index...)
	}
	c.text = append(appendColumnsCSV(c.text, c.columns), '\n')
}

// appendRow appends the row of env e or, in a table of elements, of its element i.
func (c *tableCSV) appendRow(chunk *textChunk, e, i int) {
	c.text = appendInt(c.text, c.number(chunk.first+e))
	if c.named {
		c.text = appendTextCSV(append(c.text, ','), chunk.names[e])
	}
	if c.index != "" {
		c.text = appendInt(append(c.text, ','), i)
	}
	for k := range chunk.columns {
		switch h := &chunk.columns[k]; {
		case h.Name == reasonColumn:
			c.text = append(append(c.text, ','), strings.Join(chunk.reasons(e), "|")...)
		case h.Per == column.Env:
			c.text = appendElementCSV(c.text, h, e)
		default:
			c.text = appendElementCSV(c.text, h, e*chunk.stride+i)
		}
	}
	c.text = append(c.text, '\n')
}

// appendColumnsCSV appends the names of columns, with a comma before each field.
func appendColumnsCSV(dst []byte, columns []column.Host) []byte {
	for _, c := range columns {
		if c.Components() == 1 {
			dst = append(append(dst, ','), c.Name...)
			continue
		}
		for _, axis := range axisNames[:c.Components()] {
			dst = append(append(append(dst, ','), c.Name...), axis...)
		}
	}
	return dst
}

// appendTextCSV appends a text, quoted if necessary.
func appendTextCSV(dst []byte, text string) []byte {
	if !strings.ContainsAny(text, "\",;#") && strings.TrimSpace(text) == text {
		return append(dst, text...)
	}
	return append(append(append(dst, '"'), strings.ReplaceAll(text, `"`, `""`)...), '"')
}

// appendElementCSV appends element at of a column, with a comma before each field.
func appendElementCSV(dst []byte, c *column.Host, at int) []byte {
	dst = append(dst, ',')
	switch c.Type {
	case kernel.TypeVec3:
		v := c.Vectors()[at]
		dst = append(appendFloat(dst, v.X), ',')
		dst = append(appendFloat(dst, v.Y), ',')
		return appendFloat(dst, v.Z)
	case kernel.TypeQuat:
		q := c.Quaternions()[at]
		dst = append(appendFloat(dst, q.X), ',')
		dst = append(appendFloat(dst, q.Y), ',')
		dst = append(appendFloat(dst, q.Z), ',')
		return appendFloat(dst, q.W)
	case kernel.Float32:
		return appendFloat(dst, c.Numbers()[at])
	default:
		return appendInt(dst, c.Integer(at))
	}
}

// Finish implements EncoderOf.
func (c *tableCSV) Finish() error {
	if err := c.finish(); err != nil {
		return err
	}
	return c.flushAll()
}
