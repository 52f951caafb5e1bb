package collision

import (
	"context"
	"errors"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/obstacle"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// DiscConfig has the settings of Discs.
type DiscConfig struct {
	// Boxes is the number of boxes per env, B: a whole number >= 1 and <= 65536, or 0 for 1.
	Boxes int
	// Radius is that of all discs, in track units: a number > 0 and <= 1000000.
	Radius float64
	// Swept asks for the first contact on the way of a box in a step. The way goes straight from the position of the query
	// before, and the box has its present orientation all the way.
	Swept bool
}

// Validate checks every field against its range. The error joins one *config.Error for each mistake.
func (c DiscConfig) Validate() error {
	return errors.Join(checkItems("boxes", c.Boxes), checkLength("radius", c.Radius))
}

// Discs tells whether boxes touch discs, such as cones, pillars or the posts of gates (C-77). It is a producer in the
// sense of package exec: a query can run eagerly, be recorded into a capture of the caller, or replay a graph.
//
// Only one goroutine at a time may use a Discs; different ones are independent.
type Discs struct {
	queries  queries
	config   DiscConfig
	source   DiscSource
	contacts *DiscContacts

	discs    exec.Array[kernel.Vec3]
	count    exec.Array[int32]
	previous exec.Array[kernel.Vec2] // positions at the last query, if the motion is swept
	resets   component.Works[exec.Array[int32]]
}

// NewDiscs returns a checker of the boxes of all envs against the discs in source. If these are the posts of gates, it
// refreshes them. It must not be called inside a capture. The arrays of source stay open as long as the checker is
// used, and each query, or refresh, reads what they hold then.
//
// It returns a *config.Error (config.ErrConfig) for each wrong field of config, a *backend.ArgumentError for a wrong
// device, source or option, exec.ErrCapture inside a capture, or an error of the device.
func NewDiscs(device backend.Device, source DiscSource, config DiscConfig, with ...Option) (_ *Discs, err error) {
	const op = "new discs"
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
	config.Boxes = orOne(config.Boxes)
	if err := checkRoom("boxes", source.envs(), config.Boxes); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	d := &Discs{config: config, source: source}
	made := false
	defer func() {
		if !made {
			err = errors.Join(exec.Doing(prefix+op, err), d.Close())
		}
	}()
	if err = d.allocate(device, o.Seeds.DefaultStream); err != nil {
		return nil, err
	}
	plan := component.Plan{Prefix: prefix, Name: "discs", Envs: source.envs(), Kernels: obstacle.Defs,
		Provide: d.provide, Owner: exec.WeakOwner(d)}
	if source.posts() {
		plan.Stages = []exec.Stage{PostsStage()}
	}
	c, err := component.New(device, plan, o)
	if err != nil {
		return nil, err
	}
	d.queries.setUp(c, source.envs()*config.Boxes, d.emit)
	if err = d.prepare(); err != nil {
		return nil, err
	}
	made = true
	return d, nil
}

// allocate allocates the contacts and the state.
func (d *Discs) allocate(device backend.Device, stream backend.Stream) (err error) {
	envs, boxes := d.source.envs(), d.config.Boxes
	d.contacts = &DiscContacts{Envs: envs, Boxes: boxes}
	var state devicePositions
	var columns []column.Device
	if d.config.Swept {
		columns = positionSchema.Device(&state)
	}
	d.contacts.result, d.contacts.packed, err = component.NewPacked(placeOf(device, stream), DiscSchema,
		&d.contacts.DiscColumns, envs*boxes, func(name string) bool { return name != "first_contact" || d.config.Swept },
		columns...)
	d.previous = state.Previous
	return err
}

// provide gives the stage the posts, and allocates a count of the discs if there is none.
func (d *Discs) provide(b *pipeline.Builder) (err error) {
	d.discs, d.count = d.source.Discs, d.source.Count
	if d.count.IsZero() {
		if d.count, err = exec.Scratch[int32](b, d.source.envs()); err != nil {
			return err
		}
	}
	if !d.source.posts() {
		return nil
	}
	return errors.Join(pipeline.Provide(b, leftInput, d.source.Left), pipeline.Provide(b, rightInput, d.source.Right))
}

// prepare makes the checker ready for queries: all discs count, and no box has a position before.
func (d *Discs) prepare() (err error) {
	if d.source.posts() {
		if d.discs, err = pipeline.ArrayOf[kernel.Vec3](d.queries.Program(), PostsOutput); err != nil {
			return err
		}
	}
	d.resets.Make = func(mask exec.Array[int32]) exec.Enqueue {
		return func(lc *exec.LaunchContext) { d.reset(lc, mask) }
	}
	if d.config.Swept {
		none := slices.Repeat([]kernel.Vec2{kernel.V2(kernel.NaN(), kernel.NaN())}, d.previous.Len())
		if err := d.previous.Write(context.Background(), none); err != nil {
			return err
		}
	}
	return d.queries.Prepare(func(lc *exec.LaunchContext) {
		exec.Fill(lc, d.contacts.Disc, -1)
		if d.source.Count.IsZero() {
			exec.Fill(lc, d.count, int32(d.source.perEnv()))
		}
		d.queries.EnqueueRefresh(lc)
	})
}

// emit launches a query.
func (d *Discs) emit(lc *exec.LaunchContext, boxes Boxes) {
	memory := d.contacts.packed
	obstacle.TouchDiscs(lc, d.queries.number, obstacle.TouchDiscsArgs{
		N: int32(d.queries.number), Boxes: int32(d.config.Boxes), Discs: int32(d.source.perEnv()),
		Radius: float32(d.config.Radius), Swept: allocate.Bit(d.config.Swept),
		Position: boxes.Position, Orientation: boxes.Orientation, Half: boxes.HalfExtents, Disc: d.discs, Count: d.count,
		Integers: memory.Integers, Floats: memory.Floats, Vectors: memory.Vec2,
	})
}

// reset makes the boxes of the envs of a mask have no position before.
func (d *Discs) reset(lc *exec.LaunchContext, mask exec.Array[int32]) {
	if d.config.Swept {
		obstacle.ForgetDiscs(lc, d.queries.number, int32(d.queries.number), int32(d.config.Boxes), mask,
			d.contacts.packed.Vec2)
	}
}

// open returns a *backend.ArgumentError for a checker that NewDiscs did not make, and a *backend.ClosedError for a
// closed one.
func (d *Discs) open(op string) error {
	if d == nil {
		return (*component.Component)(nil).Open(prefix, op)
	}
	return d.queries.Open(prefix, op)
}

// Config returns the configuration.
func (d *Discs) Config() DiscConfig {
	if d == nil {
		return DiscConfig{}
	}
	return d.config
}

// Contacts returns what each query rewrites. The checker owns it.
func (d *Discs) Contacts() *DiscContacts {
	if d == nil {
		return nil
	}
	return d.contacts
}

// Bind makes the boxes, B per env, those of later queries. Binding others replaces them; a graph that has recorded a
// query keeps reading the old ones, about which a warning tells (R97).
func (d *Discs) Bind(boxes Boxes) error {
	const op = "bind"
	if err := d.open(op); err != nil {
		return err
	}
	return d.queries.bind(op, boxes)
}

// Query tests the bound boxes and returns the contacts of the checker. Inside a capture of the stream that ctx resolves
// to, the work is recorded, not run. Query allocates nothing on an eager CPU device.
func (d *Discs) Query(ctx context.Context) (*DiscContacts, error) {
	const op = "query"
	if err := d.open(op); err != nil {
		return nil, err
	}
	return d.contacts, d.queries.query(ctx, op)
}

// QueryBoxes is Query for the boxes of the call, B per env, of a checker without bound ones (C-90).
func (d *Discs) QueryBoxes(ctx context.Context, boxes Boxes) (*DiscContacts, error) {
	const op = "query boxes"
	if err := d.open(op); err != nil {
		return nil, err
	}
	return d.contacts, d.queries.queryThese(ctx, op, boxes)
}

// EnqueueQuery emits one Query on lc without any policy, for callers that record it as a part of their own work.
func (d *Discs) EnqueueQuery(lc *exec.LaunchContext) {
	const op = "enqueue query"
	if err := d.open(op); err != nil {
		lc.Fail(err)
		return
	}
	d.queries.enqueue(lc, op)
}

// EnqueueQueryBoxes emits one QueryBoxes on lc without any policy.
func (d *Discs) EnqueueQueryBoxes(lc *exec.LaunchContext, boxes Boxes) {
	const op = "enqueue query boxes"
	if err := d.open(op); err != nil {
		lc.Fail(err)
		return
	}
	d.queries.enqueueThese(lc, op, boxes)
}

// Refresh makes discs of the posts of all envs, which a regeneration may have moved. Discs that are no posts need no
// refresh, and for them it does nothing.
func (d *Discs) Refresh(ctx context.Context) error {
	const op = "refresh"
	if err := d.open(op); err != nil {
		return err
	}
	return d.queries.Refresh(ctx, op)
}

// RefreshMasked is Refresh for the envs whose mask is not 0. mask has one int32 per env and is read on the device. The
// zero array stands for all envs.
func (d *Discs) RefreshMasked(ctx context.Context, mask exec.Array[int32]) error {
	const op = "refresh masked"
	if err := d.open(op); err != nil {
		return err
	}
	return d.queries.RefreshMasked(ctx, op, mask)
}

// EnqueueRefresh emits one Refresh on lc without any policy.
func (d *Discs) EnqueueRefresh(lc *exec.LaunchContext) {
	if err := d.open("enqueue refresh"); err != nil {
		lc.Fail(err)
		return
	}
	d.queries.EnqueueRefresh(lc)
}

// EnqueueRefreshMasked emits one RefreshMasked on lc without any policy.
func (d *Discs) EnqueueRefreshMasked(lc *exec.LaunchContext, mask exec.Array[int32]) {
	const op = "enqueue refresh masked"
	if err := d.open(op); err != nil {
		lc.Fail(err)
		return
	}
	d.queries.EnqueueRefreshMasked(lc, mask)
}

// EnqueueEnvs emits one refresh of the envs of a list, which has the layout of pipeline.List, without any policy.
func (d *Discs) EnqueueEnvs(lc *exec.LaunchContext, list exec.Array[int32]) {
	if err := d.open("enqueue envs"); err != nil {
		lc.Fail(err)
		return
	}
	d.queries.EnqueueEnvs(lc, list)
}

// Reset makes the boxes of the envs whose mask is not 0 forget their positions, so that the next step of a swept motion
// begins where they are then. The zero array stands for all envs. Contacts stay. Without swept motion there is nothing
// to forget.
func (d *Discs) Reset(ctx context.Context, mask exec.Array[int32]) error {
	const op = "reset"
	if err := d.open(op); err != nil {
		return err
	}
	mask, err := d.queries.Mask(op, mask)
	if err != nil {
		return err
	}
	return d.queries.Run(ctx, op, d.resets.Get(mask))
}

// EnqueueReset emits one Reset on lc without any policy.
func (d *Discs) EnqueueReset(lc *exec.LaunchContext, mask exec.Array[int32]) {
	const op = "enqueue reset"
	err := d.open(op)
	if err == nil {
		mask, err = d.queries.Mask(op, mask)
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	d.reset(lc, mask)
}

// DiscArrays are the arrays of a checker, for kernels that do the same work in a launch of their own: see
// obstacle.UpdateDiscs of package kernels/obstacle.
type DiscArrays struct {
	Discs exec.Array[kernel.Vec3] // [E*D]
	Count exec.Array[int32]       // [E]

	Integers exec.Array[int32]       // packed columns
	Floats   exec.Array[float32]     // packed columns
	Vectors  exec.Array[kernel.Vec2] // packed columns
}

// Arrays returns the arrays of the checker, which owns them or has them from its source.
func (d *Discs) Arrays() DiscArrays {
	if d == nil || d.contacts == nil {
		return DiscArrays{}
	}
	memory := d.contacts.packed
	return DiscArrays{Discs: d.discs, Count: d.count,
		Integers: memory.Integers, Floats: memory.Floats, Vectors: memory.Vec2}
}

// Close releases the checker and its contacts. Graphs of the caller with work of the checker keep the memory that they
// use, and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of the checker,
// Close returns exec.ErrConcurrentUse and releases nothing.
func (d *Discs) Close() error {
	if d == nil {
		return nil
	}
	return closeAll(d.queries.Component, d.contacts)
}
