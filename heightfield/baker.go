package heightfield

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/pipeline"
)

// prefix stands once in each message of the package, in front of what a function of the package was doing.
const prefix = "heightfield: "

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
	component *component.Component
	heights   *Heights
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
	o, err := component.Check(device, prefix, op, with)
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
	b := &Baker{}
	made := false
	defer func() {
		if !made {
			err = errors.Join(during(op, err), b.Close())
		}
	}()
	b.component, err = component.New(device, component.Plan{
		Prefix: prefix, Name: "heightfield", Envs: envs, Provide: source.provide, Stages: []exec.Stage{Stage(config)},
		Owner: exec.WeakOwner(b),
	}, o)
	if err != nil {
		return nil, err
	}
	if err = b.outputs(envs, config, o); err != nil {
		return nil, err
	}
	// A refresh of no envs loads everything and bakes nothing.
	if err = b.component.Prepare(func(lc *exec.LaunchContext) {
		exec.Fill(lc, b.heights.Height, kernel.NaN())
		b.component.EnqueueNone(lc)
	}); err != nil {
		return nil, err
	}
	made = true
	return b, nil
}

// outputs finds the arrays that the stage writes.
func (b *Baker) outputs(envs int, c Config, o generation.Options) error {
	program := b.component.Program()
	b.heights = &Heights{Envs: envs, Resolution: c.Resolution, device: b.component.Device(), stream: o.Seeds.DefaultStream}
	var failed [3]error
	b.heights.Height, failed[0] = pipeline.ArrayOf[float32](program, HeightOutput)
	b.heights.Low, failed[1] = pipeline.ArrayOf[kernel.Vec2](program, LowOutput)
	b.heights.High, failed[2] = pipeline.ArrayOf[kernel.Vec2](program, HighOutput)
	return errors.Join(failed[:]...)
}

// provide gives the stage the arrays of the tracks.
func (s Source) provide(b *pipeline.Builder) error {
	return errors.Join(
		pipeline.Provide(b, outerInput, s.Outer), pipeline.Provide(b, centerInput, s.Center),
		pipeline.Provide(b, innerInput, s.Inner), pipeline.Provide(b, countInput, s.Count),
		pipeline.Provide(b, validInput, s.Valid))
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
	if b == nil || b.component == nil {
		return &backend.ArgumentError{Op: prefix + op, Argument: "baker", Value: nil, Allowed: "one made by NewBaker"}
	}
	if b.component.Open(prefix, op) != nil {
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
	if err := b.component.Refresh(ctx, op); err != nil {
		return nil, err
	}
	return b.heights, nil
}

// BakeMasked bakes the grids of the envs whose mask is not 0, and changes no byte of the other envs. mask has one int32
// per env and is read on the device, so its values may change between calls and between replays of a graph. The zero
// array stands for all envs. The work is proportional to the number of masked envs. On an eager CPU device, only the
// first call with a mask allocates.
func (b *Baker) BakeMasked(ctx context.Context, mask exec.Array[int32]) (*Heights, error) {
	const op = "bake masked"
	if err := b.check(op); err != nil {
		return nil, err
	}
	if err := b.component.RefreshMasked(ctx, op, mask); err != nil {
		return nil, err
	}
	return b.heights, nil
}

// Enqueue emits one baking on lc without any policy, for callers that record it as a part of their own work.
func (b *Baker) Enqueue(lc *exec.LaunchContext) {
	if err := b.check("enqueue"); err != nil {
		lc.Fail(err)
		return
	}
	b.component.EnqueueRefresh(lc)
}

// EnqueueMasked emits one BakeMasked on lc without any policy.
func (b *Baker) EnqueueMasked(lc *exec.LaunchContext, mask exec.Array[int32]) {
	const op = "enqueue masked"
	err := b.check(op)
	if err == nil && !mask.IsZero() {
		_, err = b.component.Mask(op, mask)
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	b.component.EnqueueRefreshMasked(lc, mask)
}

// EnqueueEnvs emits one baking of the envs of a list, which has the layout of pipeline.List, without any policy.
func (b *Baker) EnqueueEnvs(lc *exec.LaunchContext, list exec.Array[int32]) {
	if err := b.check("enqueue envs"); err != nil {
		lc.Fail(err)
		return
	}
	b.component.EnqueueEnvs(lc, list)
}

// Close releases the baker and its Heights. Graphs of the caller with work of the baker keep the memory that they use,
// and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of the baker, Close
// returns exec.ErrConcurrentUse and releases nothing.
func (b *Baker) Close() error {
	if b == nil {
		return nil
	}
	return b.component.Close()
}
