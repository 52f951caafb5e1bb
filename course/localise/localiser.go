package localise

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/localise"
	"github.com/trackgen-go/trackgen/pipeline"
)

// prefix stands once in each message of the package, in front of what a function of the package was doing.
const prefix = "localise: "

// Option is an option of New.
type Option = generation.Option

// WithStream sets the stream of calls for which neither the call nor an ambient context names one (R6).
func WithStream(stream backend.Stream) Option { return generation.WithStream(stream) }

// WithWarnings passes warnings to warn instead of the default logger.
func WithWarnings(warn exec.WarnFunc) Option { return generation.WithWarnings(warn) }

// Localiser finds where agents are along the lines of a batch. It is a producer in the sense of package exec: the same
// work can run eagerly, be recorded into a capture of the caller, or replay a graph.
//
// Locate and LocateAt are for every step, and allocate nothing on an eager CPU device. Refresh follows each change of
// the lines, and Reset each jump of an agent if there is a warm window; without one, it changes no result.
//
// Only one goroutine at a time may use a Localiser; different localisers are independent.
type Localiser struct {
	component *component.Component
	config    Config
	points    int // N_max
	frames    *Frames
	state     state

	position exec.Array[kernel.Vec3] // bound
	bound    component.Works[exec.Array[kernel.Vec3]]
	perCall  component.Works[exec.Array[kernel.Vec3]]
	resets   component.Works[exec.Array[int32]]
	places   component.Works[placement]
}

// New allocates the frames of the agents and builds the index of the lines in source. It must not be called inside a
// capture. The arrays of source stay open as long as the localiser is used; each refresh, and no other call, reads what
// they hold then. Before the first call, the frames are those of agents that are nowhere.
//
// It returns a *ConfigError (ErrConfig) for a wrong field of config, a *backend.ArgumentError for a wrong device,
// source or option, exec.ErrCapture inside a capture, backend.ErrUnsupported for lines with too many points for the
// loops of the device (see backend.Caps), or an error of the device.
func New(device backend.Device, source Source, config Config, with ...Option) (_ *Localiser, err error) {
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
	if err := errors.Join(source.check(prefix+op, device, envs), config.checkAgents(envs)); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	l := &Localiser{config: config, points: source.Center.Len() / envs}
	made := false
	defer func() {
		if !made {
			err = errors.Join(exec.Doing(prefix+op, err), l.Close())
		}
	}()
	if err = l.build(device, source, o); err != nil {
		return nil, err
	}
	made = true
	return l, nil
}

// build allocates the frames and the component, and does its work once.
func (l *Localiser) build(device backend.Device, source Source, o generation.Options) (err error) {
	envs := source.Count.Len()
	place := component.Place{Prefix: prefix, Device: device, Stream: o.Seeds.DefaultStream}
	if l.frames, err = newFrames(place, envs, l.config.Agents); err != nil {
		return err
	}
	l.state = state{integers: l.frames.packed.Integers, agents: l.config.Agents}
	l.component, err = component.New(device, component.Plan{
		Prefix: prefix, Name: "localise", Envs: envs, Owner: exec.WeakOwner(l), Kernels: localise.Defs,
		Stages: []exec.Stage{l.state.stage()},
		Provide: func(b *pipeline.Builder) error {
			return errors.Join(
				pipeline.Provide(b, centerInput, source.Center), pipeline.Provide(b, arclenInput, source.Arclen),
				pipeline.Provide(b, lengthInput, source.Length), pipeline.Provide(b, countInput, source.Count))
		},
	}, o)
	if err != nil {
		return err
	}
	l.bound.Make = func(position exec.Array[kernel.Vec3]) exec.Enqueue {
		return func(lc *exec.LaunchContext) {
			l.component.Recorded(lc)
			l.locate(lc, position)
		}
	}
	l.perCall.Make = func(position exec.Array[kernel.Vec3]) exec.Enqueue {
		return func(lc *exec.LaunchContext) { l.locate(lc, position) }
	}
	l.resets.Make = func(mask exec.Array[int32]) exec.Enqueue {
		return func(lc *exec.LaunchContext) { l.forget(lc, mask) }
	}
	l.places.Make = func(p placement) exec.Enqueue {
		return func(lc *exec.LaunchContext) { l.place(lc, p) }
	}
	nowhere, err := exec.NewArray[kernel.Vec3](device, envs*l.config.Agents)
	if err != nil {
		return err
	}
	err = l.component.Prepare(func(lc *exec.LaunchContext) {
		l.component.EnqueueRefresh(lc)
		l.locate(lc, nowhere) // for the limit of the loops
		l.frames.clear(lc)
	})
	return errors.Join(err, nowhere.Close())
}

// number returns the number of agents in all envs.
func (l *Localiser) number() int { return l.frames.Envs * l.frames.Agents }

