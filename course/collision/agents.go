package collision

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/obstacle"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// maxAgentBoxes is the largest number of boxes of an env that are tested against each other. The work grows with its
// square.
const maxAgentBoxes = 1024

// AgentConfig has the settings of Agents.
type AgentConfig struct {
	// Envs is the number of envs, E: a whole number >= 1.
	Envs int
	// Boxes is the number of boxes per env, B: a whole number >= 1 and <= 1024, or 0 for 1.
	Boxes int
	// Swept asks for the first contact on the ways of boxes in a step. A way goes straight from the position of the query
	// before, and a box has its present orientation all the way.
	Swept bool
}

// Validate checks every field against its range. The error joins one *config.Error for each mistake.
func (c AgentConfig) Validate() error {
	var wrong []error
	if c.Envs < 1 {
		wrong = append(wrong, &config.Error{Field: "envs", Value: fmt.Sprint(c.Envs), Allowed: "a whole number >= 1"})
	}
	if c.Boxes < 0 || c.Boxes > maxAgentBoxes {
		wrong = append(wrong, &config.Error{Field: "boxes", Value: fmt.Sprint(c.Boxes),
			Allowed: fmt.Sprintf("a whole number >= 1 and <= %d, or 0 for 1", maxAgentBoxes)})
	}
	return errors.Join(wrong...)
}

// Agents tells whether boxes of an env, such as cars, touch each other in plan view (C-79). Heights do not count: cars
// on a bridge touch those below it. A box with a NaN, or more than 1e12 away from the origin, is paused: it touches
// nothing, and nothing touches it. Two boxes find the same distance and the same time, with the same bits, and opposite
// normals.
//
// It is a producer in the sense of package exec: a query can run eagerly, be recorded into a capture of the caller, or
// replay a graph. Only one goroutine at a time may use an Agents; different ones are independent.
type Agents struct {
	queries  queries
	config   AgentConfig
	contacts *AgentContacts
	previous exec.Array[kernel.Vec3] // positions at the last query, if the motion is swept, else one element
	resets   component.Works[exec.Array[int32]]
}

// NewAgents returns a checker of the boxes of an env against each other. It must not be called inside a capture.
//
// It returns a *config.Error (config.ErrConfig) for each wrong field of config, a *backend.ArgumentError for a wrong
// device or option, exec.ErrCapture inside a capture, or an error of the device.
func NewAgents(device backend.Device, config AgentConfig, with ...Option) (_ *Agents, err error) {
	const op = "new agents"
	if err := config.Validate(); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	o, err := component.Check(device, prefix, op, with)
	if err != nil {
		return nil, err
	}
	config.Boxes = orOne(config.Boxes)
	if err := checkRoom("boxes", config.Envs, config.Boxes); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	a := &Agents{config: config}
	made := false
	defer func() {
		if !made {
			err = errors.Join(exec.Doing(prefix+op, err), a.Close())
		}
	}()
	number := config.Envs * config.Boxes
	a.contacts = &AgentContacts{Envs: config.Envs, Boxes: config.Boxes}
	a.contacts.result, a.contacts.packed, err = component.NewPacked(placeOf(device, o.Seeds.DefaultStream), AgentSchema,
		&a.contacts.AgentColumns, number, func(name string) bool { return name != "first_contact" || config.Swept })
	if err != nil {
		return nil, err
	}
	c, err := component.New(device, component.Plan{Prefix: prefix, Name: "agents", Envs: config.Envs,
		Kernels: obstacle.Defs, Provide: a.provide, Owner: exec.WeakOwner(a)}, o)
	if err != nil {
		return nil, err
	}
	a.queries.setUp(c, number, a.emit)
	if err = a.prepare(); err != nil {
		return nil, err
	}
	made = true
	return a, nil
}

// provide allocates the state.
func (a *Agents) provide(b *pipeline.Builder) (err error) {
	size := 1 // kernels need an array that is not the positions
	if a.config.Swept {
		size = a.config.Envs * a.config.Boxes
	}
	a.previous, err = exec.Scratch[kernel.Vec3](b, size)
	return err
}

// prepare makes the checker ready for queries: no box has a position before.
func (a *Agents) prepare() error {
	a.resets.Make = func(mask exec.Array[int32]) exec.Enqueue {
		return func(lc *exec.LaunchContext) { a.reset(lc, mask) }
	}
	if a.config.Swept {
		nan := kernel.NaN()
		none := slices.Repeat([]kernel.Vec3{kernel.V3(nan, nan, nan)}, a.previous.Len())
		if err := a.previous.Write(context.Background(), none); err != nil {
			return err
		}
	}
	return a.queries.Prepare(func(lc *exec.LaunchContext) { exec.Fill(lc, a.contacts.Other, -1) })
}

// emit launches a query. The positions are remembered after the launch, because boxes read those of others in it.
func (a *Agents) emit(lc *exec.LaunchContext, boxes Boxes) {
	memory := a.contacts.packed
	obstacle.TouchAgents(lc, a.queries.number, obstacle.TouchAgentsArgs{
		N: int32(a.queries.number), Boxes: int32(a.config.Boxes), Swept: allocate.Bit(a.config.Swept),
		Position: boxes.Position, Previous: a.previous, Orientation: boxes.Orientation, Half: boxes.HalfExtents,
		Integers: memory.Integers, Floats: memory.Floats, Vectors: memory.Vec2,
	})
	if a.config.Swept {
		exec.Copy(lc, a.previous, boxes.Position)
	}
}

