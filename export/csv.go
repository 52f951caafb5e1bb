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

// tableCSV writes a table with one row for each track or for each real point of a track.
type tableCSV struct {
	sequence
	textBuffer
	format  string
	columns []column.Host // of the first chunk
	named   bool          // the first chunk has names
}

func newTableCSV(w io.Writer, format string, shape Shape, options []EncoderOption) (Encoder, error) {
	sequence, err := newSequence(shape, options...)
	if err != nil {
		return nil, err
	}
	return &tableCSV{sequence: sequence, textBuffer: textBuffer{w: w}, format: format}, nil
}

// NewPointsCSV writes one row for each real point: the env, its name if the batch has names, the index of the point
// along the track, whether the track is valid (1 or 0), the crossings of a circuit, and every column of points. Padding
// has no rows, so a track without points has none.
func NewPointsCSV(w io.Writer, shape Shape, options ...EncoderOption) (Encoder, error) {
	return newTableCSV(w, pointsTable, shape, options)
}

// NewSummaryCSV writes one row for each track: the env, its name if the batch has names, and every column of one value
// per env. The column reason is empty for a valid track; otherwise it names the tests that the track failed, joined by
// "|".
func NewSummaryCSV(w io.Writer, shape Shape, options ...EncoderOption) (Encoder, error) {
	return newTableCSV(w, summaryTable, shape, options)
}

// Append implements Encoder.
func (c *tableCSV) Append(ctx context.Context, chunk *track.Batch) error {
	first, err := c.take(chunk)
	if err != nil || chunk.Envs == 0 {
		return err
	}
	columns := slices.DeleteFunc(written(Table(chunk)), func(h column.Host) bool { return leavesOut(c.format, h.Column) })
	if c.columns == nil {
		c.columns, c.named = columns, chunk.Names != nil
		c.text = appendHeaderCSV(c.text, c.format, c.named, columns)
	}
	if c.named != (chunk.Names != nil) {
		return errors.New("export: either all chunks have names or none: this one differs from the first")
	}
	if err := sameColumns(c.columns, columns); err != nil {
		return err
	}
	for e := range chunk.Envs {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows := 1
		if c.format == pointsTable {
			rows = int(chunk.Count[e])
		}
		for i := range rows {
			c.text = appendInt(c.text, c.number(first+e))
			if c.named {
				c.text = appendTextCSV(append(c.text, ','), chunk.Names[e])
			}
			if c.format == pointsTable {
				c.text = appendInt(append(c.text, ','), i)
			}
			for k := range columns {
				c.text = appendFieldsCSV(c.text, &columns[k], chunk, e, i)
			}
			c.text = append(c.text, '\n')
			if err := c.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// appendHeaderCSV appends the header row.
func appendHeaderCSV(dst []byte, format string, named bool, columns []column.Host) []byte {
	dst = append(dst, "env"...)
	if named {
		dst = append(dst, ","+nameColumn...)
	}
	if format == pointsTable {
		dst = append(dst, ",point"...)
	}
	return append(appendColumnsCSV(dst, columns), '\n')
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

// appendFieldsCSV appends the value of a column for env e or for its point i, with a comma before each field.
func appendFieldsCSV(dst []byte, c *column.Host, b *track.Batch, e, i int) []byte {
	at := e
	if c.Per == column.Point {
		at = e*b.NMax + i
	}
	if c.Name == reasonColumn {
		return append(append(dst, ','), strings.Join(ReasonNames(b, e), "|")...)
	}
	return appendElementCSV(dst, c, at)
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

// Finish implements Encoder.
func (c *tableCSV) Finish() error {
	if err := c.finish(); err != nil {
		return err
	}
	return c.flushAll()
}
