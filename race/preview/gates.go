package preview

import (
	"context"
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/preview"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
	"github.com/trackgen-go/trackgen/race/internal/observing"
)

// GateSource is the part of a batch of gate courses, or of checkpoints, in device memory, that agents see. All arrays
// of gates have the same stride. Updates read them in place.
type GateSource struct {
	Position exec.Array[kernel.Vec3] // [E, G_max] middles
	Forward  exec.Array[kernel.Vec3] // [E, G_max] unit normals, in the direction of travel
	Left     exec.Array[kernel.Vec3] // [E, G_max] left posts
	Right    exec.Array[kernel.Vec3] // [E, G_max] right posts
	Count    exec.Array[int32]       // [E]
}

// GatesOf returns the arrays of a batch of gate courses. A nil sequence has none.
func GatesOf(s *gate.Sequence) GateSource {
	if s == nil {
		return GateSource{}
	}
	return GateSource{Position: s.Position, Forward: s.Forward, Left: s.Left, Right: s.Right, Count: s.Count}
}

// CheckpointsOf returns the arrays of a batch of checkpoints. A nil set has none.
func CheckpointsOf(s *checkpoints.Set) GateSource {
	if s == nil {
		return GateSource{}
	}
	return GateSource{Position: s.Position, Forward: s.Forward, Left: s.Left, Right: s.Right, Count: s.Count}
}

// check refuses arrays that are missing, belong to another device, or do not have the lengths of a batch of envs.
func (s GateSource) check(op string, device backend.Device, envs int) error {
	n := s.Position.Len()
	if n == 0 || n%envs != 0 {
		return &backend.ArgumentError{Op: op, Argument: "position of gates length", Value: n,
			Allowed: fmt.Sprintf("a multiple of %d, the number of envs, above 0", envs)}
	}
	return errors.Join(s.Position.Check(op, "position of gates", device, n), s.Forward.Check(op, "forward", device, n),
		s.Left.Check(op, "left", device, n), s.Right.Check(op, "right", device, n),
		s.Count.Check(op, "count", device, envs))
}

// GateInputs say where agents are, in device memory: agent a of env e is element e*A + a. A position with a NaN pauses
// its agent, whose observations are NaN (L-25).
type GateInputs struct {
	Position    exec.Array[kernel.Vec3] // [E*A] in track units
	Orientation exec.Array[kernel.Quat] // [E*A] (x, y, z, w), of unit length
	// Target is the next gate of each agent [E*A], such as the live state of its progress. Every number is allowed; it
	// counts modulo the number of gates.
	Target exec.Array[int32]
}

// Gates tells agents where their next gates are (L-26). It is a producer in the sense of package exec: an update can
// run eagerly, be recorded into a capture of the caller, or replay a graph.
//
// It reads the gates in place and keeps no state, so a regeneration of gates needs no refresh and no reset. Only one
// goroutine at a time may use a Gates; different ones are independent.
type Gates struct {
	observer     *observing.Observer[GateInputs]
	config       GateConfig
	source       GateSource
	observations *Observations
	slots        [4]int32
}

// NewGates allocates the observations. It must not be called inside a capture. The arrays of source stay open as long
// as the gates are used. Before the first update, all observations are NaN.
//
// It returns a *ConfigError (ErrConfig) for a wrong field of config, a *backend.ArgumentError for a wrong device,
// source or option, exec.ErrCapture inside a capture, or an error of the device.
func NewGates(device backend.Device, source GateSource, config GateConfig, with ...Option) (_ *Gates, err error) {
	const op = "new gates"
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
			Allowed: "the arrays of a batch of gates or checkpoints, as GatesOf or CheckpointsOf returns them"}
	}
	config = config.resolved()
	err = errors.Join(source.check(prefix+op, device, envs),
		checkRoom("agents", envs, config.Agents, config.Gates, len(config.Channels)))
	if err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	g := &Gates{config: config, source: source, slots: slotsOf(config.Channels, gateChannels)}
	made := false
	defer func() {
		if !made {
			err = errors.Join(exec.Doing(prefix+op, err), g.Close(), g.observations.Close())
		}
	}()
	if err = g.build(device, envs, o); err != nil {
		return nil, err
	}
	made = true
	return g, nil
}

