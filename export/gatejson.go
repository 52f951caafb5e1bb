package export

import (
	"context"
	"io"

	"github.com/trackgen-go/trackgen/gate"
)

type coursesJSON struct {
	envsJSON
	summary GateSummarizer
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
	out, err := newEnvsJSON(w, shape, metadata.forShape(shape), "max_gates", "courses", options)
	if err != nil {
		return nil, err
	}
	return &coursesJSON{envsJSON: out}, nil
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
	return j.appendChunk(ctx, gateChunk(chunk, first, gateTable(chunk)))
}

// Finish implements EncoderOf.
func (j *coursesJSON) Finish() error { return j.finish(j.summary.Summary()) }
