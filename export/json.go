package export

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// JSON has no NaN and no infinities: computed numbers that are not finite are written as null.

// envsJSON writes an object with the metadata, a list of one line for each env, and the summary.
type envsJSON struct {
	sequence
	textBuffer
	before string // separator before the next env
}

type tracksJSON struct {
	envsJSON
	summary Summarizer
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
	out, err := newEnvsJSON(w, shape, metadata.forShape(shape), "n_max", "tracks", options)
	if err != nil {
		return nil, err
	}
	return &tracksJSON{envsJSON: out}, nil
}

// newEnvsJSON starts an object. most is the name of its member with the largest number of elements of an env, and envs
// that of its list.
func newEnvsJSON(w io.Writer, shape Shape, metadata json.Marshaler, most, envs string, options []EncoderOption) (
	envsJSON, error) {
	sequence, err := newSequence(shape, options...)
	if err != nil {
		return envsJSON{}, err
	}
	madeBy, err := json.Marshal(metadata)
	if err != nil {
		return envsJSON{}, err
	}
	text := fmt.Appendf(nil, "{\"made_by\": %s, %q: %d,\n%q: [", madeBy, most, shape.NMax, envs)
	return envsJSON{sequence: sequence, textBuffer: textBuffer{w: w, text: text}, before: "\n"}, nil
}

// Append implements EncoderOf.
func (j *tracksJSON) Append(ctx context.Context, chunk *track.Batch) error {
	first, err := j.take(chunk)
	if err != nil {
		return err
	}
	if err := j.summary.Add(chunk); err != nil {
		return err
	}
	return j.appendChunk(ctx, trackChunk(chunk, first, written(Table(chunk))))
}

// appendChunk appends the envs of a chunk.
func (j *envsJSON) appendChunk(ctx context.Context, chunk textChunk) error {
	for e := range chunk.envs {
		if err := ctx.Err(); err != nil {
			return err
		}
		j.text = append(j.text, j.before...)
		j.before = ",\n"
		j.text = appendInt(append(j.text, `{"env": `...), j.number(chunk.first+e))
		if chunk.names != nil {
			j.text = appendNameJSON(j.text, chunk.names[e])
		}
		for _, c := range chunk.columns {
			j.text = chunk.appendColumnJSON(appendKeyJSON(j.text, c), c, e)
		}
		j.text = append(j.text, '}')
		if err := j.flush(); err != nil {
			return err
		}
	}
	return nil
}

// appendColumnJSON appends the value of a column for env e, or the list of the values of its elements.
func (t *textChunk) appendColumnJSON(dst []byte, c column.Host, e int) []byte {
	if c.Per == column.Env {
		return appendValueJSON(dst, c, t.reasons, e, 1)
	}
	dst = append(dst, '[')
	for i := range int(t.counts[e]) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendElementJSON(dst, c, e*t.stride+i)
	}
	return append(dst, ']')
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

// appendNameJSON appends a name as the next member of an object, unless it is empty.
func appendNameJSON(dst []byte, name string) []byte {
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

// appendValueJSON appends the value of a column for env e, whose failed tests reasons returns. It multiplies lengths by
// scale.
func appendValueJSON(dst []byte, c column.Host, reasons func(e int) []string, e int, scale float64) []byte {
	switch {
	case c.Name == reasonColumn:
		return appendReasonsJSON(dst, reasons(e))
	case c.Name == "valid":
		return strconv.AppendBool(dst, c.Integer(e) != 0)
	case c.Type == kernel.Float32 && c.Unit == column.Length:
		return appendNumberOrNull(dst, float32(float64(c.Numbers()[e])*scale))
	default:
		return appendElementJSON(dst, c, e)
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

// Finish implements EncoderOf.
func (j *tracksJSON) Finish() error { return j.finish(j.summary.Summary()) }

// finish appends the summary and writes what is left.
func (j *envsJSON) finish(summary any) error {
	if err := j.sequence.finish(); err != nil {
		return err
	}
	text, err := json.Marshal(summary)
	if err != nil {
		return err
	}
	j.text = append(append(append(j.text, "\n],\n\"summary\": "...), text...), "}\n"...)
	return j.flushAll()
}

// appendNumberOrNull appends v as JSON: null if v is not finite.
func appendNumberOrNull(dst []byte, v float32) []byte {
	if !finite(v) {
		return append(dst, "null"...)
	}
	return appendFloat(dst, v)
}
