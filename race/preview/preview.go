package preview

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/curvature"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/preview"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
	"github.com/trackgen-go/trackgen/race/internal/observing"
)

// prefix stands once in each message of the package, in front of what a function of the package was doing.
const prefix = "preview: "

// Option is an option of New and NewGates.
type Option = generation.Option

// WithStream sets the stream of calls for which neither the call nor an ambient context names one (R6).
func WithStream(stream backend.Stream) Option { return generation.WithStream(stream) }

// WithWarnings passes warnings to warn instead of the default logger.
func WithWarnings(warn exec.WarnFunc) Option { return generation.WithWarnings(warn) }

// Inputs say where agents are, in device memory: agent a of env e is element e*A + a. A position or an arc length with
// a NaN pauses its agent, whose observations are NaN (L-25).
type Inputs struct {
	Position    exec.Array[kernel.Vec3] // [E*A] in track units
	Orientation exec.Array[kernel.Quat] // [E*A] (x, y, z, w), of unit length
	S           exec.Array[float32]     // [E*A] arc length of the agent, as a localiser finds it
}

// Preview tells agents what is at set distances ahead of them along closed lines (L-20 to L-25). It is a producer in
// the sense of package exec: an update can run eagerly, be recorded into a capture of the caller, or replay a graph.
//
// Update and UpdateAt are for every step, and allocate nothing on an eager CPU device. Refresh follows each change of
// the lines. A preview has no state, so there is nothing to reset.
//
// Only one goroutine at a time may use a Preview; different previews are independent.
type Preview struct {
	observer     *observing.Observer[Inputs]
	config       Config
	points       int // N_max
	observations *Observations
	noter        noter
	distance     exec.Array[float32]
	slots        [4]int32
}

// New allocates the observations, and notes the lines in source. It must not be called inside a capture. The arrays of
// source stay open as long as the preview is used; each refresh, and no other call, reads what they hold then. Before
// the first update, all observations are NaN.
//
// It returns a *ConfigError (ErrConfig) for a wrong field of config, a *backend.ArgumentError for a wrong device,
// source or option, and for a channel that the source does not have, exec.ErrCapture inside a capture,
// backend.ErrUnsupported for lines with too many points for the loops of the device (see backend.Caps), or an error of
// the device.
func New(device backend.Device, source Source, config Config, with ...Option) (_ *Preview, err error) {
	const op = "new"
	if err := config.Validate(); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	o, err := component.Check(device, prefix, op, with)
	if err != nil {
		return nil, err
	}
	envs := source.Count.Len()
	if envs == 0 {
		return nil, &backend.ArgumentError{Op: prefix + op, Argument: "source", Value: "without arrays",
			Allowed: "the arrays of a batch of tracks or lines, as SourceOf or SourceOfLine returns them"}
	}
	config = config.resolved()
	err = errors.Join(source.check(prefix+op, device, envs), config.checkSource(prefix+op, source),
		checkRoom("agents", envs, config.Agents, len(config.Distances), len(config.Channels)))
	if err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	p := &Preview{config: config, points: source.Center.Len() / envs, slots: slotsOf(config.Channels, channels)}
	made := false
	defer func() {
		if !made {
			err = errors.Join(exec.Doing(prefix+op, err), p.Close(), p.observations.Close())
		}
	}()
	if err = p.build(device, source, o); err != nil {
		return nil, err
	}
	made = true
	return p, nil
}

// checkSource refuses channels that a source does not have.
func (c Config) checkSource(op string, source Source) error {
	isOfBorders := func(name string) bool { return slices.Contains(borderChannels, name) }
	if !source.borders() && slices.ContainsFunc(c.Channels, isOfBorders) {
		return &backend.ArgumentError{Op: op, Argument: "source", Value: "without borders",
			Allowed: "one with outer, inner and winding, or channels other than " + strings.Join(borderChannels, ", ")}
	}
	if source.Speed.IsZero() && slices.Contains(c.Channels, Speed) {
		return &backend.ArgumentError{Op: op, Argument: "source", Value: "without speeds",
			Allowed: "one with a profile of speeds, or channels other than " + Speed}
	}
	return nil
}

