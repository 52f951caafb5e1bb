package track

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/elevation"
	"github.com/trackgen-go/trackgen/kernels/inflation"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
	"github.com/trackgen-go/trackgen/kernels/variation"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/seeds"
)

// Option is an option of NewGenerator.
type Option = generation.Option

// WithSeed gives the envs the seeds first, first+1, ...; the default is 0, 1, ...
func WithSeed(first int32) Option { return generation.WithSeed(first) }

// WithSeeds gives env e the seed values[e]; there must be one for each env.
func WithSeeds(values []int32) Option { return generation.WithSeeds(values) }

// WithEpoch sets the first epoch of every env; the default is 0.
func WithEpoch(epoch int32) Option { return generation.WithEpoch(epoch) }

// WithComponents gives env e of a mixed batch the component values[e] of Config.Mix; there must be one for each env,
// and -1 lets an env draw its component. Generator.GivenComponents changes them later.
func WithComponents(values []int32) Option { return generation.WithComponents(values) }

// WithStream sets the stream of calls for which neither the call nor an ambient context names one (R6).
func WithStream(stream backend.Stream) Option { return generation.WithStream(stream) }

// WithStages adds stages to the end of a generation. They work on the tracks of the envs that pipeline.Active lists.
// They read the tracks as inputs with the names of the fields of Track ("center", "count"; see Stages).
// pipeline.ArrayOf(generator.Program(), name) returns their outputs.
//
// A generation with a HOST stage cannot be captured as a whole.
func WithStages(stages ...exec.Stage) Option { return generation.WithStages(stages...) }

// WithWarnings passes warnings to warn instead of the default logger, for example to
// exec.IgnoreWarnings[exec.KeyedGraphLimitWarning](nil).
func WithWarnings(warn exec.WarnFunc) Option { return generation.WithWarnings(warn) }

// Generator generates batches of tracks. Each batch has the same number of envs and fills the same Track. It is a
// producer in the sense of package exec: the same work can run eagerly, be recorded into a capture of the caller, or
// replay a graph.
//
// Only one goroutine at a time may use a Generator; different generators are independent.
type Generator struct {
	config     Config
	track      *Track
	generation *generation.Generation // nil in a Generator that NewGenerator has not made
}

// NewGenerator allocates the memory of a generator and generates once, so that the Track is filled and later captures
// load nothing. It must not be called inside a capture.
//
// It returns a *ConfigError (ErrConfig) for each wrong field of config, a *backend.ArgumentError for options that do
// not fit, exec.ErrCapture inside a capture, backend.ErrUnsupported for loops that are too long for the device (see
// backend.Caps), or an error of the device.
func NewGenerator(device backend.Device, config Config, with ...Option) (_ *Generator, err error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	o, err := generation.Collect(prefix, "new generator", with)
	if err != nil {
		return nil, err
	}
	g := &Generator{config: config.Resolved()}
	made := false
	defer func() {
		if !made { // also after a panic in a stage
			err = errors.Join(during("new generator", exec.InProducer(g.config.producerName(), err)), g.core().Close())
		}
	}()
	if err = g.config.check(device, o); err != nil {
		return nil, err
	}
	if err = g.build(device, o); err != nil {
		return nil, err
	}
	if err = g.generation.Prepare(context.Background(), o.Epoch); err != nil {
		return nil, err
	}
	made = true
	return g, nil
}

// check does the checks of a valid and resolved configuration that need the device or the options.
func (c Config) check(device backend.Device, o generation.Options) error {
	if err := o.CheckNotCapturing(device, c.producerName()); err != nil {
		return err
	}
	return errors.Join(o.CheckSeeds("check options", c.NumEnvs), o.CheckComponents(c.NumEnvs, len(c.Mix)),
		c.checkLoops(device))
}

// build allocates the memory and builds the stages. It generates nothing.
func (g *Generator) build(device backend.Device, o generation.Options) error {
	stages, err := g.config.stages()
	if err != nil {
		return err
	}
	if g.track, err = generatedTrack(device, g.config); err != nil {
		return err
	}
	g.track.stream = o.Seeds.DefaultStream
	g.generation, err = generation.New(device, generation.Plan{
		Prefix: prefix, Name: g.config.producerName(), Envs: g.config.NumEnvs, Stages: stages,
		Kernels: g.config.Kernels(), Provide: g.track.provide, Seed: g.track.Seed, Epoch: g.track.Epoch,
		Counters: counters, Result: g.track, Owner: exec.WeakOwner(g),
	}, o)
	if err != nil || o.Components == nil {
		return err
	}
	return g.GivenComponents().Write(context.Background(), o.Components)
}

// provide gives the stages of a program the columns that the track has.
func (t *Track) provide(b *pipeline.Builder) error {
	var failed []error
	for _, c := range t.columns() {
		if !c.IsAbsent() {
			failed = append(failed, c.Provide(b, 0, c.Len()))
		}
	}
	return errors.Join(failed...)
}

