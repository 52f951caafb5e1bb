package track

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/inflation"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
	"github.com/trackgen-go/trackgen/kernels/seeding"
	"github.com/trackgen-go/trackgen/kernels/selection"
	"github.com/trackgen-go/trackgen/kernels/variation"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/seeds"
)

// Option is an option of NewGenerator.
type Option func(*options)

type options struct {
	seeds  seeds.Options
	epoch  int32
	stages []exec.Stage

	components []int32
	warn       exec.WarnFunc
}

// WithSeed gives the envs the seeds first, first+1, ...; the default is 0, 1, ...
func WithSeed(first int32) Option {
	return func(o *options) { o.seeds.Base, o.seeds.Values = first, nil }
}

// WithSeeds gives env e the seed values[e]; there must be one for each env.
func WithSeeds(values []int32) Option {
	if values == nil {
		values = []int32{} // nil would mean the default; an empty list is refused for its length
	}
	return func(o *options) { o.seeds.Base, o.seeds.Values = 0, values }
}

// WithEpoch sets the first epoch of every env; the default is 0.
func WithEpoch(epoch int32) Option {
	return func(o *options) { o.epoch = epoch }
}

// WithComponents gives env e of a mixed batch the component values[e] of Config.Mix; there must be one for each env,
// and -1 lets an env draw its component. Generator.GivenComponents changes them later.
func WithComponents(values []int32) Option {
	if values == nil {
		values = []int32{} // nil would mean the default; an empty list is refused for its length
	}
	return func(o *options) { o.components = values }
}

// WithStream sets the stream of calls for which neither the call nor an ambient context names one (R6).
func WithStream(stream backend.Stream) Option {
	return func(o *options) { o.seeds.DefaultStream = stream }
}

// WithStages adds stages to the end of a generation. They work on the tracks of the envs that pipeline.Active lists.
// They read the tracks as inputs with the names of the fields of Track ("center", "count"; see Stages).
// pipeline.ArrayOf(generator.Program(), name) returns their outputs.
//
// A generation with a HOST stage cannot be captured as a whole.
func WithStages(stages ...exec.Stage) Option {
	return func(o *options) { o.stages = append(o.stages, stages...) }
}

// WithWarnings passes warnings to warn instead of the default logger, for example to
// exec.IgnoreWarnings[exec.KeyedGraphLimitWarning](nil).
func WithWarnings(warn exec.WarnFunc) Option {
	return func(o *options) { o.warn = warn }
}

// Generator generates batches of tracks. Each batch has the same number of envs and fills the same Track. It is a
// producer in the sense of package exec: the same work can run eagerly, be recorded into a capture of the caller, or
// replay a graph.
//
// Only one goroutine at a time may use a Generator; different generators are independent.
type Generator struct {
	device  backend.Device
	config  Config
	state   *seeds.State
	track   *Track
	program *pipeline.Program

	runner   *exec.GraphRunner
	body     exec.Enqueue
	segments []exec.Segment // parts of the body if the program has HOST stages, else nil

	counters exec.Array[int32] // see Counters

	masked         exec.Array[int32] // [1+E] list of the envs of a mask, see package selection
	anyMasked      exec.Array[int32] // [1] its length
	generateMasked exec.Enqueue
	unconditional  bool // a stage launches on the current stream or works on the host, which no conditional can hold (R40)
	regenerations  regenerations

	closed atomic.Bool
}