// build allocates the observations and the component, and does its work once.
func (p *Preview) build(device backend.Device, source Source, o generation.Options) (err error) {
	envs, config := source.Count.Len(), p.config
	place := component.Place{Prefix: prefix, Device: device, Stream: o.Seeds.DefaultStream}
	p.observations, err = newObservations(place, Shape{Envs: envs, Agents: config.Agents, Places: len(config.Distances),
		Channels: config.Channels})
	if err != nil {
		return err
	}
	p.noter = noter{borders: source.borders(), bends: slices.Contains(config.Channels, Curvature),
		profiled: !source.Speed.IsZero()}
	stages := []exec.Stage{p.noter.stage()}
	if p.noter.bends && source.Curvature.IsZero() {
		stages = slices.Insert(stages, 0, curvature.Stage(curvature.Config{Window: config.CurvatureWindow}))
	}
	c, err := component.New(device, component.Plan{
		Prefix: prefix, Name: "preview", Envs: envs, Owner: exec.WeakOwner(p), Kernels: preview.Defs, Stages: stages,
		Provide: func(b *pipeline.Builder) error { return p.provide(b, source) },
	}, o)
	if err != nil {
		return err
	}
	p.observer = observing.New(c, observing.Plan[Inputs]{Prefix: prefix, Check: p.check, Named: Inputs.named, Emit: p.emit,
		Result: p.observations})
	distance := make([]float32, len(config.Distances))
	for i, d := range config.Distances {
		distance[i] = float32(d)
	}
	if err := p.distance.Write(context.Background(), distance); err != nil {
		return err
	}
	nowhere, err := newNowhere(device, envs*config.Agents)
	if err != nil {
		return err
	}
	err = c.Prepare(func(lc *exec.LaunchContext) {
		c.EnqueueRefresh(lc)
		p.emit(lc, nowhere) // for the limit of the loops
		exec.Fill(lc, p.observations.Values, kernel.NaN())
	})
	return errors.Join(err, nowhere.close())
}

// provide gives the stages the arrays of the lines, and allocates the distances.
func (p *Preview) provide(b *pipeline.Builder, s Source) (err error) {
	if p.distance, err = exec.Scratch[float32](b, len(p.config.Distances)); err != nil {
		return err
	}
	failed := []error{pipeline.Provide(b, centerInput, s.Center), pipeline.Provide(b, arclenInput, s.Arclen),
		pipeline.Provide(b, lengthInput, s.Length), pipeline.Provide(b, countInput, s.Count)}
	if p.noter.borders {
		failed = append(failed, pipeline.Provide(b, outerInput, s.Outer), pipeline.Provide(b, innerInput, s.Inner),
			pipeline.Provide(b, windingInput, s.Winding))
	}
	if p.noter.bends && !s.Curvature.IsZero() {
		failed = append(failed, pipeline.Provide(b, curvature.Output, s.Curvature))
	}
	if p.noter.profiled {
		failed = append(failed, pipeline.Provide(b, speedInput, s.Speed))
	}
	return errors.Join(failed...)
}

// newNowhere returns inputs of agents at the origin.
func newNowhere(device backend.Device, agents int) (i Inputs, err error) {
	if i.Position, err = exec.NewArray[kernel.Vec3](device, agents); err != nil {
		return i, err
	}
	if i.Orientation, err = exec.NewArray[kernel.Quat](device, agents); err == nil {
		i.S, err = exec.NewArray[float32](device, agents)
	}
	if err != nil {
		err = errors.Join(err, i.close())
	}
	return i, err
}

// close closes the arrays that there are.
func (i Inputs) close() error {
	return errors.Join(i.Position.Close(), i.Orientation.Close(), i.S.Close())
}

// named names the arrays for warnings about a later Bind (R97).
func (i Inputs) named() []exec.Input {
	return []exec.Input{exec.InputOf("position", i.Position), exec.InputOf("orientation", i.Orientation),
		exec.InputOf("s", i.S)}
}

// check refuses inputs on another device or of another number.
func (p *Preview) check(op string, device backend.Device, i Inputs) error {
	n := p.observations.Envs * p.config.Agents
	if err := i.Position.Check(op, "position", device, n); err != nil {
		return err
	}
	if err := i.Orientation.Check(op, "orientation", device, n); err != nil {
		return err
	}
	return i.S.Check(op, "s", device, n)
}

