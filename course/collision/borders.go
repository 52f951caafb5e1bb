package collision

import (
	"context"
	"errors"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/borders"
	"github.com/trackgen-go/trackgen/kernels/polyline"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// Borders tells whether boxes, such as cars, are on the road, and how far they are from its borders (C-70 to C-73). The
// answers are exact. An index of the borders, which Refresh makes, lets each box look at few segments.
//
// Borders is a producer in the sense of package exec: a query can run eagerly, be recorded into a capture of the
// caller, or replay a graph. Only one goroutine at a time may use a Borders; different ones are independent.
type Borders struct {
	queries  queries
	config   BordersConfig
	source   BorderSource
	contacts *Contacts

	index    exec.Array[kernel.Quat]
	hint     exec.Array[int32]       // where the search for each box begins
	previous exec.Array[kernel.Vec2] // positions at the last query, if the motion is swept
	resets   component.Works[exec.Array[int32]]
}

// NewBorders returns a checker of the boxes of all envs against the borders in source, and refreshes it. It must not be
// called inside a capture. The arrays of source stay open as long as the checker is used, and each refresh reads what
// they hold then.
//
// It returns a *config.Error (config.ErrConfig) for each wrong field of config, a *backend.ArgumentError for a wrong
// device, source or option, exec.ErrCapture inside a capture, or an error of the device.
func NewBorders(device backend.Device, source BorderSource, config BordersConfig,
	with ...Option) (_ *Borders, err error) {
	const op = "new borders"
	if err := config.Validate(); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	o, err := component.Check(device, prefix, op, with)
	if err != nil {
		return nil, err
	}
	if err := source.check(prefix+op, device, source.envs()); err != nil {
		return nil, err
	}
	config.Boxes = orOne(config.Boxes)
	if err := checkRoom("boxes", source.envs(), config.Boxes); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	b := &Borders{config: config, source: source}
	made := false
	defer func() {
		if !made {
			err = errors.Join(exec.Doing(prefix+op, err), b.Close())
		}
	}()
	if err = b.allocate(device, o.Seeds.DefaultStream); err != nil {
		return nil, err
	}
	plan := component.Plan{Prefix: prefix, Name: "borders", Envs: source.envs(), Kernels: config.Kernels(),
		Provide: b.provide, Stages: []exec.Stage{BordersStage()}, Owner: exec.WeakOwner(b)}
	c, err := component.New(device, plan, o)
	if err != nil {
		return nil, err
	}
	b.queries.setUp(c, source.envs()*config.Boxes, b.emit)
	if err = b.prepare(); err != nil {
		return nil, err
	}
	made = true
	return b, nil
}

// allocate allocates the contacts and the state.
func (b *Borders) allocate(device backend.Device, stream backend.Stream) (err error) {
	var hint deviceHints
	var previous devicePositions
	state := hintSchema.Device(&hint)
	if b.config.Swept {
		state = append(state, positionSchema.Device(&previous)...)
	}
	b.contacts, err = newContacts(device, b.source.envs(), b.config.Boxes, stream, func(name string) bool {
		return b.config.Swept || name != "first_contact" && name != "first_boundary"
	}, state...)
	b.hint, b.previous = hint.Hint, previous.Previous
	return err
}

// provide gives the stage the arrays of the tracks.
func (b *Borders) provide(builder *pipeline.Builder) error {
	return errors.Join(
		pipeline.Provide(builder, outerInput, b.source.Outer), pipeline.Provide(builder, centerInput, b.source.Center),
		pipeline.Provide(builder, innerInput, b.source.Inner), pipeline.Provide(builder, countInput, b.source.Count))
}

// prepare makes the checker ready for queries: no box has a position before, and the index is made.
func (b *Borders) prepare() (err error) {
	if b.index, err = pipeline.ArrayOf[kernel.Quat](b.queries.Program(), BorderIndexOutput); err != nil {
		return err
	}
	b.resets.Make = func(mask exec.Array[int32]) exec.Enqueue {
		return func(lc *exec.LaunchContext) { b.reset(lc, mask) }
	}
	if b.config.Swept {
		none := slices.Repeat([]kernel.Vec2{kernel.V2(kernel.NaN(), kernel.NaN())}, b.previous.Len())
		if err := b.previous.Write(context.Background(), none); err != nil {
			return err
		}
	}
	return b.queries.Prepare(func(lc *exec.LaunchContext) {
		exec.Fill(lc, b.hint, -1)
		exec.Fill(lc, b.contacts.Boundary, NoBoundary)
		if b.config.Swept {
			exec.Fill(lc, b.contacts.FirstBoundary, NoBoundary)
		}
		b.queries.EnqueueRefresh(lc)
	})
}

// maxPoints returns the stride of the points.
func (b *Borders) maxPoints() int { return b.source.Center.Len() / b.source.envs() }

// leastFetch is how many elements of the index a box may fetch for the others of its env: about as many as it reads.
const leastFetch = 4

// fetch returns the number of boxes for which one of them fetches the index of their env, or 0. A processor waits for
// the memory that boxes read in no order; a GPU does other work meanwhile.
func (b *Borders) fetch() int32 {
	elements := borders.Lines * int(polyline.Fetched(int32(b.maxPoints())))
	if b.queries.Device().Info().Workers == 0 || elements > leastFetch*b.config.Boxes {
		return 0
	}
	return int32(b.config.Boxes)
}

// emit launches a query.
func (b *Borders) emit(lc *exec.LaunchContext, boxes Boxes) {
	memory, n := b.contacts.packed, b.queries.number
	if b.config.Method == ByScan {
		borders.Scan(lc, borders.Groups(n), borders.ScanArgs{
			Boxes: int32(b.config.Boxes), Total: int32(n), MaxPoints: int32(b.maxPoints()),
			Swept: allocate.Bit(b.config.Swept), Position: boxes.Position, Orientation: boxes.Orientation,
			HalfExtents: boxes.HalfExtents, Index: b.index,
			Integers: memory.Integers, Floats: memory.Floats, Points: memory.Vec2,
		})
		return
	}
	if b.config.Swept {
		borders.QuerySwept(lc, borders.Groups(n), borders.QuerySweptArgs{
			Boxes: int32(b.config.Boxes), Total: int32(n), Fetch: b.fetch(), MaxPoints: int32(b.maxPoints()),
			Position: boxes.Position, Orientation: boxes.Orientation, HalfExtents: boxes.HalfExtents, Index: b.index,
			Integers: memory.Integers, Floats: memory.Floats, Points: memory.Vec2,
		})
		return
	}
	borders.Query(lc, borders.Groups(n), borders.QueryArgs{
		Boxes: int32(b.config.Boxes), Total: int32(n), Fetch: b.fetch(), MaxPoints: int32(b.maxPoints()),
		Position: boxes.Position, Orientation: boxes.Orientation, HalfExtents: boxes.HalfExtents, Index: b.index,
		Integers: memory.Integers, Floats: memory.Floats, Points: memory.Vec2,
	})
}

// reset makes the boxes of the envs of a mask have no position before.
func (b *Borders) reset(lc *exec.LaunchContext, mask exec.Array[int32]) {
	if b.config.Swept {
		borders.Forget(lc, b.queries.number, int32(b.config.Boxes), int32(b.queries.number), mask,
			b.contacts.packed.Vec2)
	}
}

// open returns a *backend.ArgumentError for a checker that NewBorders did not make, and a *backend.ClosedError for a
// closed one.
func (b *Borders) open(op string) error {
	if b == nil {
		return (*component.Component)(nil).Open(prefix, op)
	}
	return b.queries.Open(prefix, op)
}

// Config returns the configuration.
func (b *Borders) Config() BordersConfig {
	if b == nil {
		return BordersConfig{}
	}
	return b.config
}

// Contacts returns what each query rewrites. The checker owns it.
func (b *Borders) Contacts() *Contacts {
	if b == nil {
		return nil
	}
	return b.contacts
}

// Bind makes the boxes, B per env, those of later queries. Binding others replaces them; a graph that has recorded a
// query keeps reading the old ones, about which a warning tells (R97).
func (b *Borders) Bind(boxes Boxes) error {
	const op = "bind"
	if err := b.open(op); err != nil {
		return err
	}
	return b.queries.bind(op, boxes)
}

// Query tests the bound boxes and returns the contacts of the checker. Inside a capture of the stream that ctx resolves
// to, the work is recorded, not run. Query allocates nothing on an eager CPU device.
func (b *Borders) Query(ctx context.Context) (*Contacts, error) {
	const op = "query"
	if err := b.open(op); err != nil {
		return nil, err
	}
	return b.contacts, b.queries.query(ctx, op)
}

// QueryBoxes is Query for the boxes of the call, B per env, of a checker without bound ones (C-90).
func (b *Borders) QueryBoxes(ctx context.Context, boxes Boxes) (*Contacts, error) {
	const op = "query boxes"
	if err := b.open(op); err != nil {
		return nil, err
	}
	return b.contacts, b.queries.queryThese(ctx, op, boxes)
}

// EnqueueQuery emits one Query on lc without any policy, for callers that record it as a part of their own work.
func (b *Borders) EnqueueQuery(lc *exec.LaunchContext) {
	const op = "enqueue query"
	if err := b.open(op); err != nil {
		lc.Fail(err)
		return
	}
	b.queries.enqueue(lc, op)
}

// EnqueueQueryBoxes emits one QueryBoxes on lc without any policy.
func (b *Borders) EnqueueQueryBoxes(lc *exec.LaunchContext, boxes Boxes) {
	const op = "enqueue query boxes"
	if err := b.open(op); err != nil {
		lc.Fail(err)
		return
	}
	b.queries.enqueueThese(lc, op, boxes)
}

// Refresh makes the index of the borders of all envs. It belongs behind every generation: queries read the index, and
// nothing of the tracks.
func (b *Borders) Refresh(ctx context.Context) error {
	const op = "refresh"
	if err := b.open(op); err != nil {
		return err
	}
	return b.queries.Refresh(ctx, op)
}

// RefreshMasked is Refresh for the envs whose mask is not 0. mask has one int32 per env and is read on the device. The
// zero array stands for all envs.
func (b *Borders) RefreshMasked(ctx context.Context, mask exec.Array[int32]) error {
	const op = "refresh masked"
	if err := b.open(op); err != nil {
		return err
	}
	return b.queries.RefreshMasked(ctx, op, mask)
}

// EnqueueRefresh emits one Refresh on lc without any policy.
func (b *Borders) EnqueueRefresh(lc *exec.LaunchContext) {
	if err := b.open("enqueue refresh"); err != nil {
		lc.Fail(err)
		return
	}
	b.queries.EnqueueRefresh(lc)
}

// EnqueueRefreshMasked emits one RefreshMasked on lc without any policy.
func (b *Borders) EnqueueRefreshMasked(lc *exec.LaunchContext, mask exec.Array[int32]) {
	const op = "enqueue refresh masked"
	if err := b.open(op); err != nil {
		lc.Fail(err)
		return
	}
	b.queries.EnqueueRefreshMasked(lc, mask)
}

// EnqueueEnvs emits one refresh of the envs of a list, which has the layout of pipeline.List, without any policy.
func (b *Borders) EnqueueEnvs(lc *exec.LaunchContext, list exec.Array[int32]) {
	if err := b.open("enqueue envs"); err != nil {
		lc.Fail(err)
		return
	}
	b.queries.EnqueueEnvs(lc, list)
}

// Reset makes the boxes of the envs whose mask is not 0 forget their positions, so that the next step of a swept motion
// begins where they are then. The zero array stands for all envs. Contacts stay. Without swept motion there is nothing
// to forget.
func (b *Borders) Reset(ctx context.Context, mask exec.Array[int32]) error {
	const op = "reset"
	if err := b.open(op); err != nil {
		return err
	}
	mask, err := b.queries.Mask(op, mask)
	if err != nil {
		return err
	}
	return b.queries.Run(ctx, op, b.resets.Get(mask))
}

// EnqueueReset emits one Reset on lc without any policy.
func (b *Borders) EnqueueReset(lc *exec.LaunchContext, mask exec.Array[int32]) {
	const op = "enqueue reset"
	err := b.open(op)
	if err == nil {
		mask, err = b.queries.Mask(op, mask)
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	b.reset(lc, mask)
}

// BorderArrays are the arrays of a checker, for kernels that do the same work in a launch of their own: see
// borders.Update of package kernels/borders.
type BorderArrays struct {
	MaxPoints int32                   // stride of the points
	Swept     int32                   // 1 or 0
	Index     exec.Array[kernel.Quat] // see BorderIndexOutput

	Integers exec.Array[int32]       // packed columns
	Floats   exec.Array[float32]     // packed columns
	Points   exec.Array[kernel.Vec2] // packed columns
}

// Arrays returns the arrays of the checker, which owns them or has them from its source.
func (b *Borders) Arrays() BorderArrays {
	if b == nil || b.contacts == nil {
		return BorderArrays{}
	}
	memory := b.contacts.packed
	return BorderArrays{MaxPoints: int32(b.maxPoints()), Swept: allocate.Bit(b.config.Swept),
		Index: b.index, Integers: memory.Integers, Floats: memory.Floats, Points: memory.Vec2}
}

// Close releases the checker and its contacts. Graphs of the caller with work of the checker keep the memory that they
// use, and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of the checker,
// Close returns exec.ErrConcurrentUse and releases nothing.
func (b *Borders) Close() error {
	if b == nil {
		return nil
	}
	return closeAll(b.queries.Component, b.contacts)
}
