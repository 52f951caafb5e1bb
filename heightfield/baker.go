package heightfield

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/selection"
	"github.com/trackgen-go/trackgen/pipeline"
)

const (
	// prefix stands once in each message of the package, in front of what a function of the package was doing.
	prefix = "heightfield: "

	// maxMasks is the maximum number of masks whose work a baker remembers. At the maximum, a new mask makes it forget all
	// others.
	maxMasks = 64
)

// during returns err with a note of what a function of the package was doing.
func during(op string, err error) error {
	if err == nil {
		return nil
	}
	return exec.Doing(prefix+op, err)
}

// Heights is a batch of grids in device memory.
type Heights struct {
	Envs, Resolution int

	Height    exec.Array[float32]     // [E, R, R]: element e*R*R + y*R + x; NaN for a track that is not valid
	Low, High exec.Array[kernel.Vec2] // [E] corners of the grid

	device backend.Device
	stream backend.Stream // for calls that name no stream; nil is the device's current stream
}

// Option is an option of NewBaker.
type Option = generation.Option

// WithStream sets the stream of calls for which neither the call nor an ambient context names one (R6).
func WithStream(stream backend.Stream) Option { return generation.WithStream(stream) }

// WithWarnings passes warnings to warn instead of the default logger.
func WithWarnings(warn exec.WarnFunc) Option { return generation.WithWarnings(warn) }

// Baker bakes the grids of a batch of tracks, whenever it is told to. It is a producer in the sense of package exec:
// the same work can run eagerly, be recorded into a capture of the caller, or replay a graph.
//
// Only one goroutine at a time may use a Baker; different bakers are independent.
type Baker struct {
	device  backend.Device
	program *pipeline.Program
	runner  *exec.GraphRunner
	heights *Heights

	body      exec.Enqueue      // bakes all envs
	masked    exec.Array[int32] // [1+E] list of the envs of a mask, see package selection
	anyMasked exec.Array[int32] // [1] its length
	enqueue   exec.Enqueue      // bakes the envs of the list

	mutex sync.Mutex // keeps wrong concurrent calls, which the runner reports, from corrupting known
	known map[backend.View]maskedWork

	closed atomic.Bool
}

// maskedWork is the work of one mask. It is made once, so that later calls allocate nothing.
type maskedWork struct {
	key  any
	body exec.Enqueue
}

// NewBaker allocates the grids of the tracks in source and loads the kernels, so that later captures load nothing. It
// bakes nothing: the heights are NaN until Bake. It must not be called inside a capture. The arrays of source stay
// open as long as the baker is used, and each baking reads what they hold then. Options of generators alone are
// refused.
//
// It returns a *ConfigError (ErrConfig) for each wrong field of config, a *backend.ArgumentError for a wrong device,
// source or option, exec.ErrCapture inside a capture, backend.ErrUnsupported for tracks with too many points for the
// loops of the device (see backend.Caps), or an error of the device.
func NewBaker(device backend.Device, source Source, config Config, with ...Option) (_ *Baker, err error) {
	const op = "new baker"
	if err := config.Validate(); err != nil {
		return nil, during(op, err)
	}
	if err := exec.CheckDevice(prefix+op, device); err != nil {
		return nil, err
	}
	o, err := collect(prefix+op, with)
	if err != nil {
		return nil, err
	}
	envs := source.Count.Len()
	if envs == 0 {
		return nil, &backend.ArgumentError{Op: prefix + op, Argument: "source", Value: "without arrays",
			Allowed: "the arrays of a batch of tracks, as SourceOf returns them"}
	}
	if err := errors.Join(source.check(prefix+op, device, envs), during(op, config.checkEnvs(envs))); err != nil {
		return nil, err
	}
	if _, err := exec.EnsureNotCapturing(context.Background(), device, "heightfield", o.Seeds.DefaultStream); err != nil {
		return nil, err
	}
	b := &Baker{device: device}
	made := false
	defer func() {
		if !made {
			err = errors.Join(during(op, err), b.Close())
		}
	}()
	if err = b.build(source, config, o); err != nil {
		return nil, err
	}
	made = true
	return b, nil
}

// collect returns what the options set. A baker has no seeds and no stages, so options that set them are refused.
func collect(op string, with []Option) (generation.Options, error) {
	o, err := generation.Collect(prefix, "new baker", with)
	if err != nil {
		return o, err
	}
	if len(o.Stages) > 0 {
		return o, &backend.ArgumentError{Op: op, Argument: "options", Value: "stages", Allowed: "none"}
	}
	return o, o.RefuseOrigins(op)
}

// build allocates the memory and prepares the runner with an empty list of envs, which loads everything and bakes
// nothing.
func (b *Baker) build(source Source, c Config, o generation.Options) (err error) {
	if err := b.device.Load(selection.Defs...); err != nil {
		return err
	}
	envs := source.Count.Len()
	builder, err := pipeline.NewBuilder(b.device, envs)
	if err != nil {
		return err
	}
	if err = b.provide(builder, source); err != nil {
		return errors.Join(err, builder.Close())
	}
	if b.program, err = builder.Build(Stage(c)); err != nil {
		return err
	}
	b.heights = &Heights{Envs: envs, Resolution: c.Resolution, device: b.device, stream: o.Seeds.DefaultStream}
	var failed [3]error
	b.heights.Height, failed[0] = pipeline.ArrayOf[float32](b.program, HeightOutput)
	b.heights.Low, failed[1] = pipeline.ArrayOf[kernel.Vec2](b.program, LowOutput)
	b.heights.High, failed[2] = pipeline.ArrayOf[kernel.Vec2](b.program, HighOutput)
	if err := errors.Join(failed[:]...); err != nil {
		return err
	}
	b.body = b.program.Enqueue
	b.enqueue = func(lc *exec.LaunchContext) { b.program.EnqueueEnvs(lc, b.masked) }
	runner := b.program.RunnerOptions("heightfield")
	runner.DefaultStream, runner.Owner, runner.Warn = o.Seeds.DefaultStream, exec.WeakOwner(b), o.Warn
	if b.runner, err = exec.NewGraphRunner(b.device, runner); err != nil {
		return err
	}
	return b.runner.Prepare(context.Background(), func(lc *exec.LaunchContext) {
		exec.Fill(lc, b.heights.Height, kernel.NaN())
		b.enqueue(lc)
	})
}

