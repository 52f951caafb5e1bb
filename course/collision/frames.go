package collision

import (
	"context"
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/obstacle"
)

// Limits and defaults of FrameConfig.
const (
	defaultWindow = 4
	maxWindow     = 65536
)

// FrameConfig has the settings of Frames.
type FrameConfig struct {
	// Agents is the number of agents per env, A: a whole number >= 1 and <= 65536, or 0 for 1.
	Agents int
	// Radius is that of the ball that stands for an agent, in track units: a number > 0 and <= 1000000.
	Radius float64
	// Thickness is that of the posts and bars around the opening of a gate: a number > 0 and <= 1000000.
	Thickness float64
	// Depth is that of the posts and bars along the course: a number > 0 and <= 1000000.
	Depth float64
	// Window is the number of gates that are tested: the one before the next checkpoint of the agent, that checkpoint, and
	// those that follow: a whole number >= 1 and <= 65536, or 0 for 4.
	Window int
}

// Validate checks every field against its range. The error joins one *config.Error for each mistake.
func (c FrameConfig) Validate() error {
	var window error
	if c.Window < 0 || c.Window > maxWindow {
		window = &config.Error{Field: "window", Value: fmt.Sprint(c.Window),
			Allowed: fmt.Sprintf("a whole number >= 1 and <= %d, or 0 for %d", maxWindow, defaultWindow)}
	}
	return errors.Join(checkItems("agents", c.Agents), checkLength("radius", c.Radius),
		checkLength("thickness", c.Thickness), checkLength("depth", c.Depth), window)
}

// Balls are the agents that a query asks about, in device memory: agent a of env e is element e*A + a of each array. A
// position with a NaN pauses an agent, which then touches nothing.
type Balls struct {
	Position exec.Array[kernel.Vec3] // [E*A] centres, in track units
	// Target is the next checkpoint of each agent [E*A], such as the live state of its progress: a query after an update
	// sees the new one. Every number is allowed; it counts modulo the number of gates.
	Target exec.Array[int32]
}

// Check returns a *backend.ArgumentError, which names the array, unless each array has n elements on a device.
func (b Balls) Check(op string, device backend.Device, n int) error {
	return errors.Join(b.Position.Check(op, "position", device, n), b.Target.Check(op, "target", device, n))
}

// inputs names the arrays for warnings about a later Bind (R97).
func (b Balls) inputs() []exec.Input {
	return []exec.Input{exec.InputOf("position", b.Position), exec.InputOf("target", b.Target)}
}

// Frames tells whether agents, which are balls, touch the frames of the gates near their next checkpoint (C-78). A
// frame has two posts and two bars around the square opening of a gate. It is a producer in the sense of package exec:
// a query can run eagerly, be recorded into a capture of the caller, or replay a graph.
//
// It reads the gates in place and keeps no state, so a regeneration of gates needs no refresh and no reset. Only one
// goroutine at a time may use a Frames; different ones are independent.
type Frames struct {
	questions questions[Balls]
	config    FrameConfig
	source    FrameSource
	contacts  *FrameContacts
}

// NewFrames returns a checker of the agents of all envs against the frames of the gates in source. It must not be
// called inside a capture. The arrays of source stay open as long as the checker is used, and each query reads what
// they hold then.
//
// It returns a *config.Error (config.ErrConfig) for each wrong field of config, a *backend.ArgumentError for a wrong
// device, source or option, exec.ErrCapture inside a capture, or an error of the device.
func NewFrames(device backend.Device, source FrameSource, config FrameConfig, with ...Option) (_ *Frames, err error) {
	const op = "new frames"
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
	envs := source.Count.Len()
	config.Agents = orOne(config.Agents)
	if config.Window == 0 {
		config.Window = defaultWindow
	}
	if err := checkRoom("agents", envs, config.Agents); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	f := &Frames{config: config, source: source}
	made := false
	defer func() {
		if !made {
			err = errors.Join(exec.Doing(prefix+op, err), f.Close())
		}
	}()
	f.contacts = &FrameContacts{Envs: envs, Agents: config.Agents}
	f.contacts.result, f.contacts.packed, err = component.NewPacked(placeOf(device, o.Seeds.DefaultStream), FrameSchema,
		&f.contacts.FrameColumns, envs*config.Agents, nil)
	if err != nil {
		return nil, err
	}
	c, err := component.New(device, component.Plan{Prefix: prefix, Name: "frames", Envs: envs, Kernels: obstacle.Defs,
		Owner: exec.WeakOwner(f)}, o)
	if err != nil {
		return nil, err
	}
	f.questions.setUp(c, envs*config.Agents, f.emit)
	err = c.Prepare(func(lc *exec.LaunchContext) { exec.Fill(lc, f.contacts.Gate, -1) })
	if err != nil {
		return nil, err
	}
	made = true
	return f, nil
}

