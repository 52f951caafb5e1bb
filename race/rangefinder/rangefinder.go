package rangefinder

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/rangefinder"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/race/internal/observing"
)

// prefix stands once in each message of the package, in front of what a function of the package was doing.
const prefix = "rangefinder: "

// Option is an option of New.
type Option = generation.Option

// WithStream sets the stream of calls for which neither the call nor an ambient context names one (R6).
func WithStream(stream backend.Stream) Option { return generation.WithStream(stream) }

// WithWarnings passes warnings to warn instead of the default logger.
func WithWarnings(warn exec.WarnFunc) Option { return generation.WithWarnings(warn) }

// Inputs say where agents are, in device memory: agent a of env e is element e*A + a. A position with a NaN pauses its
// agent: its ranges are NaN, and no beam hits it (L-36).
type Inputs struct {
	Position    exec.Array[kernel.Vec3] // [E*A] in track units
	Orientation exec.Array[kernel.Quat] // [E*A] (x, y, z, w), of unit length
	// HalfExtents are half of the length and of the width of agents [E*A], which others see. It may be the zero array
	// unless Config.SeeAgents is true.
	HalfExtents exec.Array[kernel.Vec2]
}

// RangeFinder measures the distances along the beams of a sensor on each agent (L-30 to L-37). It is a producer in the
// sense of package exec: an update can run eagerly, be recorded into a capture of the caller, or replay a graph.
//
// Update and UpdateAt are for every step, and allocate nothing on an eager CPU device. Refresh follows each change of
// borders and posts. Reset lets the noise begin again.
//
// Only one goroutine at a time may use a RangeFinder; different ones are independent.
type RangeFinder struct {
	observer *observing.Observer[Inputs]
	config   Config
	source   Source
	scans    *Scans
	run      int     // beams of a ring, 0 without rings: see Config.hasRings
	gap      float32 // angle between beams

	index       exec.Array[kernel.Quat]
	discs       exec.Array[kernel.Vec3]
	count       exec.Array[int32] // of discs
	turn        exec.Array[kernel.Vec2]
	rings       exec.Array[kernel.Vec2] // see Config.rings
	hint        exec.Array[int32]       // of each run of beams: where the next search begins, which changes no range
	seed, epoch exec.Array[int32]
	step        exec.Array[int32]
}

// New allocates the scans, and makes an index of the borders in source. It must not be called inside a capture. The
// arrays of source stay open as long as the range finder is used; each refresh reads those of borders and posts, and
// each update the others. Before the first update, all ranges are NaN.
//
// It returns a *ConfigError (ErrConfig) for a wrong field of config, a *backend.ArgumentError for a wrong device,
// source or option, exec.ErrCapture inside a capture, backend.ErrUnsupported for too many points for the loops of the
// device (see backend.Caps), or an error of the device.
func New(device backend.Device, source Source, config Config, with ...Option) (_ *RangeFinder, err error) {
	const op = "new"
	if err := config.Validate(); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	o, err := component.Check(device, prefix, op, with)
	if err != nil {
		return nil, err
	}
	if err := source.check(prefix+op, device); err != nil {
		return nil, err
	}
	config = config.resolved()
	if err := config.checkRoom(source.envs()); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	r := &RangeFinder{config: config, source: source}
	if config.hasRings() {
		r.run, r.gap = config.ringBeams(device), float32(config.gap())
	}
	made := false
	defer func() {
		if !made {
			err = errors.Join(exec.Doing(prefix+op, err), r.Close(), r.scans.Close())
		}
	}()
	if err = r.build(device, o); err != nil {
		return nil, err
	}
	made = true
	return r, nil
}

// build allocates the scans and the component, and does its work once.
func (r *RangeFinder) build(device backend.Device, o generation.Options) (err error) {
	envs, c := r.source.envs(), r.config
	place := component.Place{Prefix: prefix, Device: device, Stream: o.Seeds.DefaultStream}
	if r.scans, err = newScans(place, envs, c.Agents, c.Beams); err != nil {
		return err
	}
	var stages []exec.Stage
	if r.source.hasBorders() {
		stages = append(stages, collision.BordersStage())
	}
	if r.source.hasPosts() {
		stages = append(stages, collision.PostsStage())
	}
	parts, err := component.New(device, component.Plan{Prefix: prefix, Name: "rangefinder", Envs: envs,
		Owner: exec.WeakOwner(r), Kernels: rangefinder.Defs, Stages: stages, Provide: r.provide}, o)
	if err != nil {
		return err
	}
	r.observer = observing.New(parts, observing.Plan[Inputs]{Prefix: prefix, Check: r.check, Named: r.named, Emit: r.emit,
		Result: r.scans})
	r.observer.Resets(func(lc *exec.LaunchContext, mask exec.Array[int32]) {
		rangefinder.Begin(lc, envs, mask, r.step)
	})
	if err := r.findOutputs(parts.Program()); err != nil {
		return err
	}
	if err := r.write(context.Background()); err != nil {
		return err
	}
	nowhere, err := newNowhere(device, envs*c.Agents)
	if err != nil {
		return err
	}
	err = parts.Prepare(func(lc *exec.LaunchContext) {
		parts.EnqueueRefresh(lc)
		r.emit(lc, nowhere) // for the limit of the loops
		exec.Fill(lc, r.scans.Distance, kernel.NaN())
		exec.Fill(lc, r.scans.Hit, HitNone)
		exec.Fill(lc, r.step, 0)
	})
	return errors.Join(err, nowhere.close())
}