// build allocates the observations and the component.
func (g *Gates) build(device backend.Device, envs int, o generation.Options) (err error) {
	place := component.Place{Prefix: prefix, Device: device, Stream: o.Seeds.DefaultStream}
	g.observations, err = newObservations(place, Shape{Envs: envs, Agents: g.config.Agents, Places: g.config.Gates,
		Channels: g.config.Channels})
	if err != nil {
		return err
	}
	c, err := component.New(device, component.Plan{Prefix: prefix, Name: "preview of gates", Envs: envs,
		Owner: exec.WeakOwner(g), Kernels: preview.Defs}, o)
	if err != nil {
		return err
	}
	g.observer = observing.New(c, observing.Plan[GateInputs]{Prefix: prefix, Check: g.check, Named: GateInputs.named,
		Emit: g.emit, Result: g.observations})
	return c.Prepare(func(lc *exec.LaunchContext) { exec.Fill(lc, g.observations.Values, kernel.NaN()) })
}

// named names the arrays for warnings about a later Bind (R97).
func (i GateInputs) named() []exec.Input {
	return []exec.Input{exec.InputOf("position", i.Position), exec.InputOf("orientation", i.Orientation),
		exec.InputOf("target", i.Target)}
}

// check refuses inputs on another device or of another number.
func (g *Gates) check(op string, device backend.Device, i GateInputs) error {
	n := g.observations.Envs * g.config.Agents
	if err := i.Position.Check(op, "position", device, n); err != nil {
		return err
	}
	if err := i.Orientation.Check(op, "orientation", device, n); err != nil {
		return err
	}
	return i.Target.Check(op, "target", device, n)
}

// emit launches an update.
func (g *Gates) emit(lc *exec.LaunchContext, i GateInputs) {
	preview.LookAtGates(lc, g.observations.Envs*g.config.Agents, preview.LookAtGatesArgs{
		Agents: int32(g.config.Agents), MaxGates: int32(g.source.Position.Len() / g.observations.Envs),
		Places: int32(g.config.Gates), Channels: int32(len(g.config.Channels)),
		Body: allocate.Bit(g.config.Frame == Body), First: g.slots[0], Second: g.slots[1], Third: g.slots[2],
		Size: float32(g.config.LengthScale), Position: i.Position, Orientation: i.Orientation, Target: i.Target,
		Gate: g.source.Position, Forward: g.source.Forward, Left: g.source.Left, Right: g.source.Right,
		Count: g.source.Count, Out: g.observations.Values,
	})
}

// Config returns the configuration of the gates.
func (g *Gates) Config() GateConfig {
	if g == nil {
		return GateConfig{}
	}
	return g.config.resolved()
}

// Observations returns what every update fills. The gates own them.
func (g *Gates) Observations() *Observations {
	if g == nil {
		return nil
	}
	return g.observations
}

// of returns the observer, or one that refuses every call.
func (g *Gates) of() *observing.Observer[GateInputs] {
	if g == nil || g.observer == nil {
		return observing.None[GateInputs](prefix)
	}
	return g.observer
}

// Bind makes inputs those of all later calls of Update. A later Bind replaces them, and warns if a capture has recorded
// the earlier ones (C-90, R97).
func (g *Gates) Bind(inputs GateInputs) error { return g.of().Bind(inputs) }

// Update fills the Observations for the bound inputs, which it reads on the device. Inside a capture of the stream that
// ctx resolves to, the work is recorded, not run.
func (g *Gates) Update(ctx context.Context) error { return g.of().Update(ctx) }

// UpdateAt is Update for the inputs of the call, if none are bound (C-90). On an eager CPU device, only the first call
// with the same arrays allocates.
func (g *Gates) UpdateAt(ctx context.Context, inputs GateInputs) error {
	return g.of().UpdateAt(ctx, inputs)
}

// EnqueueUpdate emits one Update on lc without any policy, for callers that record it as a part of their own work.
func (g *Gates) EnqueueUpdate(lc *exec.LaunchContext) { g.of().EnqueueUpdate(lc) }

// EnqueueUpdateAt emits one UpdateAt on lc without any policy.
func (g *Gates) EnqueueUpdateAt(lc *exec.LaunchContext, inputs GateInputs) {
	g.of().EnqueueUpdateAt(lc, inputs)
}

// Bytes returns the size of the device memory that the gates have allocated, without the Observations.
func (g *Gates) Bytes() int64 { return g.of().Bytes() }

// Close releases the gates and their Observations. Graphs of the caller with work of the gates keep the memory that
// they use, and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of the
// gates, Close returns exec.ErrConcurrentUse and releases nothing.
func (g *Gates) Close() error { return g.of().Close() }
