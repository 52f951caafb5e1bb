package generation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/seeding"
	"github.com/trackgen-go/trackgen/kernels/selection"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/seeds"
)

// Plan describes a generation.
type Plan struct {
	Prefix string // of messages: "track: "
	Name   string // of the producer in messages: "track.bezier"
	Envs   int

	Stages  []exec.Stage  // after the one that writes the effective seeds
	Kernels []*kernel.Def // of the stages; they are loaded at once, so that captures load none

	// Provide gives the stages the arrays of the result.
	Provide func(*pipeline.Builder) error
	// FromSeed and FromEpoch [E] are the seeds and epochs of another producer, from whose results this one makes its own;
	// zero arrays mean those of State.
	FromSeed, FromEpoch exec.Array[int32]
	// Seed and Epoch [E] receive the seed and the epoch from which each env is made.
	Seed, Epoch exec.Array[int32]
	// Counters are the names of shared outputs of one int32 each. They are 0 at the start of a generation of 1 or more
	// envs.
	Counters []string

	// Result is closed with the generation.
	Result io.Closer
	// Owner is the generator to which the generation belongs.
	Owner exec.Owner
}

// Generation generates batches. One goroutine at a time may use it.
type Generation struct {
	device  backend.Device
	plan    Plan
	state   *seeds.State
	program *pipeline.Program

	runner   *exec.GraphRunner
	body     exec.Enqueue
	segments []exec.Segment // parts of the body if the program has HOST stages, else nil

	counters exec.Array[int32]

	masked         exec.Array[int32] // [1+E] list of the envs of a mask, see package selection
	anyMasked      exec.Array[int32] // [1] its length
	generateMasked exec.Enqueue
	unconditional  bool // a stage launches on the current stream or works on the host, which no conditional can hold (R40)
	regenerations  regenerations

	closed atomic.Bool
}

// NotMade returns a generation that no constructor has made: every call returns an error with this prefix.
func NotMade(prefix string) *Generation { return &Generation{plan: Plan{Prefix: prefix}} }

// New allocates the memory of a generation and builds its stages. It generates nothing, and must not be called inside a
// capture. If it fails, it closes plan.Result.
func New(device backend.Device, plan Plan, o Options) (_ *Generation, err error) {
	g := &Generation{device: device, plan: plan}
	made := false
	defer func() {
		if !made { // also after a panic in a stage
			err = errors.Join(err, g.Close())
		}
	}()
	if err := device.Load(slices.Concat(seeding.Defs, selection.Defs, plan.Kernels)...); err != nil {
		return nil, err
	}
	if err := g.allocate(o); err != nil {
		return nil, err
	}
	if err := g.describe(o); err != nil {
		return nil, err
	}
	made = true
	return g, nil
}

// allocate makes the seeds and the stages.
func (g *Generation) allocate(o Options) (err error) {
	if g.state, err = seeds.New(g.device, g.plan.Envs, o.Seeds); err != nil {
		return err
	}
	builder, err := pipeline.NewBuilder(g.device, g.plan.Envs)
	if err != nil {
		return err
	}
	if err = g.provide(builder); err != nil {
		return errors.Join(err, builder.Close())
	}
	if g.program, err = builder.Build(slices.Concat([]exec.Stage{g.keyStage()}, g.plan.Stages, o.Stages)...); err != nil {
		return err
	}
	g.body, g.generateMasked = g.program.Enqueue, g.enqueueMasked
	return nil
}

// provide gives the stages the counters and the arrays of the result.
func (g *Generation) provide(b *pipeline.Builder) (err error) {
	if g.masked, err = exec.Scratch[int32](b, g.plan.Envs+1); err != nil {
		return err
	}
	if g.anyMasked, err = g.masked.Slice(0, 1); err != nil {
		return err
	}
	if g.counters, err = exec.Scratch[int32](b, max(1, len(g.plan.Counters))); err != nil {
		return err
	}
	for i, name := range g.plan.Counters {
		counter, err := g.counters.Slice(i, i+1)
		if err != nil {
			return err
		}
		if err := pipeline.Provide(b, name, counter); err != nil {
			return err
		}
	}
	return g.plan.Provide(b)
}