// provide gives the stages the arrays of tracks and gates, and allocates those of the range finder.
func (r *RangeFinder) provide(b *pipeline.Builder) (err error) {
	s, envs := r.source, r.source.envs()
	if r.turn, err = exec.Scratch[kernel.Vec2](b, r.config.Beams); err != nil {
		return err
	}
	if r.run > 0 {
		if r.rings, err = exec.Scratch[kernel.Vec2](b, r.ringRuns()*int(rangefinder.RingSize(int32(r.run)))); err != nil {
			return err
		}
		if r.hint, err = exec.Scratch[int32](b, envs*r.config.Agents*r.ringRuns()); err != nil {
			return err
		}
	}
	if r.step, err = exec.Scratch[int32](b, envs); err != nil {
		return err
	}
	r.index, r.discs, r.count, r.seed, r.epoch = s.Checker.Index, s.Discs, s.Count, s.Seed, s.Epoch
	if r.count.IsZero() {
		if r.count, err = exec.Scratch[int32](b, envs); err != nil {
			return err
		}
	}
	if r.seed.IsZero() {
		if r.seed, err = exec.Scratch[int32](b, envs); err != nil {
			return err
		}
		if r.epoch, err = exec.Scratch[int32](b, envs); err != nil {
			return err
		}
	}
	var failed []error
	if s.hasBorders() {
		failed = append(failed, pipeline.Provide(b, "outer", s.Borders.Outer),
			pipeline.Provide(b, "center", s.Borders.Center), pipeline.Provide(b, "inner", s.Borders.Inner),
			pipeline.Provide(b, "count", s.Borders.Count))
	}
	if s.hasPosts() {
		failed = append(failed, pipeline.Provide(b, "left", s.Left), pipeline.Provide(b, "right", s.Right))
	}
	return errors.Join(failed...)
}

// findOutputs finds what the stages make.
func (r *RangeFinder) findOutputs(p *pipeline.Program) (err error) {
	if r.source.hasBorders() {
		if r.index, err = pipeline.ArrayOf[kernel.Quat](p, collision.BorderIndexOutput); err != nil {
			return err
		}
	}
	if r.source.hasPosts() {
		r.discs, err = pipeline.ArrayOf[kernel.Vec3](p, collision.PostsOutput)
	}
	return err
}

// write fills the arrays that the source does not have.
func (r *RangeFinder) write(ctx context.Context) error {
	envs := r.source.envs()
	if err := r.turn.Write(ctx, r.config.turns()); err != nil {
		return err
	}
	if r.run > 0 {
		if err := r.rings.Write(ctx, r.config.rings(r.run)); err != nil {
			return err
		}
	}
	if r.source.Count.IsZero() {
		all := make([]int32, envs)
		for e := range all {
			all[e] = int32(r.source.discsPerEnv())
		}
		if err := r.count.Write(ctx, all); err != nil {
			return err
		}
	}
	if !r.source.Seed.IsZero() {
		return nil
	}
	seeds := make([]int32, envs)
	for e := range seeds {
		seeds[e] = int32(r.config.Seed) + int32(e) // which wraps
	}
	return r.seed.Write(ctx, seeds)
}

// newNowhere returns inputs of agents at the origin.
func newNowhere(device backend.Device, agents int) (i Inputs, err error) {
	if i.Position, err = exec.NewArray[kernel.Vec3](device, agents); err != nil {
		return i, err
	}
	if i.Orientation, err = exec.NewArray[kernel.Quat](device, agents); err == nil {
		i.HalfExtents, err = exec.NewArray[kernel.Vec2](device, agents)
	}
	if err != nil {
		err = errors.Join(err, i.close())
	}
	return i, err
}

// close closes the arrays that there are.
func (i Inputs) close() error {
	return errors.Join(i.Position.Close(), i.Orientation.Close(), i.HalfExtents.Close())
}

// named names the arrays for warnings about a later Bind (R97).
func (r *RangeFinder) named(i Inputs) []exec.Input {
	list := []exec.Input{exec.InputOf("position", i.Position), exec.InputOf("orientation", i.Orientation)}
	if r.config.SeeAgents {
		list = append(list, exec.InputOf("half_extents", i.HalfExtents))
	}
	return list
}

