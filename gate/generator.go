package gate

import (
	"context"
	"errors"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/gate"
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

// WithStages adds stages to the end of a generation. They work on the courses of the envs that pipeline.Active lists.
// They read the courses as inputs with the names of the fields of Sequence ("position", "count"; see Stages).
//
// A generation with a HOST stage cannot be captured as a whole.
func WithStages(stages ...exec.Stage) Option { return generation.WithStages(stages...) }

// WithWarnings passes warnings to warn instead of the default logger.
func WithWarnings(warn exec.WarnFunc) Option { return generation.WithWarnings(warn) }

// RegenerateOption is an option of Regenerate. It is a plain value, so that calls allocate nothing.
type RegenerateOption = generation.RegenerateOption

// SameEpoch leaves the epochs as they are: the envs of the mask get the same courses again, unless their seeds have
// changed.
func SameEpoch() RegenerateOption { return generation.SameEpoch() }

// Generator generates batches of gate courses. Each batch has the same number of envs and fills the same Sequence. It
// is a producer in the sense of package exec: the same work can run eagerly, be recorded into a capture of the caller,
// or replay a graph.
//
// Only one goroutine at a time may use a Generator; different generators are independent.
type Generator struct {
	config     Config
	sequence   *Sequence
	firstEnv   exec.Array[int32]
	generation *generation.Generation // nil in a Generator that NewGenerator has not made
}

// NewGenerator allocates the memory of a generator and generates once, so that the Sequence is filled and later
// captures load nothing. It must not be called inside a capture.
//
// It returns a *ConfigError (ErrConfig) for each wrong field of config, a *backend.ArgumentError for options that do
// not fit, exec.ErrCapture inside a capture, a *generation.LoopsError (backend.ErrUnsupported) for courses with too
// many gates or sweeps for the device (see backend.Caps), or an error of the device.
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
			err = errors.Join(during("new generator", exec.InProducer(config.producerName(), err)), g.core().Close())
		}
	}()
	if err = config.check(device, o); err != nil {
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

// check does the checks of a valid configuration that need the device or the options.
func (c Config) check(device backend.Device, o generation.Options) error {
	if err := o.CheckNotCapturing(device, c.producerName()); err != nil {
		return err
	}
	const op = "check options"
	return errors.Join(o.CheckSeeds(op, c.NumEnvs), o.CheckComponents(c.NumEnvs, len(c.Mix)),
		c.checkFirstEnv(op, o.FirstEnv), c.checkLoops(device))
}

// build allocates the memory and builds the stages. It generates nothing.
func (g *Generator) build(device backend.Device, o generation.Options) error {
	stages, err := g.config.stages()
	if err != nil {
		return err
	}
	if g.sequence, err = newSequence(device, g.config.NumEnvs, g.config.Output.MaxGates); err != nil {
		return err
	}
	g.sequence.stream = o.Seeds.DefaultStream
	g.generation, err = generation.New(device, generation.Plan{
		Prefix: prefix, Name: g.config.producerName(), Envs: g.config.NumEnvs, Stages: stages,
		Kernels: g.config.Kernels(), Provide: g.provide, Seed: g.sequence.Seed, Epoch: g.sequence.Epoch,
		Result: g.sequence, Owner: exec.WeakOwner(g),
	}, o)
	if err == nil && o.FirstEnv != 0 {
		err = g.firstEnv.Write(context.Background(), []int32{int32(o.FirstEnv)})
	}
	if err != nil || o.Components == nil {
		return err
	}
	return g.GivenComponents().Write(context.Background(), o.Components)
}

// provide gives the stages the columns of the result and the number of the first env.
func (g *Generator) provide(b *pipeline.Builder) error {
	return errors.Join(g.sequence.provide(b), g.provideFirstEnv(b))
}

// producerName returns the name of the generator in errors.
func (c Config) producerName() string { return "gate." + c.Generator }

// Kernels lists every kernel that the stages may launch, for backend.LoadContext: NewGenerator then waits for no
// compiler. The configuration is valid; for one that is not, there may be none.
func (c Config) Kernels() []*kernel.Def {
	defs := slices.Clone(gate.Defs)
	for _, kind := range c.kinds() {
		defs = append(defs, kind.source().kernels...)
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

// Sequence returns the result that every generation fills. The generator owns it.
func (g *Generator) Sequence() *Sequence { return g.sequence }

// GivenComponents returns the array of the given components of a mixed batch, one int32 per env. The next generation or
// replay reads it, and anyone may write it before that. A number that names no component, such as the initial -1, lets
// an env draw its own. If the batch is not mixed, the result is the zero array.
func (g *Generator) GivenComponents() exec.Array[int32] {
	return generation.ArrayOf[int32](g.core(), generation.GivenOutput)
}

// Program returns the stages of a generation; pipeline.ArrayOf returns their outputs by name. The generator owns it.
func (g *Generator) Program() *pipeline.Program { return g.core().Program() }

// Generate makes the courses of the current seeds and epochs and returns the Sequence of the generator. Inside a
// capture of the stream that ctx resolves to, the work is recorded, not run. Generate allocates nothing on an eager CPU
// device.
func (g *Generator) Generate(ctx context.Context) (*Sequence, error) {
	if err := g.core().Generate(ctx); err != nil {
		return nil, err
	}
	return g.sequence, nil
}

// Enqueue emits one generation on lc without any policy, for callers that record it as a part of their own work.
func (g *Generator) Enqueue(lc *exec.LaunchContext) { g.core().Enqueue(lc) }

// Regenerate makes new courses for the envs whose mask is not 0, and changes no byte of the other envs. It first
// advances the epochs of the masked envs, unless SameEpoch is given. mask has one int32 per env and is read on the
// device, so its values may change between calls and between replays of a graph. The zero array stands for all envs.
//
// The work is proportional to the number of masked envs. Inside a capture on a device with conditionals, the device
// skips all work if no env is masked. On an eager CPU device, only the first call with a mask allocates.
func (g *Generator) Regenerate(ctx context.Context, mask exec.Array[int32],
	options ...RegenerateOption) (*Sequence, error) {
	if err := g.core().Regenerate(ctx, mask, options...); err != nil {
		return nil, err
	}
	return g.sequence, nil
}

// EnqueueRegenerate emits one Regenerate on lc without any policy.
func (g *Generator) EnqueueRegenerate(lc *exec.LaunchContext, mask exec.Array[int32], options ...RegenerateOption) {
	g.core().EnqueueRegenerate(lc, mask, options...)
}

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

// Close releases the generator and its Sequence. Graphs of the caller with work of the generator keep the memory that
// they use, and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of the
// generator, Close returns exec.ErrConcurrentUse and releases nothing.
func (g *Generator) Close() error { return g.core().Close() }
