package export

import (
	"context"
	"encoding/json"
	"io"
	"strconv"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// JSON has no NaN and no infinities: computed numbers that are not finite are written as null.

type tracksJSON struct {
	sequence
	textBuffer
	summary Summarizer
	before  string // separator before the next track
}

// NewTracksJSON writes an object with the metadata, N_max, every track and the summary:
//
//	{"made_by": {Metadata}, "n_max": 384,
//	"tracks": [
//	{"env": 0, "seed": 0, "epoch": 0, "valid": true, "reasons": [], "count": 107, "length": 6.3, "winding": -1, ...
//	 "center": [[x, y, z], ...], "outer": ..., "arclen": [...], ...},
//	...
//	],
//	"summary": {Summary}}
//
// Each track is one line and has only its real points. Its members are its name, if it has one, and the columns of
// docs/results.md that the batch has, under their names. Two differ: the column reason becomes reasons, a list of
// names, and valid becomes a boolean.
func NewTracksJSON(w io.Writer, shape Shape, metadata Metadata, options ...EncoderOption) (Encoder, error) {
	sequence, err := newSequence(shape, options...)
	if err != nil {
		return nil, err
	}
	madeBy, err := json.Marshal(metadata.forShape(shape))
	if err != nil {
		return nil, err
	}
	out := &tracksJSON{sequence: sequence, textBuffer: textBuffer{w: w}, before: "\n"}
	out.text = append(append(out.text, `{"made_by": `...), madeBy...)
	out.text = appendInt(append(out.text, `, "n_max": `...), shape.NMax)
	out.text = append(out.text, ",\n\"tracks\": ["...)
	return out, nil
}

// Append implements Encoder.
func (j *tracksJSON) Append(ctx context.Context, chunk *track.Batch) error {
	first, err := j.take(chunk)
	if err != nil {
		return err
	}
	if err := j.summary.Add(chunk); err != nil {
		return err
	}
	columns := written(Table(chunk))
	for e := range chunk.Envs {
		if err := ctx.Err(); err != nil {
			return err
		}
		j.text = append(j.text, j.before...)
		j.before = ",\n"
		j.text = appendTrackJSON(j.text, columns, chunk, e, j.number(first+e))
		if err := j.flush(); err != nil {
			return err
		}
	}
	return nil
}

// appendTrackJSON appends one track as one line.
func appendTrackJSON(dst []byte, columns []column.Host, b *track.Batch, e, env int) []byte {
	dst = appendInt(append(dst, `{"env": `...), env)
	dst = appendNameJSON(dst, b, e)
	for _, c := range columns {
		dst = appendKeyJSON(dst, c)
		if c.Per == column.Env {
			dst = appendValueJSON(dst, c, b, e, 1)
			continue
		}
		dst = append(dst, '[')
		for i := range int(b.Count[e]) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendElementJSON(dst, c, e*b.NMax+i)
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// appendElementJSON appends element at of a column; a vector is a list.
func appendElementJSON(dst []byte, c column.Host, at int) []byte {
	switch c.Type {
	case kernel.TypeVec3:
		v := c.Vectors()[at]
		dst = appendNumberOrNull(append(dst, '['), v.X)
		dst = appendNumberOrNull(append(dst, ','), v.Y)
		return append(appendNumberOrNull(append(dst, ','), v.Z), ']')
	case kernel.TypeQuat:
		q := c.Quaternions()[at]
		dst = appendNumberOrNull(append(dst, '['), q.X)
		dst = appendNumberOrNull(append(dst, ','), q.Y)
		dst = appendNumberOrNull(append(dst, ','), q.Z)
		return append(appendNumberOrNull(append(dst, ','), q.W), ']')
	case kernel.Float32:
		return appendNumberOrNull(dst, c.Numbers()[at])
	default:
		return appendInt(dst, c.Integer(at))
	}
}

// appendNameJSON appends the name of env e as the next member of an object, if it has one.
func appendNameJSON(dst []byte, b *track.Batch, e int) []byte {
	name := b.Name(e)
	if name == "" {
		return dst
	}
	text, _ := json.Marshal(name) // a string can always be encoded
	return append(append(dst, `, "`+nameColumn+`": `...), text...)
}

// appendKeyJSON appends the name of a column as the next key of an object.
func appendKeyJSON(dst []byte, c column.Host) []byte {
	dst = append(append(dst, `, "`...), c.Name...)
	if c.Name == reasonColumn {
		dst = append(dst, 's')
	}
	return append(dst, `": `...)
}

// appendValueJSON appends the value of a column for env e. It multiplies lengths by scale.
func appendValueJSON(dst []byte, c column.Host, b *track.Batch, e int, scale float64) []byte {
	switch {
	case c.Name == reasonColumn:
		return appendReasonsJSON(dst, ReasonNames(b, e))
	case c.Name == "valid":
		return strconv.AppendBool(dst, c.Integer(e) != 0)
	case c.Type == kernel.Float32 && c.Unit == column.Length:
		return appendNumberOrNull(dst, float32(float64(c.Numbers()[e])*scale))
	case c.Type == kernel.Float32:
		return appendNumberOrNull(dst, c.Numbers()[e])
	default:
		return appendInt(dst, c.Integer(e))
	}
}

// appendReasonsJSON appends the names of failed tests as a list.
func appendReasonsJSON(dst []byte, names []string) []byte {
	dst = append(dst, '[')
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), name...), '"') // the names need no escaping
	}
	return append(dst, ']')
}

// Finish implements Encoder.
func (j *tracksJSON) Finish() error {
	if err := j.finish(); err != nil {
		return err
	}
	summary, err := json.Marshal(j.summary.Summary())
	if err != nil {
		return err
	}
	j.text = append(append(append(j.text, "\n],\n\"summary\": "...), summary...), "}\n"...)
	return j.flushAll()
}

// appendNumberOrNull appends v as JSON: null if v is not finite.
func appendNumberOrNull(dst []byte, v float32) []byte {
	if !finite(v) {
		return append(dst, "null"...)
	}
	return appendFloat(dst, v)
}