// locate launches a search for every agent.
func (l *Localiser) locate(lc *exec.LaunchContext, position exec.Array[kernel.Vec3]) {
	localise.LocateAll(lc, l.number(), localise.LocateAllArgs{
		Agents: int32(l.config.Agents), Number: int32(l.number()), MaxPoints: int32(l.points),
		Window: int32(l.config.WarmWindow), Position: position, Index: l.state.index,
		Integers: l.frames.packed.Integers, Floats: l.frames.packed.Floats,
	})
}

// forget launches a reset.
func (l *Localiser) forget(lc *exec.LaunchContext, mask exec.Array[int32]) {
	localise.Forget(lc, l.number(), int32(l.config.Agents), int32(l.number()), mask, l.frames.packed.Integers)
}

// Frames returns what every call fills. The localiser owns them.
func (l *Localiser) Frames() *Frames {
	if l == nil {
		return nil
	}
	return l.frames
}

// Arrays are the arrays of a localiser, for kernels that do the same work in a launch of their own: see package
// kernels/localise.
type Arrays struct {
	Index    exec.Array[kernel.Quat] // one line per env: see package kernels/polyline
	Integers exec.Array[int32]       // [2, E*A] columns segment and memory
	Floats   exec.Array[float32]     // [3, E*A] columns s, n and n_up

	MaxPoints, Agents, Window int32
}

// Arrays returns the arrays of the localiser. It returns no arrays for one that is closed.
func (l *Localiser) Arrays() Arrays {
	if l.open("arrays") != nil {
		return Arrays{}
	}
	return Arrays{Index: l.state.index, Integers: l.frames.packed.Integers,
		Floats: l.frames.packed.Floats, MaxPoints: int32(l.points), Agents: int32(l.config.Agents),
		Window: int32(l.config.WarmWindow)}
}

// Config returns the configuration of the localiser.
func (l *Localiser) Config() Config {
	if l == nil {
		return Config{}
	}
	return l.config
}

// Bytes returns the size of the device memory that the localiser has allocated, without the Frames.
func (l *Localiser) Bytes() int64 {
	if l.open("bytes") != nil {
		return 0
	}
	return l.component.Bytes()
}

// open refuses a localiser that New did not make, or that is closed.
func (l *Localiser) open(op string) error {
	if l == nil {
		return (*component.Component)(nil).Open(prefix, op)
	}
	return l.component.Open(prefix, op)
}

// Close releases the localiser and its Frames. Graphs of the caller with work of the localiser keep the memory that
// they use, and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of the
// localiser, Close returns exec.ErrConcurrentUse and releases nothing.
func (l *Localiser) Close() error {
	if l == nil {
		return nil
	}
	err := l.component.Close()
	if errors.Is(err, exec.ErrConcurrentUse) {
		return err
	}
	return errors.Join(err, l.frames.Close())
}

// Refresh builds the index of the lines of all envs from what the source holds now, and resets all agents. Inside a
// capture of the stream that ctx resolves to, the work is recorded, not run. Refresh allocates nothing on an eager CPU
// device.
func (l *Localiser) Refresh(ctx context.Context) error {
	const op = "refresh"
	if err := l.open(op); err != nil {
		return err
	}
	return l.component.Refresh(ctx, op)
}

// RefreshMasked is Refresh for the envs whose mask is not 0, and changes no byte of the other envs. mask has one int32
// per env and is read on the device, so its values may change between calls and between replays of a graph. The zero
// array stands for all envs. On an eager CPU device, only the first call with a mask allocates.
func (l *Localiser) RefreshMasked(ctx context.Context, mask exec.Array[int32]) error {
	const op = "refresh masked"
	if err := l.open(op); err != nil {
		return err
	}
	return l.component.RefreshMasked(ctx, op, mask)
}

// EnqueueRefresh emits one Refresh on lc without any policy, for callers that record it as a part of their own work.
func (l *Localiser) EnqueueRefresh(lc *exec.LaunchContext) {
	if err := l.open("enqueue refresh"); err != nil {
		lc.Fail(err)
		return
	}
	l.component.EnqueueRefresh(lc)
}

// EnqueueRefreshMasked emits one RefreshMasked on lc without any policy.
func (l *Localiser) EnqueueRefreshMasked(lc *exec.LaunchContext, mask exec.Array[int32]) {
	const op = "enqueue refresh masked"
	if err := l.open(op); err != nil {
		lc.Fail(err)
		return
	}
	l.component.EnqueueRefreshMasked(lc, mask)
}

// EnqueueEnvs emits a refresh of the envs of a list, which has the layout of pipeline.List, without any policy.
func (l *Localiser) EnqueueEnvs(lc *exec.LaunchContext, list exec.Array[int32]) {
	if err := l.open("enqueue envs"); err != nil {
		lc.Fail(err)
		return
	}
	l.component.EnqueueEnvs(lc, list)
}