// reset makes the boxes of the envs of a mask have no position before.
func (a *Agents) reset(lc *exec.LaunchContext, mask exec.Array[int32]) {
	if a.config.Swept {
		obstacle.ForgetAgents(lc, a.queries.number, int32(a.config.Boxes), mask, a.previous)
	}
}

// open returns a *backend.ArgumentError for a checker that NewAgents did not make, and a *backend.ClosedError for a
// closed one.
func (a *Agents) open(op string) error {
	if a == nil {
		return (*component.Component)(nil).Open(prefix, op)
	}
	return a.queries.Open(prefix, op)
}

// Config returns the configuration.
func (a *Agents) Config() AgentConfig {
	if a == nil {
		return AgentConfig{}
	}
	return a.config
}

// Contacts returns what each query rewrites. The checker owns it.
func (a *Agents) Contacts() *AgentContacts {
	if a == nil {
		return nil
	}
	return a.contacts
}

// Bind makes the boxes, B per env, those of later queries. Binding others replaces them; a graph that has recorded a
// query keeps reading the old ones, about which a warning tells (R97).
func (a *Agents) Bind(boxes Boxes) error {
	const op = "bind"
	if err := a.open(op); err != nil {
		return err
	}
	return a.queries.bind(op, boxes)
}

// Query tests the bound boxes and returns the contacts of the checker. Inside a capture of the stream that ctx resolves
// to, the work is recorded, not run. Query allocates nothing on an eager CPU device.
func (a *Agents) Query(ctx context.Context) (*AgentContacts, error) {
	const op = "query"
	if err := a.open(op); err != nil {
		return nil, err
	}
	return a.contacts, a.queries.query(ctx, op)
}

// QueryBoxes is Query for the boxes of the call, B per env, of a checker without bound ones (C-90).
func (a *Agents) QueryBoxes(ctx context.Context, boxes Boxes) (*AgentContacts, error) {
	const op = "query boxes"
	if err := a.open(op); err != nil {
		return nil, err
	}
	return a.contacts, a.queries.queryThese(ctx, op, boxes)
}

// EnqueueQuery emits one Query on lc without any policy, for callers that record it as a part of their own work.
func (a *Agents) EnqueueQuery(lc *exec.LaunchContext) {
	const op = "enqueue query"
	if err := a.open(op); err != nil {
		lc.Fail(err)
		return
	}
	a.queries.enqueue(lc, op)
}

// EnqueueQueryBoxes emits one QueryBoxes on lc without any policy.
func (a *Agents) EnqueueQueryBoxes(lc *exec.LaunchContext, boxes Boxes) {
	const op = "enqueue query boxes"
	if err := a.open(op); err != nil {
		lc.Fail(err)
		return
	}
	a.queries.enqueueThese(lc, op, boxes)
}

// Reset makes the boxes of the envs whose mask is not 0 forget their positions, so that the next step of a swept motion
// begins where they are then. The zero array stands for all envs. Contacts stay. Without swept motion there is nothing
// to forget.
func (a *Agents) Reset(ctx context.Context, mask exec.Array[int32]) error {
	const op = "reset"
	if err := a.open(op); err != nil {
		return err
	}
	mask, err := a.queries.Mask(op, mask)
	if err != nil {
		return err
	}
	return a.queries.Run(ctx, op, a.resets.Get(mask))
}

// EnqueueReset emits one Reset on lc without any policy.
func (a *Agents) EnqueueReset(lc *exec.LaunchContext, mask exec.Array[int32]) {
	const op = "enqueue reset"
	err := a.open(op)
	if err == nil {
		mask, err = a.queries.Mask(op, mask)
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	a.reset(lc, mask)
}

// AgentArrays are the arrays of a checker, for kernels that do the same work in a launch of their own: see
// obstacle.UpdateAgents of package kernels/obstacle.
type AgentArrays struct {
	// Previous has the positions at the last query [E*B], or one element, which is not used, without swept motion. A
	// kernel reads the positions of other boxes in it, so those of an env are written after all its boxes have read them.
	Previous exec.Array[kernel.Vec3]

	Integers exec.Array[int32]       // packed columns
	Floats   exec.Array[float32]     // packed columns
	Vectors  exec.Array[kernel.Vec2] // packed columns
}

// Arrays returns the arrays of the checker, which owns them or has them from its source.
func (a *Agents) Arrays() AgentArrays {
	if a == nil || a.contacts == nil {
		return AgentArrays{}
	}
	memory := a.contacts.packed
	return AgentArrays{Previous: a.previous,
		Integers: memory.Integers, Floats: memory.Floats, Vectors: memory.Vec2}
}

// Close releases the checker and its contacts. Graphs of the caller with work of the checker keep the memory that they
// use, and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of the checker,
// Close returns exec.ErrConcurrentUse and releases nothing.
func (a *Agents) Close() error {
	if a == nil {
		return nil
	}
	return closeAll(a.queries.Component, a.contacts)
}
