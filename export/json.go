package export

import (
	"context"
	"encoding/json"
	"io"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// JSON has no NaN and no infinity: where a computed number is not finite it is null.

type tracksJSON struct {
	sequence
	textBuffer
	summary Summarizer
	before  string // what separates the next track from the last
}

// NewTracksJSON writes an object with the metadata, N_max, every track and the summary:
//
//	{"made_by": {Metadata}, "n_max": 384,
//	"tracks": [
//	{"env": 0, "seed": 0, "epoch": 0, "candidate": 0, "component": 0, "valid": true, "reasons": [], "count": 107, "length": 6.3, "winding": -1,
//	 "center": [[x, y, z], ...], "outer": ..., "inner": ..., "tangent": ..., "normal": ..., "arclen": [...]},
//	...
//	],
//	"summary": {Summary}}
//
// with one line a track and real points only.
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
	for e := range chunk.Envs {
		if err := ctx.Err(); err != nil {
			return err
		}
		j.text = append(j.text, j.before...)
		j.before = ",\n"
		if j.text, err = appendTrackJSON(j.text, chunk, e, j.number(first+e)); err != nil {
			return err
		}
		if err := j.flush(); err != nil {
			return err
		}
	}
	return nil
}

// appendTrackJSON appends one track, on one line.
func appendTrackJSON(dst []byte, b *track.Batch, e, env int) ([]byte, error) {
	reasons, err := json.Marshal(append([]string{}, reasonNames(b, e)...))
	if err != nil {
		return dst, err
	}
	dst = appendInt(append(dst, `{"env": `...), env)
	dst = appendInt(append(dst, `, "seed": `...), b.Seeds[e])
	dst = appendInt(append(dst, `, "epoch": `...), b.Epochs[e])
	dst = appendInt(append(dst, `, "candidate": `...), numberOf(b.Candidates, e))
	dst = appendInt(append(dst, `, "component": `...), numberOf(b.Components, e))
	if b.Valid[e] != 0 {
		dst = append(dst, `, "valid": true, "reasons": `...)
	} else {
		dst = append(dst, `, "valid": false, "reasons": `...)
	}
	dst = append(dst, reasons...)
	dst = appendInt(append(dst, `, "count": `...), b.Count[e])
	dst = appendNumberOrNull(append(dst, `, "length": `...), b.Length[e])
	dst = appendNumberOrNull(append(dst, `, "winding": `...), b.Winding[e])
	for _, array := range []struct {
		key    string
		points []kernel.Vec3
	}{{"center", b.Center}, {"outer", b.Outer}, {"inner", b.Inner}, {"tangent", b.Tangent}, {"normal", b.Normal}} {
		dst = append(append(append(dst, `, "`...), array.key...), `": [`...)
		for i, p := range b.Points(array.points, e) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendNumberOrNull(append(dst, '['), p.X)
			dst = appendNumberOrNull(append(dst, ','), p.Y)
			dst = appendNumberOrNull(append(dst, ','), p.Z)
			dst = append(dst, ']')
		}
		dst = append(dst, ']')
	}
	dst = append(dst, `, "arclen": [`...)
	for i, s := range b.Arclen[e*b.NMax : e*b.NMax+int(b.Count[e])] {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendNumberOrNull(dst, s)
	}
	return append(dst, "]}"...), nil
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

type summaryJSON struct {
	sequence
	w       io.Writer
	madeBy  json.RawMessage
	summary Summarizer
}

// NewSummaryJSON writes an indented object with the metadata and the summary alone: {"made_by": {Metadata}, "summary":
// {Summary}}.
func NewSummaryJSON(w io.Writer, shape Shape, metadata Metadata) (Encoder, error) {
	sequence, err := newSequence(shape)
	if err != nil {
		return nil, err
	}
	madeBy, err := json.Marshal(metadata.forShape(shape))
	if err != nil {
		return nil, err
	}
	return &summaryJSON{sequence: sequence, w: w, madeBy: madeBy}, nil
}

// Append implements Encoder.
func (j *summaryJSON) Append(_ context.Context, chunk *track.Batch) error {
	if _, err := j.take(chunk); err != nil {
		return err
	}
	return j.summary.Add(chunk)
}

// Finish implements Encoder.
func (j *summaryJSON) Finish() error {
	if err := j.finish(); err != nil {
		return err
	}
	text, err := json.MarshalIndent(struct {
		MadeBy  json.RawMessage `json:"made_by"`
		Summary Summary         `json:"summary"`
	}{j.madeBy, j.summary.Summary()}, "", "  ")
	if err != nil {
		return err
	}
	_, err = j.w.Write(append(text, '\n'))
	return err
}

// appendNumberOrNull appends v as JSON has it.
func appendNumberOrNull(dst []byte, v float32) []byte {
	if !finite(v) {
		return append(dst, "null"...)
	}
	return appendFloat(dst, v)
}