// NewGenerator allocates the memory of a generator and generates once, so that the Track is filled and later captures
// load nothing. It must not be called inside a capture.
//
// It returns a *ConfigError (ErrConfig) for each wrong field of config, an error of package seeds for seeds that do not
// fit, exec.ErrCapture inside a capture, backend.ErrUnsupported for loops that are too long for the device (see
// backend.Caps), or an error of the device.
func NewGenerator(device backend.Device, config Config, with ...Option) (_ *Generator, err error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	var o options
	for i, option := range with {
		if option == nil {
			return nil, &backend.ArgumentError{Op: prefix + "new generator", Argument: fmt.Sprintf("option %d", i), Value: nil,
				Allowed: "an Option of package track"}
		}
		option(&o)
	}
	c := config.Resolved()
	g := &Generator{device: device, config: c}
	made := false
	defer func() {
		if !made { // also after a panic in a stage
			err = errors.Join(during("new generator", exec.InProducer(c.producerName(), err)), g.Close())
		}
	}()
	stages, err := c.stages()
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	if _, err = exec.EnsureNotCapturing(ctx, device, c.producerName(), o.seeds.DefaultStream); err != nil {
		return nil, err
	}
	if err = errors.Join(o.checkComponents(c), c.checkLoops(device)); err != nil {
		return nil, err
	}
	if err = g.build(o, stages); err != nil {
		return nil, err
	}
	if o.epoch != 0 {
		if err = g.SetEpoch(ctx, o.epoch); err != nil {
			return nil, err
		}
	}
	if g.segments != nil {
		err = g.runner.PrepareSegments(ctx, g.segments)
	} else {
		err = g.runner.Prepare(ctx, g.body)
	}
	if err != nil {
		return nil, err
	}
	made = true
	return g, nil
}

// build allocates the memory and builds the stages. It generates nothing.
func (g *Generator) build(o options, stages []exec.Stage) error {
	if err := g.device.Load(g.config.kernels()...); err != nil {
		return err
	}
	if err := g.allocate(o, slices.Concat([]exec.Stage{g.keyStage()}, stages, o.stages)); err != nil {
		return err
	}
	return g.describe(o)
}

// producerName returns the name of the generator in errors.
func (c Config) producerName() string { return "track." + c.Generator }

// describe makes the runner, whose options depend on all stages and their parts.
func (g *Generator) describe(o options) (err error) {
	runner := g.program.RunnerOptions(g.config.producerName())
	runner.DefaultStream, runner.Owner, runner.Warn = o.seeds.DefaultStream, exec.WeakOwner(g), o.warn
	g.unconditional = runner.Legacy || !runner.Capturable
	if g.runner, err = exec.NewGraphRunner(g.device, runner); err != nil || runner.Capturable {
		return err
	}
	g.segments, err = g.program.Segments(exec.Array[int32]{})
	return err
}

// kernels lists every kernel that a generator may launch.
func (c Config) kernels() []*kernel.Def {
	var defs []*kernel.Def
	for _, area := range [][]*kernel.Def{seeding.Defs, selection.Defs, centerline.Defs, relaxation.Defs, inflation.Defs,
		c.spec().Kernels} {
		defs = append(defs, area...)
	}
	if c.varies() {
		defs = append(defs, variation.Defs...)
	}
	return defs
}

// keyStage stores the seed and the epoch from which each env is made, writes the effective seeds and clears the
// counters, all in one launch.
func (g *Generator) keyStage() exec.Stage {
	return pipeline.StageFunc("key", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		active, err := pipeline.Active(b)
		n, effective := max(b.Envs(), numCounters), b.Seed()
		return func(lc *exec.LaunchContext) {
			selection.Key(lc, n, selection.KeyArgs{
				Active: active.Array(), Seed: g.state.Seed(), Epoch: g.state.Epoch(), Effective: effective,
				UsedSeed: g.track.Seed, UsedEpoch: g.track.Epoch, Counters: g.counters,
			})
		}, err
	})
}

// allocate makes the seeds, the result and the stages.
func (g *Generator) allocate(o options, stages []exec.Stage) (err error) {
	c := g.config
	if g.state, err = seeds.New(g.device, c.NumEnvs, o.seeds); err != nil {
		return err
	}
	if g.track, err = generatedTrack(g.device, c.NumEnvs, c.Output.MaxPoints); err != nil {
		return err
	}
	g.track.stream = o.seeds.DefaultStream
	builder, err := pipeline.NewBuilder(g.device, c.NumEnvs)
	if err != nil {
		return err
	}
	if err = g.provide(builder); err != nil {
		return errors.Join(err, builder.Close())
	}
	if g.program, err = builder.Build(stages...); err != nil {
		return err
	}
	if o.components != nil {
		if err = g.GivenComponents().Write(context.Background(), o.components); err != nil {
			return err
		}
	}
	g.body, g.generateMasked = g.program.Enqueue, g.enqueueMasked
	return nil
}

