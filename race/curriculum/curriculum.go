package curriculum

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
	kernels "github.com/trackgen-go/trackgen/kernels/difficulty"
	"github.com/trackgen-go/trackgen/race/difficulty"
	"github.com/trackgen-go/trackgen/race/raceline"
	"github.com/trackgen-go/trackgen/track"
)

// Option is an option of New.
type Option = generation.Option

// WithStream sets the stream of calls for which neither the call nor an ambient context names one (R6).
func WithStream(stream backend.Stream) Option { return generation.WithStream(stream) }

// WithWarnings passes warnings to warn instead of the default logger.
func WithWarnings(warn exec.WarnFunc) Option { return generation.WithWarnings(warn) }

// Curriculum chooses the next tracks of envs by targets. It is a producer in the sense of package exec: a choice can
// run eagerly, be recorded into a capture of the caller, or replay a graph. It takes at most Config.Tries generations
// of the envs of its mask, and less once their candidates are near enough to the targets.
//
// Only one goroutine at a time may use a Curriculum; different ones are independent.
type Curriculum struct {
	component *component.Component
	config    Config
	source    Source
	choices   *Choices

	column, whole int32 // where the label is, see kernels.JudgeTrack

	scout    *track.Generator // of candidates
	lines    *raceline.Optimiser
	assessor *difficulty.Assessor
	pending  exec.Array[int32]   // [E] whether an env needs another candidate
	rank     exec.Array[float32] // [E] that of the best candidate so far

	works component.Works[call]
}

// call is what a choice works on.
type call struct {
	target exec.Array[float32]
	mask   exec.Array[int32]
}

// New returns a curriculum for envs whose tracks a generator of this configuration makes, by the seeds and epochs of
// source. It must not be called inside a capture, and it needs the memory of such a generator. The arrays of source
// stay open as long as the curriculum is used. Options of generators alone are refused.
//
// It returns a *ConfigError (ErrConfig) for each wrong field of a configuration, a *backend.ArgumentError for a wrong
// device, source or option, exec.ErrCapture inside a capture, backend.ErrUnsupported for tracks with too many points
// for the loops of the device (see backend.Caps), or an error of the device.
func New(device backend.Device, tracks track.Config, source Source, config Config, with ...Option) (_ *Curriculum,
	err error) {
	const op = "new"
	if err := errors.Join(config.Validate(), tracks.Validate()); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	o, err := component.Check(device, prefix, op, with)
	if err != nil {
		return nil, err
	}
	if err := source.check(prefix+op, device, tracks.NumEnvs); err != nil {
		return nil, err
	}
	config.Labels.CarWidth = config.Car.CarWidth
	c := &Curriculum{config: config, source: source}
	c.column, c.whole = config.place()
	made := false
	defer func() {
		if !made {
			err = errors.Join(exec.Doing(prefix+op, err), c.Close())
		}
	}()
	if err = c.build(device, tracks, o); err != nil {
		return nil, err
	}
	made = true
	return c, nil
}

// build allocates the memory, and makes the generator of candidates and what labels them.
func (c *Curriculum) build(device backend.Device, tracks track.Config, o generation.Options) (err error) {
	envs := tracks.NumEnvs
	if c.choices, err = newChoices(component.Place{Prefix: prefix, Device: device, Stream: o.Seeds.DefaultStream},
		envs); err != nil {
		return err
	}
	if c.pending, err = exec.NewArray[int32](device, envs); err != nil {
		return err
	}
	if c.rank, err = exec.NewArray[float32](device, envs); err != nil {
		return err
	}
	stream := generation.WithStream(o.Seeds.DefaultStream)
	if c.scout, err = track.NewGenerator(device, tracks, stream); err != nil {
		return err
	}
	if c.lines, err = raceline.New(device, raceline.SourceOf(c.scout.Track()), c.config.Car, stream); err != nil {
		return err
	}
	labelled := difficulty.SourceOf(c.scout.Track(), c.lines.Line())
	if c.assessor, err = difficulty.New(device, labelled, c.config.Labels, stream); err != nil {
		return err
	}
	c.component, err = component.New(device, component.Plan{Prefix: prefix, Name: "curriculum", Envs: envs,
		Kernels: kernels.Defs, Owner: exec.WeakOwner(c)}, o)
	if err != nil {
		return err
	}
	c.works.Make = func(of call) exec.Enqueue { return func(lc *exec.LaunchContext) { c.emit(lc, of) } }
	return c.prepare(device)
}

// prepare makes a choice for no env, which loads everything. Labels are NaN until there is one.
func (c *Curriculum) prepare(device backend.Device) (err error) {
	var target exec.Array[float32]
	var none exec.Array[int32]
	defer func() { err = errors.Join(err, target.Close(), none.Close()) }()
	if target, err = exec.NewArray[float32](device, c.choices.Envs); err != nil {
		return err
	}
	if none, err = exec.NewArray[int32](device, c.choices.Envs); err != nil {
		return err
	}
	err = c.component.Prepare(func(lc *exec.LaunchContext) {
		exec.Fill(lc, c.choices.packed.Floats, kernel.NaN())
		c.emit(lc, call{target, none})
	})
	if err != nil {
		return err
	}
	lc, err := c.component.Context(context.Background(), "prepare")
	if err != nil {
		return err
	}
	return lc.Stream().Sync() // the launches use the arrays
}

