package export

import (
	"context"
	"io"
	"strings"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// The tables are plain CSV: a header row, commas, line feeds, no quotes (no field needs them). Numbers are the shortest
// that read back as the same float32; where a computed one is not finite it is NaN, +Inf or -Inf.

const pointsHeader = "env,point,valid," +
	"center_x,center_y,center_z,outer_x,outer_y,outer_z,inner_x,inner_y,inner_z," +
	"tangent_x,tangent_y,tangent_z,normal_x,normal_y,normal_z,arclen\n"

const summaryHeader = "env,seed,epoch,valid,reason,count,length,winding,candidate,component\n"

type pointsCSV struct {
	sequence
	textBuffer
}

// NewPointsCSV writes one row for each real point: the env, the index of the point along the track, whether the track is
// valid (1 or 0), and every array of the point. Padding has no rows, so a track without points has none.
func NewPointsCSV(w io.Writer, shape Shape, options ...EncoderOption) (Encoder, error) {
	sequence, err := newSequence(shape, options...)
	if err != nil {
		return nil, err
	}
	return &pointsCSV{sequence, textBuffer{w, []byte(pointsHeader)}}, nil
}

// Append implements Encoder.
func (c *pointsCSV) Append(ctx context.Context, chunk *track.Batch) error {
	first, err := c.take(chunk)
	if err != nil {
		return err
	}
	for e := range chunk.Envs {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := range int(chunk.Count[e]) {
			at := e*chunk.NMax + i
			row := appendInt(c.text, c.number(first+e))
			row = appendInt(append(row, ','), i)
			row = appendInt(append(row, ','), chunk.Valid[e])
			for _, array := range [...][]kernel.Vec3{chunk.Center, chunk.Outer, chunk.Inner, chunk.Tangent, chunk.Normal} {
				row = appendFloat(append(row, ','), array[at].X)
				row = appendFloat(append(row, ','), array[at].Y)
				row = appendFloat(append(row, ','), array[at].Z)
			}
			row = appendFloat(append(row, ','), chunk.Arclen[at])
			c.text = append(row, '\n')
			if err := c.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Finish implements Encoder.
func (c *pointsCSV) Finish() error {
	if err := c.finish(); err != nil {
		return err
	}
	return c.flushAll()
}

type summaryCSV struct {
	sequence
	textBuffer
}

// NewSummaryCSV writes one row for each track. The column reason is empty for a valid track, else it names the tests that
// the track failed, joined by "|".
func NewSummaryCSV(w io.Writer, shape Shape, options ...EncoderOption) (Encoder, error) {
	sequence, err := newSequence(shape, options...)
	if err != nil {
		return nil, err
	}
	return &summaryCSV{sequence, textBuffer{w, []byte(summaryHeader)}}, nil
}

// Append implements Encoder.
func (c *summaryCSV) Append(ctx context.Context, chunk *track.Batch) error {
	first, err := c.take(chunk)
	if err != nil {
		return err
	}
	for e := range chunk.Envs {
		if err := ctx.Err(); err != nil {
			return err
		}
		row := appendInt(c.text, c.number(first+e))
		row = appendInt(append(row, ','), chunk.Seeds[e])
		row = appendInt(append(row, ','), chunk.Epochs[e])
		row = appendInt(append(row, ','), chunk.Valid[e])
		row = append(append(row, ','), strings.Join(reasonNames(chunk, e), "|")...)
		row = appendInt(append(row, ','), chunk.Count[e])
		row = appendFloat(append(row, ','), chunk.Length[e])
		row = appendFloat(append(row, ','), chunk.Winding[e])
		row = appendInt(append(row, ','), numberOf(chunk.Candidates, e))
		row = appendInt(append(row, ','), numberOf(chunk.Components, e))
		c.text = append(row, '\n')
		if err := c.flush(); err != nil {
			return err
		}
	}
	return nil
}

// Finish implements Encoder.
func (c *summaryCSV) Finish() error {
	if err := c.finish(); err != nil {
		return err
	}
	return c.flushAll()
}