// emit launches a query.
func (f *Frames) emit(lc *exec.LaunchContext, balls Balls) {
	s, c, memory := f.source, f.config, f.contacts.packed
	obstacle.TouchFrames(lc, f.questions.number, obstacle.TouchFramesArgs{
		N: int32(f.questions.number), Agents: int32(c.Agents), Gates: int32(s.Position.Len() / s.Count.Len()),
		Window: int32(c.Window), Radius: float32(c.Radius), Thickness: float32(c.Thickness), Depth: float32(c.Depth),
		Position: balls.Position, Target: balls.Target, Gate: s.Position, Turn: s.Orientation, Half: s.HalfSize,
		Count: s.Count, Valid: s.Valid, Integers: memory.Integers, Floats: memory.Floats,
	})
}

// open returns a *backend.ArgumentError for a checker that NewFrames did not make, and a *backend.ClosedError for a
// closed one.
func (f *Frames) open(op string) error {
	if f == nil {
		return (*component.Component)(nil).Open(prefix, op)
	}
	return f.questions.Open(prefix, op)
}

// Config returns the configuration.
func (f *Frames) Config() FrameConfig {
	if f == nil {
		return FrameConfig{}
	}
	return f.config
}

// Contacts returns what each query rewrites. The checker owns it.
func (f *Frames) Contacts() *FrameContacts {
	if f == nil {
		return nil
	}
	return f.contacts
}

// Bind makes the agents, A per env, those of later queries. Binding others replaces them; a graph that has recorded a
// query keeps reading the old ones, about which a warning tells (R97).
func (f *Frames) Bind(balls Balls) error {
	const op = "bind"
	if err := f.open(op); err != nil {
		return err
	}
	return f.questions.bind(op, balls)
}

// Query tests the bound agents and returns the contacts of the checker. Inside a capture of the stream that ctx
// resolves to, the work is recorded, not run. Query allocates nothing on an eager CPU device.
func (f *Frames) Query(ctx context.Context) (*FrameContacts, error) {
	const op = "query"
	if err := f.open(op); err != nil {
		return nil, err
	}
	return f.contacts, f.questions.query(ctx, op)
}

// QueryBalls is Query for the agents of the call, A per env, of a checker without bound ones (C-90).
func (f *Frames) QueryBalls(ctx context.Context, balls Balls) (*FrameContacts, error) {
	const op = "query balls"
	if err := f.open(op); err != nil {
		return nil, err
	}
	return f.contacts, f.questions.queryThese(ctx, op, balls)
}

// EnqueueQuery emits one Query on lc without any policy, for callers that record it as a part of their own work.
func (f *Frames) EnqueueQuery(lc *exec.LaunchContext) {
	const op = "enqueue query"
	if err := f.open(op); err != nil {
		lc.Fail(err)
		return
	}
	f.questions.enqueue(lc, op)
}

// EnqueueQueryBalls emits one QueryBalls on lc without any policy.
func (f *Frames) EnqueueQueryBalls(lc *exec.LaunchContext, balls Balls) {
	const op = "enqueue query balls"
	if err := f.open(op); err != nil {
		lc.Fail(err)
		return
	}
	f.questions.enqueueThese(lc, op, balls)
}

// FrameArrays are the arrays of a checker, for kernels that do the same work in a launch of their own: see
// obstacle.UpdateFrames of package kernels/obstacle.
type FrameArrays struct {
	FrameSource

	Integers exec.Array[int32]   // packed columns
	Floats   exec.Array[float32] // packed columns
}

// Arrays returns the arrays of the checker, which owns them or has them from its source.
func (f *Frames) Arrays() FrameArrays {
	if f == nil || f.contacts == nil {
		return FrameArrays{}
	}
	memory := f.contacts.packed
	return FrameArrays{FrameSource: f.source, Integers: memory.Integers, Floats: memory.Floats}
}

// Close releases the checker and its contacts. Graphs of the caller with work of the checker keep the memory that they
// use, and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of the checker,
// Close returns exec.ErrConcurrentUse and releases nothing.
func (f *Frames) Close() error {
	if f == nil {
		return nil
	}
	return closeAll(f.questions.Component, f.contacts)
}