// keyStage stores the seed and the epoch from which each env is made, writes the effective seeds and clears the
// counters, all in one launch.
func (g *Generation) keyStage() exec.Stage {
	return pipeline.StageFunc("key", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		active, err := pipeline.Active(b)
		n, effective := max(b.Envs(), g.counters.Len()), b.Seed()
		seed, epoch := g.state.Seed(), g.state.Epoch()
		if !g.plan.FromSeed.IsZero() {
			seed, epoch = g.plan.FromSeed, g.plan.FromEpoch
		}
		return func(lc *exec.LaunchContext) {
			selection.Key(lc, n, selection.KeyArgs{
				Active: active.Array(), Seed: seed, Epoch: epoch, Effective: effective,
				UsedSeed: g.plan.Seed, UsedEpoch: g.plan.Epoch, Counters: g.counters,
			})
		}, err
	})
}

// describe makes the runner, whose options depend on all stages and their parts.
func (g *Generation) describe(o Options) (err error) {
	runner := g.program.RunnerOptions(g.plan.Name)
	runner.DefaultStream, runner.Owner, runner.Warn = o.Seeds.DefaultStream, g.plan.Owner, o.Warn
	g.unconditional = runner.Legacy || !runner.Capturable
	if g.runner, err = exec.NewGraphRunner(g.device, runner); err != nil || runner.Capturable {
		return err
	}
	g.segments, err = g.program.Segments(exec.Array[int32]{})
	return err
}

// Prepare sets the epoch and generates once, so that the result is filled and later captures load nothing.
func (g *Generation) Prepare(ctx context.Context, epoch int32) error {
	if epoch != 0 {
		if err := g.SetEpoch(ctx, epoch); err != nil {
			return err
		}
	}
	if g.segments != nil {
		return g.runner.PrepareSegments(ctx, g.segments)
	}
	return g.runner.Prepare(ctx, g.body)
}

// Device returns the device of the generation.
func (g *Generation) Device() backend.Device { return g.device }

// State returns the seeds and epochs of the next generation.
func (g *Generation) State() *seeds.State { return g.state }

// Program returns the stages of a generation. The generation owns it.
func (g *Generation) Program() *pipeline.Program { return g.program }

// ArrayOf returns an output of a stage, or the zero array if no stage has an output of this name and type.
func ArrayOf[T kernel.Element](g *Generation, name string) exec.Array[T] {
	array, _ := pipeline.ArrayOf[T](g.program, name)
	return array
}

// Generate generates all envs from the current seeds and epochs. Inside a capture of the stream that ctx resolves to,
// the work is recorded, not run. Generate allocates nothing on an eager CPU device.
func (g *Generation) Generate(ctx context.Context) error {
	if err := g.CheckOpen("generate"); err != nil {
		return err
	}
	var err error
	if g.segments != nil {
		_, err = g.runner.RunSegments(ctx, g.segments, exec.RunOptions{})
	} else {
		_, err = g.runner.Run(ctx, g.body, exec.RunOptions{})
	}
	return g.during("generate", err)
}

// Enqueue emits one generation on lc without any policy, for callers that record it as a part of their own work.
func (g *Generation) Enqueue(lc *exec.LaunchContext) { g.program.Enqueue(lc) }

// SetSeeds replaces the seeds of all envs, one value for each, and sets their epochs to 0. It waits for its work, so it
// returns exec.ErrCapture inside a capture.
func (g *Generation) SetSeeds(ctx context.Context, values []int32) (err error) {
	const op = "set seeds"
	if err := g.CheckOpen(op); err != nil {
		return err
	}
	if len(values) != g.plan.Envs {
		return &backend.ArgumentError{Op: g.plan.Prefix + op, Argument: "values length", Value: len(values),
			Allowed: fmt.Sprint(g.plan.Envs)}
	}
	lc, err := g.state.Context(ctx, nil)
	if err != nil {
		return g.during(op, err)
	}
	if err := ctx.Err(); err != nil {
		return g.during(op, err)
	}
	if err := RefuseCapture(lc, g.plan.Prefix, op); err != nil {
		return err // before recording anything that reads the staged seeds
	}
	staged, err := exec.FromSlice(g.device, values)
	if err != nil {
		return g.during(op, err)
	}
	defer func() { err = errors.Join(err, staged.Close()) }()
	return g.Emit(ctx, op, func(lc *exec.LaunchContext) { g.state.Set(lc, staged) })
}