// check refuses inputs on another device or of another number.
func (r *RangeFinder) check(op string, device backend.Device, i Inputs) error {
	n := r.scans.Envs * r.config.Agents
	if err := i.Position.Check(op, "position", device, n); err != nil {
		return err
	}
	if err := i.Orientation.Check(op, "orientation", device, n); err != nil {
		return err
	}
	if !r.config.SeeAgents {
		return nil
	}
	return i.HalfExtents.Check(op, "half_extents", device, n)
}

// Config returns the configuration of the range finder.
func (r *RangeFinder) Config() Config {
	if r == nil {
		return Config{}
	}
	return r.config
}

// Scans returns what every update fills. The range finder owns them.
func (r *RangeFinder) Scans() *Scans {
	if r == nil {
		return nil
	}
	return r.scans
}

// of returns the observer, or one that refuses every call.
func (r *RangeFinder) of() *observing.Observer[Inputs] {
	if r == nil || r.observer == nil {
		return observing.None[Inputs](prefix)
	}
	return r.observer
}

// Bind makes inputs those of all later calls of Update. A later Bind replaces them, and warns if a capture has recorded
// the earlier ones (C-90, R97).
func (r *RangeFinder) Bind(inputs Inputs) error { return r.of().Bind(inputs) }

// Update fills the Scans for the bound inputs, which it reads on the device, and counts a step of the noise. Inside a
// capture of the stream that ctx resolves to, the work is recorded, not run.
func (r *RangeFinder) Update(ctx context.Context) error { return r.of().Update(ctx) }

// UpdateAt is Update for the inputs of the call, if none are bound (C-90). On an eager CPU device, only the first call
// with the same arrays allocates.
func (r *RangeFinder) UpdateAt(ctx context.Context, inputs Inputs) error {
	return r.of().UpdateAt(ctx, inputs)
}

// EnqueueUpdate emits one Update on lc without any policy, for callers that record it as a part of their own work.
func (r *RangeFinder) EnqueueUpdate(lc *exec.LaunchContext) { r.of().EnqueueUpdate(lc) }

// EnqueueUpdateAt emits one UpdateAt on lc without any policy.
func (r *RangeFinder) EnqueueUpdateAt(lc *exec.LaunchContext, inputs Inputs) {
	r.of().EnqueueUpdateAt(lc, inputs)
}

// Reset lets the noise of the envs whose mask is not 0 begin at step 0 again. mask has one int32 per env and is read on
// the device; the zero array stands for all envs. Scans stay.
func (r *RangeFinder) Reset(ctx context.Context, mask exec.Array[int32]) error {
	return r.of().Reset(ctx, mask)
}

// EnqueueReset emits one Reset on lc without any policy.
func (r *RangeFinder) EnqueueReset(lc *exec.LaunchContext, mask exec.Array[int32]) {
	r.of().EnqueueReset(lc, mask)
}

// Refresh makes the index of the borders, and the discs of the posts, of all envs as the source holds them now. Inside
// a capture of the stream that ctx resolves to, the work is recorded, not run. Refresh allocates nothing on an eager
// CPU device.
func (r *RangeFinder) Refresh(ctx context.Context) error { return r.of().Refresh(ctx) }

// RefreshMasked is Refresh for the envs whose mask is not 0, and changes no byte of the other envs. mask has one int32
// per env and is read on the device; the zero array stands for all envs.
func (r *RangeFinder) RefreshMasked(ctx context.Context, mask exec.Array[int32]) error {
	return r.of().RefreshMasked(ctx, mask)
}

// EnqueueRefresh emits one Refresh on lc without any policy.
func (r *RangeFinder) EnqueueRefresh(lc *exec.LaunchContext) { r.of().EnqueueRefresh(lc) }

// EnqueueRefreshMasked emits one RefreshMasked on lc without any policy.
func (r *RangeFinder) EnqueueRefreshMasked(lc *exec.LaunchContext, mask exec.Array[int32]) {
	r.of().EnqueueRefreshMasked(lc, mask)
}

// EnqueueEnvs emits a refresh of the envs of a list, which has the layout of pipeline.List, without any policy.
func (r *RangeFinder) EnqueueEnvs(lc *exec.LaunchContext, list exec.Array[int32]) {
	r.of().EnqueueEnvs(lc, list)
}

// Bytes returns the size of the device memory that the range finder has allocated, without the Scans.
func (r *RangeFinder) Bytes() int64 { return r.of().Bytes() }

// Close releases the range finder and its Scans. Graphs of the caller with work of the range finder keep the memory
// that they use, and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of
// the range finder, Close returns exec.ErrConcurrentUse and releases nothing.
func (r *RangeFinder) Close() error { return r.of().Close() }
