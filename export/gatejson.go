package export

import (
	"context"
	"encoding/json"
	"io"
	"strconv"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/gate"
)

type coursesJSON struct {
	sequence
	textBuffer
	summary GateSummarizer
	before  string // separator before the next course
}

// NewCoursesJSON writes an object with the metadata, G_max, every gate course and the summary:
//
//	{"made_by": {GateMetadata}, "max_gates": 32,
//	"courses": [
//	{"env": 0, "seed": 0, "epoch": 0, "valid": true, "reasons": [], "count": 11, "frame_fallbacks": 0, ...
//	 "position": [[x, y, z], ...], ..., "orientation": [[x, y, z, w], ...], "half_size": [...]},
//	...
//	],
//	"summary": {GateSummary}}
//
// Each course is one line and has only its real gates. Its members are the columns of docs/gates.md under their names.
// Two differ: the column reason becomes reasons, a list of names, and valid becomes a boolean.
func NewCoursesJSON(w io.Writer, shape Shape, metadata GateMetadata, options ...EncoderOption) (GateEncoder, error) {
	sequence, err := newSequence(shape, options...)
	if err != nil {
		return nil, err
	}
	madeBy, err := json.Marshal(metadata.forShape(shape))
	if err != nil {
		return nil, err
	}
	out := &coursesJSON{sequence: sequence, textBuffer: textBuffer{w: w}, before: "\n"}
	out.text = append(append(out.text, `{"made_by": `...), madeBy...)
	out.text = appendInt(append(out.text, `, "max_gates": `...), shape.NMax)
	out.text = append(out.text, ",\n\"courses\": ["...)
	return out, nil
}

// Append implements EncoderOf.
func (j *coursesJSON) Append(ctx context.Context, chunk *gate.Batch) error {
	first, err := j.takeGates(chunk)
	if err != nil {
		return err
	}
	if err := j.summary.Add(chunk); err != nil {
		return err
	}
	columns := gateTable(chunk)
	for e := range chunk.Envs {
		if err := ctx.Err(); err != nil {
			return err
		}
		j.text = append(j.text, j.before...)
		j.before = ",\n"
		j.text = appendInt(append(j.text, `{"env": `...), j.number(first+e))
		for _, c := range columns {
			j.text = appendKeyJSON(j.text, c)
			j.text = appendGateColumnJSON(j.text, c, chunk, e)
		}
		j.text = append(j.text, '}')
		if err := j.flush(); err != nil {
			return err
		}
	}
	return nil
}

// appendGateColumnJSON appends the value of a column for env e, or the list of the values of its gates.
func appendGateColumnJSON(dst []byte, c column.Host, b *gate.Batch, e int) []byte {
	switch {
	case c.Name == reasonColumn:
		return appendReasonsJSON(dst, GateReasonNames(b, e))
	case c.Name == "valid":
		return strconv.AppendBool(dst, c.Integer(e) != 0)
	case c.Per == column.Env:
		return appendElementJSON(dst, c, e)
	}
	dst = append(dst, '[')
	for i := range int(b.Count[e]) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendElementJSON(dst, c, e*b.MaxGates+i)
	}
	return append(dst, ']')
}

// Finish implements EncoderOf.
func (j *coursesJSON) Finish() error {
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