// provide gives the stages the arrays of the track and the counters.
func (g *Generator) provide(b *pipeline.Builder) (err error) {
	if g.masked, err = exec.Scratch[int32](b, g.config.NumEnvs+1); err != nil {
		return err
	}
	if g.anyMasked, err = g.masked.Slice(0, 1); err != nil {
		return err
	}
	if g.counters, err = exec.Scratch[int32](b, numCounters); err != nil {
		return err
	}
	truncated, err := g.counters.Slice(counterTruncated, counterTruncated+1)
	if err != nil {
		return err
	}
	dropped, err := g.counters.Slice(counterDropped, counterDropped+1)
	if err != nil {
		return err
	}
	failed := []error{pipeline.Provide(b, truncatedOutput, truncated), pipeline.Provide(b, droppedOutput, dropped)}
	for _, c := range g.track.columns() {
		if !c.IsAbsent() {
			failed = append(failed, c.Provide(b, 0, c.Len()))
		}
	}
	return errors.Join(failed...)
}

// Config returns the configuration with every default filled in.
func (g *Generator) Config() Config { return g.config }

// Seeds returns the seeds and epochs of the next generation.
func (g *Generator) Seeds() *seeds.State { return g.state }

// Track returns the result that every generation fills. The generator owns it.
func (g *Generator) Track() *Track { return g.track }

// GivenComponents returns the array of the given components of a mixed batch, one int32 per env. The next generation or
// replay reads it, and anyone may write it before that. A number that names no component, such as the initial -1, lets
// an env draw its own. Track.Component has the components that were used. If the batch is not mixed, the result is the
// zero array.
func (g *Generator) GivenComponents() exec.Array[int32] { return outputOf[int32](g, givenOutput) }

// Spaced returns the centrelines before relaxation, [E*N_max]. The first Count[e] points of row e are defined.
func (g *Generator) Spaced() exec.Array[kernel.Vec2] { return outputOf[kernel.Vec2](g, spacedOutput) }

// Program returns the stages of a generation; pipeline.ArrayOf returns their outputs by name. The generator owns it.
func (g *Generator) Program() *pipeline.Program { return g.program }

// Generate makes the tracks of the current seeds and epochs and returns the Track of the generator. Inside a capture of
// the stream that ctx resolves to, the work is recorded, not run. Generate allocates nothing on an eager CPU device.
func (g *Generator) Generate(ctx context.Context) (*Track, error) {
	if err := g.checkOpen("generate"); err != nil {
		return nil, err
	}
	var err error
	if g.segments != nil {
		_, err = g.runner.RunSegments(ctx, g.segments, exec.RunOptions{})
	} else {
		_, err = g.runner.Run(ctx, g.body, exec.RunOptions{})
	}
	if err != nil {
		return nil, during("generate", err)
	}
	return g.track, nil
}

// Enqueue emits one generation on lc without any policy, for callers that record it as a part of their own work.
func (g *Generator) Enqueue(lc *exec.LaunchContext) { g.program.Enqueue(lc) }

// SetSeeds replaces the seeds of all envs, one value for each, and sets their epochs to 0. The next generation uses
// them. SetSeeds waits for its work, so it returns exec.ErrCapture inside a capture.
func (g *Generator) SetSeeds(ctx context.Context, values []int32) (err error) {
	if err := g.checkOpen("set seeds"); err != nil {
		return err
	}
	if len(values) != g.config.NumEnvs {
		return &backend.ArgumentError{Op: prefix + "set seeds", Argument: "values length", Value: len(values),
			Allowed: fmt.Sprint(g.config.NumEnvs)}
	}
	lc, err := g.state.Context(ctx, nil)
	if err != nil {
		return during("set seeds", err)
	}
	if err := ctx.Err(); err != nil {
		return during("set seeds", err)
	}
	if err := refuseCapture(lc, "set seeds"); err != nil {
		return err // before recording anything that reads the staged seeds
	}
	staged, err := exec.FromSlice(g.device, values)
	if err != nil {
		return during("set seeds", err)
	}
	defer func() { err = errors.Join(err, staged.Close()) }()
	return g.emit(ctx, "set seeds", func(lc *exec.LaunchContext) { g.state.Set(lc, staged) })
}