// SetEpoch sets the epoch of every env. It waits for its work, so it returns exec.ErrCapture inside a capture.
func (g *Generation) SetEpoch(ctx context.Context, epoch int32) error {
	return g.Emit(ctx, "set epoch", func(lc *exec.LaunchContext) { exec.Fill(lc, g.state.Epoch(), epoch) })
}

// CheckOpen returns a *backend.ArgumentError for a generation that New did not make, and a *backend.ClosedError for a
// closed one.
func (g *Generation) CheckOpen(op string) error {
	if g.state == nil {
		return &backend.ArgumentError{Op: g.plan.Prefix + op, Argument: "generator", Value: nil,
			Allowed: "one made by NewGenerator"}
	}
	if g.closed.Load() {
		return &backend.ClosedError{Op: g.plan.Prefix + op, What: "generator"}
	}
	return nil
}

// RefuseCapture returns exec.ErrCapture inside a capture, for calls that wait for their own work.
func RefuseCapture(lc *exec.LaunchContext, prefix, op string) error {
	return exec.RefuseCapture(lc.Stream(), prefix+op,
		"the stream of the call is being captured; do it outside the capture")
}

// during returns err with a note of what the generation was doing. Without an error it allocates nothing.
func (g *Generation) during(op string, err error) error {
	if err == nil {
		return nil
	}
	return exec.Doing(g.plan.Prefix+op, err)
}

// Emit runs body on the stream of the call and waits for it. Inside a capture it returns exec.ErrCapture and records
// nothing.
func (g *Generation) Emit(ctx context.Context, op string, body exec.Enqueue) error {
	if err := g.CheckOpen(op); err != nil {
		return err
	}
	lc, err := g.state.Context(ctx, nil)
	if err != nil {
		return g.during(op, err)
	}
	if err := ctx.Err(); err != nil {
		return g.during(op, err)
	}
	if err := RefuseCapture(lc, g.plan.Prefix, op); err != nil {
		return err
	}
	body(lc)
	if err := lc.Err(); err != nil {
		return g.during(op, err)
	}
	if err := lc.Stream().Sync(); err != nil {
		return g.during(op, err)
	}
	return nil
}

// Counters waits for everything emitted so far on the stream of the call, and reads the counters of the last
// generation, in the order of the plan.
func (g *Generation) Counters(ctx context.Context) ([]int32, error) {
	const op = "counters"
	if err := g.Emit(ctx, op, func(lc *exec.LaunchContext) { ctx = exec.With(ctx, lc) }); err != nil {
		return nil, err
	}
	values, err := g.counters.Read(ctx)
	return values, g.during(op, err)
}

// Close releases the generation and its result. Graphs of the caller with work of the generation keep the memory that
// they use, and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of the
// generation, Close returns exec.ErrConcurrentUse and releases nothing.
func (g *Generation) Close() error {
	if !g.closed.CompareAndSwap(false, true) {
		return nil
	}
	var failed []error
	if g.runner != nil {
		err := g.runner.Close()
		if errors.Is(err, exec.ErrConcurrentUse) {
			g.closed.Store(false)
			return g.during("close", err)
		}
		failed = append(failed, err)
	}
	if g.program != nil {
		failed = append(failed, g.program.Close())
	}
	if g.plan.Result != nil {
		failed = append(failed, g.plan.Result.Close())
	}
	if g.state != nil {
		failed = append(failed, g.state.Close())
	}
	return errors.Join(failed...)
}