// emit launches an update.
func (p *Preview) emit(lc *exec.LaunchContext, i Inputs) {
	preview.LookAhead(lc, p.observations.Envs*p.config.Agents, preview.LookAheadArgs{
		Agents: int32(p.config.Agents), MaxPoints: int32(p.points), Places: int32(len(p.config.Distances)),
		Channels: int32(len(p.config.Channels)), Body: allocate.Bit(p.config.Frame == Body),
		First: p.slots[0], Second: p.slots[1], Third: p.slots[2], Fourth: p.slots[3],
		Size: float32(p.config.LengthScale), Bend: float32(p.config.CurvatureScale),
		Pace: float32(p.config.SpeedScale), Position: i.Position, Orientation: i.Orientation, S: i.S,
		Distance: p.distance, Table: p.noter.table, Out: p.observations.Values,
	})
}

// Config returns the configuration of the preview.
func (p *Preview) Config() Config {
	if p == nil {
		return Config{}
	}
	return p.config.resolved()
}

// Observations returns what every update fills. The preview owns them.
func (p *Preview) Observations() *Observations {
	if p == nil {
		return nil
	}
	return p.observations
}

// of returns the observer, or one that refuses every call.
func (p *Preview) of() *observing.Observer[Inputs] {
	if p == nil || p.observer == nil {
		return observing.None[Inputs](prefix)
	}
	return p.observer
}

// Bind makes inputs those of all later calls of Update. A later Bind replaces them, and warns if a capture has recorded
// the earlier ones (C-90, R97).
func (p *Preview) Bind(inputs Inputs) error { return p.of().Bind(inputs) }

// Update fills the Observations for the bound inputs, which it reads on the device. Inside a capture of the stream that
// ctx resolves to, the work is recorded, not run.
func (p *Preview) Update(ctx context.Context) error { return p.of().Update(ctx) }

// UpdateAt is Update for the inputs of the call, if none are bound (C-90). On an eager CPU device, only the first call
// with the same arrays allocates.
func (p *Preview) UpdateAt(ctx context.Context, inputs Inputs) error {
	return p.of().UpdateAt(ctx, inputs)
}

// EnqueueUpdate emits one Update on lc without any policy, for callers that record it as a part of their own work.
func (p *Preview) EnqueueUpdate(lc *exec.LaunchContext) { p.of().EnqueueUpdate(lc) }

// EnqueueUpdateAt emits one UpdateAt on lc without any policy.
func (p *Preview) EnqueueUpdateAt(lc *exec.LaunchContext, inputs Inputs) {
	p.of().EnqueueUpdateAt(lc, inputs)
}

// Refresh notes the lines of all envs as the source holds them now. Inside a capture of the stream that ctx resolves
// to, the work is recorded, not run. Refresh allocates nothing on an eager CPU device.
func (p *Preview) Refresh(ctx context.Context) error { return p.of().Refresh(ctx) }

// RefreshMasked is Refresh for the envs whose mask is not 0, and changes no byte of the other envs. mask has one int32
// per env and is read on the device; the zero array stands for all envs.
func (p *Preview) RefreshMasked(ctx context.Context, mask exec.Array[int32]) error {
	return p.of().RefreshMasked(ctx, mask)
}

// EnqueueRefresh emits one Refresh on lc without any policy.
func (p *Preview) EnqueueRefresh(lc *exec.LaunchContext) { p.of().EnqueueRefresh(lc) }

// EnqueueRefreshMasked emits one RefreshMasked on lc without any policy.
func (p *Preview) EnqueueRefreshMasked(lc *exec.LaunchContext, mask exec.Array[int32]) {
	p.of().EnqueueRefreshMasked(lc, mask)
}

// EnqueueEnvs emits a refresh of the envs of a list, which has the layout of pipeline.List, without any policy.
func (p *Preview) EnqueueEnvs(lc *exec.LaunchContext, list exec.Array[int32]) {
	p.of().EnqueueEnvs(lc, list)
}

// Bytes returns the size of the device memory that the preview has allocated, without the Observations.
func (p *Preview) Bytes() int64 { return p.of().Bytes() }

// Close releases the preview and its Observations. Graphs of the caller with work of the preview keep the memory that
// they use, and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of the
// preview, Close returns exec.ErrConcurrentUse and releases nothing.
func (p *Preview) Close() error { return p.of().Close() }
