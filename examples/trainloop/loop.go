package main

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io"
	"math"
	"runtime"
	"time"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/examples/trainloop/simulation"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/track"
)

// settings configure a loop.
type settings struct {
	config trackgen.Config
	ends   float64 // fraction of the envs whose episode ends in a step
	eager  bool    // emit every step instead of replaying a recorded one
}

// loop is a simulator and a track generator on one device. newLoop allocates all memory; a step allocates none.
type loop struct {
	device    trackgen.Device
	stream    trackgen.Stream
	generator *trackgen.Generator
	limit     uint32
	eager     bool

	// Per env: the number of steps so far, the point where its agent is, whether its episode has just ended, and a hash of
	// what the agent has seen.
	clock, place, done trackgen.Array[int32]
	trace              trackgen.Array[uint32]

	step  trackgen.Graph // nil if eager
	owned []io.Closer
}

func newLoop(ctx context.Context, device trackgen.Device, s settings) (_ *loop, err error) {
	l := &loop{device: device, limit: uint32(s.ends * math.MaxUint32), eager: s.eager}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.close())
		}
	}()
	if l.stream, err = device.NewStream(); err != nil {
		return nil, err
	}
	l.owned = append(l.owned, l.stream)
	if l.generator, err = trackgen.NewGenerator(device, s.config, trackgen.WithStream(l.stream)); err != nil {
		return nil, err
	}
	l.owned = append(l.owned, l.generator)
	if err = device.Load(simulation.Defs...); err != nil {
		return nil, err
	}
	envs := l.generator.Config().NumEnvs
	for _, array := range []*trackgen.Array[int32]{&l.clock, &l.place, &l.done} {
		if *array, err = trackgen.NewArray[int32](device, envs); err != nil {
			return nil, err
		}
		l.owned = append(l.owned, *array)
	}
	if l.trace, err = trackgen.NewArray[uint32](device, envs); err != nil {
		return nil, err
	}
	l.owned = append(l.owned, l.trace)
	if l.eager {
		return l, nil
	}
	return l, l.record(ctx)
}

// record captures one step: the simulator, which decides which episodes end, and new tracks for those envs. Nothing
// runs yet. The graph reads the mask in each replay.
func (l *loop) record(ctx context.Context) error {
	if err := l.stream.BeginCapture(); err != nil {
		return err
	}
	emitErr := l.emit(ctx)
	graph, err := l.stream.EndCapture()
	if err != nil {
		return errors.Join(emitErr, err)
	}
	l.owned = append(l.owned, graph)
	l.step = graph
	return emitErr
}

// emit emits one step on the loop's stream; while the stream is capturing, the step is recorded.
func (l *loop) emit(ctx context.Context) error {
	lc, err := exec.For(ctx, l.device, exec.OnStream(l.stream))
	if err != nil {
		return err
	}
	t := l.generator.Track()
	simulation.Drive(lc, t.Envs, simulation.DriveArgs{
		Limit: l.limit, MaxPoints: int32(t.NMax), Count: t.Count, Center: t.Center, Clock: l.clock, Place: l.place,
		Done: l.done, Trace: l.trace,
	})
	if err := lc.Err(); err != nil {
		return err
	}
	if l.eager {
		l.generator.EnqueueRegenerate(lc, l.done)
		return lc.Err()
	}
	_, err = l.generator.Regenerate(ctx, l.done) // also makes the graph keep the generator
	return err
}

// run makes steps without waiting for them.
func (l *loop) run(ctx context.Context, steps int) error {
	for range steps {
		var err error
		if l.eager {
			err = l.emit(ctx)
		} else {
			err = l.stream.Replay(l.step)
		}
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// measurement is the cost of some steps.
type measurement struct {
	steps       int
	elapsed     time.Duration // until the device has finished
	allocations uint64        // number of Go heap allocations
}

func (m measurement) perSecond() float64 { return float64(m.steps) / m.elapsed.Seconds() }

// measure makes steps and waits for the last one. If made is not nil, the host also waits for parts of the steps, and
// calls made with the number of steps that the device has made.
func (l *loop) measure(ctx context.Context, steps int, made func(steps int)) (measurement, error) {
	m := measurement{steps: steps}
	part := steps
	if made != nil {
		part = max(1, steps/watchedParts)
	}
	start := time.Now()
	for done := 0; done < steps; {
		n := min(part, steps-done)
		allocations, err := l.runCounting(ctx, n)
		if err == nil {
			err = l.stream.Sync()
		}
		if err != nil {
			return m, err
		}
		m.allocations += allocations
		if done += n; made != nil {
			made(done)
		}
	}
	m.elapsed = time.Since(start)
	return m, nil
}

// watchedParts is the number of parts in which the steps of a loop are made while somebody watches.
const watchedParts = 200

// runCounting makes steps without waiting for them, and returns the number of Go heap allocations.
func (l *loop) runCounting(ctx context.Context, steps int) (uint64, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := l.run(ctx, steps)
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs, err
}

// hash returns a hash over all bits of the current tracks and of what the agents have seen. It waits for the loop.
func (l *loop) hash(ctx context.Context) (uint64, error) {
	b, err := l.generator.Track().Batch(ctx)
	if err != nil {
		return 0, err
	}
	trace, err := l.trace.Read(ctx) // Batch has waited for the stream
	if err != nil {
		return 0, err
	}
	h := fnv.New64a()
	if err := binary.Write(h, binary.LittleEndian, trace); err != nil {
		return 0, err
	}
	var words []byte
	for _, c := range track.Schema.Host(&b.HostColumns) {
		words = c.AppendWords(words[:0], 0, c.Len())
		h.Write(words)
	}
	return h.Sum64(), nil
}

// close releases everything, newest first.
func (l *loop) close() error {
	var failed []error
	for i := len(l.owned) - 1; i >= 0; i-- {
		failed = append(failed, l.owned[i].Close())
	}
	l.owned = nil
	return errors.Join(failed...)
}