// producerName returns the name of the generator in errors.
func (c Config) producerName() string { return "track." + c.Generator }

// Kernels lists every kernel that the stages may launch, for backend.LoadContext: NewGenerator then waits for no
// compiler. The configuration is valid; for one that is not, there may be none.
func (c Config) Kernels() []*kernel.Def {
	var defs []*kernel.Def
	for _, area := range [][]*kernel.Def{centerline.Defs, relaxation.Defs, inflation.Defs, c.spec().Kernels} {
		defs = append(defs, area...)
	}
	if c.hasHills() {
		defs = append(defs, elevation.Defs...)
	}
	if c.varies() {
		defs = append(defs, variation.Defs...)
	}
	return defs
}

var notMade = generation.NotMade(prefix)

// core returns the generation. That of a Generator that NewGenerator has not made refuses every call.
func (g *Generator) core() *generation.Generation {
	if g == nil || g.generation == nil {
		return notMade
	}
	return g.generation
}

// Config returns the configuration with every default filled in.
func (g *Generator) Config() Config { return g.config }

// Seeds returns the seeds and epochs of the next generation.
func (g *Generator) Seeds() *seeds.State { return g.core().State() }

// Track returns the result that every generation fills. The generator owns it.
func (g *Generator) Track() *Track { return g.track }

// GivenComponents returns the array of the given components of a mixed batch, one int32 per env. The next generation or
// replay reads it, and anyone may write it before that. A number that names no component, such as the initial -1, lets
// an env draw its own. Track.Component has the components that were used. If the batch is not mixed, the result is the
// zero array.
func (g *Generator) GivenComponents() exec.Array[int32] {
	return outputOf[int32](g, generation.GivenOutput)
}

// Spaced returns the centrelines before relaxation, [E*N_max]. The first Count[e] points of row e are defined.
func (g *Generator) Spaced() exec.Array[kernel.Vec2] { return outputOf[kernel.Vec2](g, spacedOutput) }

// Program returns the stages of a generation; pipeline.ArrayOf returns their outputs by name. The generator owns it.
func (g *Generator) Program() *pipeline.Program { return g.core().Program() }

// Generate makes the tracks of the current seeds and epochs and returns the Track of the generator. Inside a capture of
// the stream that ctx resolves to, the work is recorded, not run. Generate allocates nothing on an eager CPU device.
func (g *Generator) Generate(ctx context.Context) (*Track, error) {
	if err := g.core().Generate(ctx); err != nil {
		return nil, err
	}
	return g.track, nil
}

// Enqueue emits one generation on lc without any policy, for callers that record it as a part of their own work.
func (g *Generator) Enqueue(lc *exec.LaunchContext) { g.core().Enqueue(lc) }

// SetSeeds replaces the seeds of all envs, one value for each, and sets their epochs to 0. The next generation uses
// them. SetSeeds waits for its work, so it returns exec.ErrCapture inside a capture.
func (g *Generator) SetSeeds(ctx context.Context, values []int32) error {
	return g.core().SetSeeds(ctx, values)
}

// SetEpoch sets the epoch of every env. Epoch 0 uses the seeds themselves; seeds.EffectiveSeed documents the other
// epochs. SetEpoch waits for its work, so it returns exec.ErrCapture inside a capture.
func (g *Generator) SetEpoch(ctx context.Context, epoch int32) error {
	return g.core().SetEpoch(ctx, epoch)
}

// refuseCapture returns exec.ErrCapture inside a capture, for calls that wait for their own work.
func refuseCapture(lc *exec.LaunchContext, op string) error {
	return generation.RefuseCapture(lc, prefix, op)
}

// Close releases the generator and its Track. Graphs of the caller with work of the generator keep the memory that they
// use, and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of the
// generator, Close returns exec.ErrConcurrentUse and releases nothing.
func (g *Generator) Close() error { return g.core().Close() }

// counters are the names of the counters of a generation, in the order of the fields of Counters.
var counters = []string{truncatedOutput, droppedOutput}

// Counters count what did not fit in the last generation. The device counts; the numbers are read only on request. With
// Config.Candidates above 1, they count every candidate that was drawn, including those that were not kept.
type Counters struct {
	Truncated int // envs whose loop needs more than N_max points; they are not valid
	Dropped   int // how often a point had more close points than relax.separation_cache_slots
}

// Counters waits for everything emitted so far on the stream of the call, and reads the counters of the last
// generation.
func (g *Generator) Counters(ctx context.Context) (Counters, error) {
	values, err := g.core().Counters(ctx)
	if err != nil {
		return Counters{}, err
	}
	return Counters{Truncated: int(values[0]), Dropped: int(values[1])}, nil
}
