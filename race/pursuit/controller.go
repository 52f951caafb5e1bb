package pursuit

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/pursuit"
	"github.com/trackgen-go/trackgen/race/internal/observing"
)

// prefix stands once in each message of the package, in front of what a function of the package was doing.
const prefix = "pursuit: "

// Option is an option of New.
type Option = generation.Option

// WithStream sets the stream of calls for which neither the call nor an ambient context names one (R6).
func WithStream(stream backend.Stream) Option { return generation.WithStream(stream) }

// WithWarnings passes warnings to warn instead of the default logger.
func WithWarnings(warn exec.WarnFunc) Option { return generation.WithWarnings(warn) }

// Controller drives the cars of a batch of lines. It is a producer in the sense of package exec: the same work can run
// eagerly, be recorded into a capture of the caller, or replay a graph.
//
// Update and UpdateAt are for every step, and allocate nothing on an eager CPU device.
//
// Only one goroutine at a time may use a Controller; different controllers are independent.
type Controller struct {
	observer *observing.Observer[Inputs]
	config   Config
	source   Source
	actions  exec.Array[float32] // [E*A*2]
}

// New allocates the actions of the agents. It must not be called inside a capture. The arrays of source stay open as
// long as the controller is used; each update reads what they hold then. Before the first update, all actions are 0.
//
// It returns a *ConfigError (ErrConfig) for a wrong field of config, a *backend.ArgumentError for a wrong device,
// source or option, exec.ErrCapture inside a capture, backend.ErrUnsupported for lines with too many points for the
// loops of the device (see backend.Caps), or an error of the device.
func New(device backend.Device, source Source, config Config, with ...Option) (_ *Controller, err error) {
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
			Allowed: "the arrays of a batch of lines with speeds, as SourceOf returns them"}
	}
	config = config.resolved()
	if err := errors.Join(source.check(prefix+op, device, envs), config.checkAgents(envs)); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	c := &Controller{config: config, source: source}
	made := false
	defer func() {
		if !made {
			err = errors.Join(exec.Doing(prefix+op, err), c.Close(), c.actions.Close())
		}
	}()
	if err = c.build(device, o); err != nil {
		return nil, err
	}
	made = true
	return c, nil
}

// build allocates the actions and the component.
func (c *Controller) build(device backend.Device, o generation.Options) (err error) {
	envs := c.source.Count.Len()
	if c.actions, err = exec.NewArray[float32](device, envs*c.config.Agents*channels); err != nil {
		return err
	}
	of, err := component.New(device, component.Plan{
		Prefix: prefix, Name: "pursuit", Envs: envs, Owner: exec.WeakOwner(c), Kernels: pursuit.Defs,
	}, o)
	if err != nil {
		return err
	}
	c.observer = observing.New(of, observing.Plan[Inputs]{Prefix: prefix, Check: c.check, Named: Inputs.named,
		Emit: c.steer, Result: c.actions})
	return c.prepare(device)
}

// prepare steers agents that are nowhere, so that later calls load nothing, and for the limit of the loops.
func (c *Controller) prepare(device backend.Device) (err error) {
	var in Inputs
	defer func() {
		err = errors.Join(err, in.Position.Close(), in.Orientation.Close(), in.Segment.Close())
	}()
	if in.Position, err = exec.NewArray[kernel.Vec3](device, c.number()); err != nil {
		return err
	}
	if in.Orientation, err = exec.NewArray[kernel.Quat](device, c.number()); err != nil {
		return err
	}
	if in.Segment, err = exec.NewArray[int32](device, c.number()); err != nil {
		return err
	}
	in.Velocity = in.Position
	return c.observer.Component.Prepare(func(lc *exec.LaunchContext) {
		exec.Fill(lc, in.Segment, -1)
		c.steer(lc, in)
	})
}

// number returns the number of agents in all envs.
func (c *Controller) number() int { return c.source.Count.Len() * c.config.Agents }

// steer launches an update.
func (c *Controller) steer(lc *exec.LaunchContext, in Inputs) {
	s, of := c.source, c.config
	pursuit.Steer(lc, c.number(), pursuit.SteerArgs{
		Agents: int32(of.Agents), MaxPoints: int32(s.Center.Len() / s.Count.Len()),
		Lookahead: float32(of.LookaheadTime), Nearest: float32(of.MinLookahead), Farthest: float32(of.MaxLookahead),
		Preview: float32(of.PreviewTime), Factor: float32(of.SpeedFactor), Gain: float32(of.Gain),
		Wheelbase: float32(of.Wheelbase), Rear: float32(of.RearAxle), Steering: float32(of.MaxSteering),
		Lateral: float32(of.LateralAcceleration), Acceleration: float32(of.Acceleration), Braking: float32(of.Braking),
		Position: in.Position, Orientation: in.Orientation, Velocity: in.Velocity, Segment: in.Segment,
		Point: s.Center, Arclen: s.Arclen, Length: s.Length, Count: s.Count, Speed: s.Speed, Action: c.actions,
	})
}

// Actions returns what every update writes: [E*A*2], for each agent the steering and the drive, from -1 to 1 (L-1). The
// controller owns the array. It is the zero array for a controller that is closed.
func (c *Controller) Actions() exec.Array[float32] {
	if c.of().Open("actions") != nil {
		return exec.Array[float32]{}
	}
	return c.actions
}

// Config returns the configuration of the controller.
func (c *Controller) Config() Config {
	if c == nil {
		return Config{}
	}
	return c.config
}

// of returns the observer, or one that refuses every call.
func (c *Controller) of() *observing.Observer[Inputs] {
	if c == nil || c.observer == nil {
		return observing.None[Inputs](prefix)
	}
	return c.observer
}

// Close releases the controller and its actions. Graphs of the caller with work of the controller keep the memory that
// they use, and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of the
// controller, Close returns exec.ErrConcurrentUse and releases nothing.
func (c *Controller) Close() error { return c.of().Close() }

// Bind makes in the inputs of all later calls of Update. A later Bind replaces them, and warns if a capture has
// recorded the earlier ones (C-90, R97). It returns a *backend.ArgumentError for an array that is missing or does not
// fit.
func (c *Controller) Bind(in Inputs) error { return c.of().Bind(in) }

// Update writes the Actions for the bound inputs, which it reads on the device. Inside a capture of the stream that ctx
// resolves to, the work is recorded, not run. It is one launch.
func (c *Controller) Update(ctx context.Context) error { return c.of().Update(ctx) }

// UpdateAt is Update for the inputs of the call, if none are bound (C-90). On an eager CPU device, only the first call
// with the same arrays allocates.
func (c *Controller) UpdateAt(ctx context.Context, in Inputs) error { return c.of().UpdateAt(ctx, in) }

// EnqueueUpdate emits one Update on lc without any policy, for callers that record it as a part of their own work.
func (c *Controller) EnqueueUpdate(lc *exec.LaunchContext) { c.of().EnqueueUpdate(lc) }

// EnqueueUpdateAt emits one UpdateAt on lc without any policy.
func (c *Controller) EnqueueUpdateAt(lc *exec.LaunchContext, in Inputs) {
	c.of().EnqueueUpdateAt(lc, in)
}
