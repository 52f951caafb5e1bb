package main

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"time"

	"github.com/trackgen-go/trackgen"
)

// record records calls into one graph.
func record(ctx context.Context, stream trackgen.Stream, calls ...func(context.Context) error) (trackgen.Graph, error) {
	if err := stream.BeginCapture(); err != nil {
		return nil, err
	}
	var failed []error
	for _, call := range calls {
		failed = append(failed, call(ctx))
	}
	graph, err := stream.EndCapture()
	if err = errors.Join(append(failed, err)...); err != nil && graph != nil {
		err = errors.Join(err, graph.Close())
	}
	return graph, err
}

// summary reads the totals and the final state.
func summary(ctx context.Context, race *trackgen.Race, elapsed time.Duration) (r result, err error) {
	r.elapsed = elapsed
	totals, err := race.Totals().Read(ctx)
	if err != nil {
		return r, err
	}
	for i := range totals.Laps {
		r.laps += int(totals.Laps[i])
		r.episodes += int(totals.Episodes[i])
		r.crashes += int(totals.OffRoad[i])
	}
	state, err := race.State().Read(ctx)
	if err != nil {
		return r, err
	}
	h := fnv.New64a()
	for _, part := range []any{totals.Laps, totals.Episodes, totals.OffRoad, totals.BestLap, state.Position,
		state.Orientation, state.Velocity} {
		if err := binary.Write(h, binary.LittleEndian, part); err != nil {
			return r, err
		}
	}
	r.hash = h.Sum64()
	return r, nil
}