// SetEpoch sets the epoch of every env. Epoch 0 uses the seeds themselves; seeds.EffectiveSeed documents the other
// epochs. SetEpoch waits for its work, so it returns exec.ErrCapture inside a capture.
func (g *Generator) SetEpoch(ctx context.Context, epoch int32) error {
	return g.emit(ctx, "set epoch", func(lc *exec.LaunchContext) { exec.Fill(lc, g.state.Epoch(), epoch) })
}

// checkOpen returns a *backend.ArgumentError for a generator that NewGenerator did not make, and a *backend.ClosedError
// for a closed one.
func (g *Generator) checkOpen(op string) error {
	if g == nil || g.state == nil {
		return &backend.ArgumentError{Op: prefix + op, Argument: "generator", Value: nil,
			Allowed: "one made by NewGenerator"}
	}
	if g.closed.Load() {
		return &backend.ClosedError{Op: prefix + op, What: "generator"}
	}
	return nil
}

// refuseCapture returns exec.ErrCapture inside a capture, for calls that wait for their own work.
func refuseCapture(lc *exec.LaunchContext, op string) error {
	return exec.RefuseCapture(lc.Stream(), prefix+op,
		"the stream of the call is being captured; do it outside the capture")
}

// emit runs body on the stream of the call and waits for it. Inside a capture it returns exec.ErrCapture and records
// nothing.
func (g *Generator) emit(ctx context.Context, op string, body exec.Enqueue) error {
	if err := g.checkOpen(op); err != nil {
		return err
	}
	lc, err := g.state.Context(ctx, nil)
	if err != nil {
		return during(op, err)
	}
	if err := ctx.Err(); err != nil {
		return during(op, err)
	}
	if err := refuseCapture(lc, op); err != nil {
		return err
	}
	body(lc)
	if err := lc.Err(); err != nil {
		return during(op, err)
	}
	if err := lc.Stream().Sync(); err != nil {
		return during(op, err)
	}
	return nil
}

// Close releases the generator and its Track. Graphs of the caller with work of the generator keep the memory that they
// use, and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of the
// generator, Close returns exec.ErrConcurrentUse and releases nothing.
func (g *Generator) Close() error {
	if !g.closed.CompareAndSwap(false, true) {
		return nil
	}
	var failed []error
	if g.runner != nil {
		err := g.runner.Close()
		if errors.Is(err, exec.ErrConcurrentUse) {
			g.closed.Store(false)
			return during("close", err)
		}
		failed = append(failed, err)
	}
	if g.program != nil {
		failed = append(failed, g.program.Close())
	}
	if g.track != nil {
		failed = append(failed, g.track.Close())
	}
	if g.state != nil {
		failed = append(failed, g.state.Close())
	}
	return errors.Join(failed...)
}

// The indices of the counters on the device.
const (
	counterTruncated = iota
	counterDropped
	numCounters
)

// Counters count what did not fit in the last generation. The device counts; the numbers are read only on request. With
// Config.Candidates above 1, they count every candidate that was drawn, including those that were not kept.
type Counters struct {
	Truncated int // envs whose loop needs more than N_max points; they are not valid
	Dropped   int // how often a point had more close points than relax.separation_cache_slots
}

// Counters waits for everything emitted so far on the stream of the call, and reads the counters of the last
// generation.
func (g *Generator) Counters(ctx context.Context) (Counters, error) {
	if err := g.emit(ctx, "counters", func(lc *exec.LaunchContext) { ctx = exec.With(ctx, lc) }); err != nil {
		return Counters{}, err
	}
	values, err := g.counters.Read(ctx)
	if err != nil {
		return Counters{}, during("counters", err)
	}
	return Counters{Truncated: int(values[counterTruncated]), Dropped: int(values[counterDropped])}, nil
}