// provide gives the stage the arrays of the tracks, and allocates the list of the envs of a mask.
func (b *Baker) provide(builder *pipeline.Builder, source Source) (err error) {
	if b.masked, err = exec.Scratch[int32](builder, source.Count.Len()+1); err != nil {
		return err
	}
	if b.anyMasked, err = b.masked.Slice(0, 1); err != nil {
		return err
	}
	return errors.Join(
		pipeline.Provide(builder, outerInput, source.Outer), pipeline.Provide(builder, centerInput, source.Center),
		pipeline.Provide(builder, innerInput, source.Inner), pipeline.Provide(builder, countInput, source.Count),
		pipeline.Provide(builder, validInput, source.Valid))
}

// Heights returns the grids that every baking fills. The baker owns them.
func (b *Baker) Heights() *Heights {
	if b == nil {
		return nil
	}
	return b.heights
}

// check returns a *backend.ArgumentError for a Baker that NewBaker did not make, and a *backend.ClosedError for a
// closed one.
func (b *Baker) check(op string) error {
	if b == nil || b.runner == nil {
		return &backend.ArgumentError{Op: prefix + op, Argument: "baker", Value: nil, Allowed: "one made by NewBaker"}
	}
	if b.closed.Load() {
		return &backend.ClosedError{Op: prefix + op, What: "baker"}
	}
	return nil
}

// Bake bakes the grids of all envs and returns the Heights of the baker. Inside a capture of the stream that ctx
// resolves to, the work is recorded, not run. Bake allocates nothing on an eager CPU device.
func (b *Baker) Bake(ctx context.Context) (*Heights, error) {
	const op = "bake"
	if err := b.check(op); err != nil {
		return nil, err
	}
	if _, err := b.runner.Run(ctx, b.body, exec.RunOptions{}); err != nil {
		return nil, during(op, err)
	}
	return b.heights, nil
}

// BakeMasked bakes the grids of the envs whose mask is not 0, and changes no byte of the other envs. mask has one int32
// per env and is read on the device, so its values may change between calls and between replays of a graph. The work is
// proportional to the number of masked envs. On an eager CPU device, only the first call with a mask allocates.
func (b *Baker) BakeMasked(ctx context.Context, mask exec.Array[int32]) (*Heights, error) {
	const op = "bake masked"
	if err := b.check(op); err != nil {
		return nil, err
	}
	if err := mask.Check(prefix+op, "mask", b.device, b.heights.Envs); err != nil {
		return nil, err
	}
	work := b.workOf(mask)
	if _, err := b.runner.Run(ctx, work.body, exec.RunOptions{Key: work.key}); err != nil {
		return nil, during(op, err)
	}
	return b.heights, nil
}

// workOf returns the work for a mask.
func (b *Baker) workOf(mask exec.Array[int32]) maskedWork {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	view := mask.View()
	if work, ok := b.known[view]; ok {
		return work
	}
	if len(b.known) >= maxMasks || b.known == nil {
		b.known = make(map[backend.View]maskedWork)
	}
	work := maskedWork{key: view, body: func(lc *exec.LaunchContext) { b.EnqueueMasked(lc, mask) }}
	b.known[view] = work
	return work
}

// Enqueue emits one baking on lc without any policy, for callers that record it as a part of their own work.
func (b *Baker) Enqueue(lc *exec.LaunchContext) {
	if err := b.check("enqueue"); err != nil {
		lc.Fail(err)
		return
	}
	b.body(lc)
}

// EnqueueMasked emits one BakeMasked on lc without any policy.
func (b *Baker) EnqueueMasked(lc *exec.LaunchContext, mask exec.Array[int32]) {
	if err := b.check("enqueue"); err != nil {
		lc.Fail(err)
		return
	}
	selection.Compact(lc, 1, int32(b.heights.Envs), mask, b.masked)
	// The length of the list serves as the flag, because a baking of no envs changes nothing (R23).
	exec.SkipUnless(lc, b.anyMasked, b.enqueue)
}

// EnqueueEnvs emits one baking of the envs of a list, which has the layout of pipeline.List, without any policy.
func (b *Baker) EnqueueEnvs(lc *exec.LaunchContext, list exec.Array[int32]) {
	if err := b.check("enqueue"); err != nil {
		lc.Fail(err)
		return
	}
	b.program.EnqueueEnvs(lc, list)
}

// Close releases the baker and its Heights. Graphs of the caller with work of the baker keep the memory that they use,
// and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of the baker, Close
// returns exec.ErrConcurrentUse and releases nothing.
func (b *Baker) Close() error {
	if b == nil || !b.closed.CompareAndSwap(false, true) {
		return nil
	}
	var failed []error
	if b.runner != nil {
		err := b.runner.Close()
		if errors.Is(err, exec.ErrConcurrentUse) {
			b.closed.Store(false)
			return during("close", err)
		}
		failed = append(failed, err)
	}
	return errors.Join(append(failed, b.program.Close())...)
}