// emit emits a choice.
func (c *Curriculum) emit(lc *exec.LaunchContext, of call) {
	envs, packed, state := c.choices.Envs, c.choices.packed, c.scout.Seeds()
	kernels.StartSearch(lc, envs, kernels.StartSearchArgs{Number: int32(envs), Mask: of.mask, Seed: c.source.Seed,
		Epoch: c.source.Epoch, ScoutSeed: state.Seed(), ScoutEpoch: state.Epoch(), Pending: c.pending, Rank: c.rank,
		Floats: packed.Floats, Integers: packed.Integers})
	labels, counts := c.assessor.Labels().Packed()
	for range c.config.Tries {
		c.scout.EnqueueRegenerate(lc, c.pending)
		c.lines.EnqueueRefreshMasked(lc, c.pending)
		c.assessor.EnqueueRefreshMasked(lc, c.pending)
		kernels.JudgeTrack(lc, envs, kernels.JudgeTrackArgs{Number: int32(envs), Column: c.column, Whole: c.whole,
			Tolerance: float32(c.config.Tolerance), Target: of.target, Valid: c.scout.Track().Valid, Labels: labels,
			Counts: counts, ScoutEpoch: state.Epoch(), Pending: c.pending, Rank: c.rank, Floats: packed.Floats,
			Integers: packed.Integers})
	}
	kernels.SettleEpochs(lc, envs, of.mask, packed.Integers, c.source.Epoch)
}

// Choose chooses the next track of each env whose mask is not 0, and changes nothing of the other envs. target [E]
// has the wanted labels: NaN is no wish, which takes the next track that is valid, +Inf is as large as possible, and
// -Inf as small as possible (L-86). mask has one int32 per env; the zero array stands for all envs. Both are read on
// the device, so that their values may change between calls and between replays of a graph. A regeneration of the
// same envs has to follow, with epochs that advance: it makes the chosen tracks.
//
// Inside a capture of the stream that ctx resolves to, the work is recorded, not run. On an eager CPU device, only the
// first call with a target and a mask allocates.
func (c *Curriculum) Choose(ctx context.Context, target exec.Array[float32], mask exec.Array[int32]) error {
	const op = "choose"
	of, err := c.call(op, target, mask)
	if err != nil {
		return err
	}
	return c.component.Run(ctx, op, c.works.Get(of))
}

// EnqueueChoose emits one Choose on lc without any policy, for callers that record it as a part of their own work.
func (c *Curriculum) EnqueueChoose(lc *exec.LaunchContext, target exec.Array[float32], mask exec.Array[int32]) {
	of, err := c.call("enqueue choose", target, mask)
	if err != nil {
		lc.Fail(err)
		return
	}
	c.emit(lc, of)
}

// call checks the arguments of a choice.
func (c *Curriculum) call(op string, target exec.Array[float32], mask exec.Array[int32]) (of call, err error) {
	if err := c.open(op); err != nil {
		return of, err
	}
	if target.Check(op, "target", c.component.Device(), c.choices.Envs) != nil { // op has no prefix: no text is made
		return of, target.Check(prefix+op, "target", c.component.Device(), c.choices.Envs)
	}
	mask, err = c.component.Mask(op, mask)
	return call{target, mask}, err
}

// open returns a *backend.ArgumentError for a curriculum that New did not make, and a *backend.ClosedError for a
// closed one.
func (c *Curriculum) open(op string) error {
	if c == nil {
		return (*component.Component)(nil).Open(prefix, op)
	}
	return c.component.Open(prefix, op)
}

// Choices returns what each choice rewrites for the envs of its mask. The curriculum owns them.
func (c *Curriculum) Choices() *Choices {
	if c == nil {
		return nil
	}
	return c.choices
}

// Config returns the configuration.
func (c *Curriculum) Config() Config {
	if c == nil {
		return Config{}
	}
	return c.config
}

// Close releases the curriculum, its choices and its generator. Graphs of the caller with work of the curriculum keep
// the memory that they use, and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in
// a call of the curriculum, Close returns exec.ErrConcurrentUse and releases nothing.
func (c *Curriculum) Close() error {
	if c == nil {
		return nil
	}
	if err := c.component.Close(); errors.Is(err, exec.ErrConcurrentUse) {
		return err
	}
	var failed []error
	if c.assessor != nil {
		failed = append(failed, c.assessor.Close())
	}
	if c.lines != nil {
		failed = append(failed, c.lines.Close())
	}
	if c.scout != nil {
		failed = append(failed, c.scout.Close())
	}
	return errors.Join(append(failed, c.rank.Close(), c.pending.Close(), c.choices.Close())...)
}
