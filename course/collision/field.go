package collision

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/distancefield"
	"github.com/trackgen-go/trackgen/pipeline"
)

// Field tells how far boxes are from the borders of their tracks, by grids of signed distances that it bakes once for
// each track (C-74, C-75). A query looks up five points of a box and the slope at one of them, so its time depends
// neither on the number of points of a track nor on that of cells. Distances are as exact as a cell is small, and
// corners of borders are rounded off.
//
// It is a producer in the sense of package exec: a query can run eagerly, be recorded into a capture of the caller, or
// replay a graph. Only one goroutine at a time may use a Field; different ones are independent.
type Field struct {
	queries  queries
	config   FieldConfig
	contacts *Contacts

	phi       exec.Array[float32]
	boundary  exec.Array[int32]
	low, high exec.Array[kernel.Vec2]
}

// NewField allocates the distance fields of the tracks in source, and bakes them. It must not be called inside a
// capture. The arrays of source stay open as long as the field is used, and each refresh reads what they hold then.
//
// It returns a *config.Error (config.ErrConfig) for each wrong field of config, a *backend.ArgumentError for a wrong
// device, source or option, exec.ErrCapture inside a capture, backend.ErrUnsupported for tracks with too many points
// for the loops of the device (see backend.Caps), or an error of the device.
func NewField(device backend.Device, source BorderSource, config FieldConfig, with ...Option) (_ *Field, err error) {
	const op = "new field"
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
	envs := source.envs()
	config = config.resolved()
	if err := errors.Join(config.checkCells(envs), checkRoom("boxes", envs, config.Boxes)); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	f := &Field{config: config}
	made := false
	defer func() {
		if !made {
			err = errors.Join(exec.Doing(prefix+op, err), f.Close())
		}
	}()
	f.contacts, err = newContacts(device, envs, config.Boxes, o.Seeds.DefaultStream, isOfField)
	if err != nil {
		return nil, err
	}
	c, err := component.New(device, component.Plan{Prefix: prefix, Name: "distancefield", Envs: envs,
		Kernels: distancefield.Defs, Provide: source.provide, Stages: []exec.Stage{FieldStage(config)},
		Owner: exec.WeakOwner(f)}, o)
	if err != nil {
		return nil, err
	}
	f.queries.setUp(c, envs*config.Boxes, f.emit)
	if err = f.prepare(); err != nil {
		return nil, err
	}
	made = true
	return f, nil
}

// isOfField reports whether a field computes a column of contacts.
func isOfField(name string) bool { return name != "first_contact" && name != "first_boundary" }

// provide gives the stage the arrays of the tracks.
func (s BorderSource) provide(b *pipeline.Builder) error {
	return errors.Join(pipeline.Provide(b, outerInput, s.Outer), pipeline.Provide(b, centerInput, s.Center),
		pipeline.Provide(b, innerInput, s.Inner), pipeline.Provide(b, countInput, s.Count))
}

// prepare finds the arrays that the stage writes, and bakes the fields.
func (f *Field) prepare() error {
	program := f.queries.Program()
	var failed [4]error
	f.phi, failed[0] = pipeline.ArrayOf[float32](program, PhiOutput)
	f.boundary, failed[1] = pipeline.ArrayOf[int32](program, BoundaryOutput)
	f.low, failed[2] = pipeline.ArrayOf[kernel.Vec2](program, LowOutput)
	f.high, failed[3] = pipeline.ArrayOf[kernel.Vec2](program, HighOutput)
	if err := errors.Join(failed[:]...); err != nil {
		return err
	}
	return f.queries.Prepare(func(lc *exec.LaunchContext) {
		exec.Fill(lc, f.contacts.Boundary, NoBoundary)
		f.queries.EnqueueRefresh(lc)
	})
}

// emit launches a query.
func (f *Field) emit(lc *exec.LaunchContext, boxes Boxes) {
	memory := f.contacts.packed
	distancefield.Query(lc, f.queries.number, distancefield.QueryArgs{
		N: int32(f.queries.number), Boxes: int32(f.config.Boxes), Side: int32(f.config.Resolution),
		Position: boxes.Position, Orientation: boxes.Orientation, Half: boxes.HalfExtents,
		Phi: f.phi, Boundary: f.boundary, Low: f.low, High: f.high,
		Integers: memory.Integers, Floats: memory.Floats, Vectors: memory.Vec2,
	})
}

// open returns a *backend.ArgumentError for a checker that NewField did not make, and a *backend.ClosedError for a
// closed one.
func (f *Field) open(op string) error {
	if f == nil {
		return (*component.Component)(nil).Open(prefix, op)
	}
	return f.queries.Open(prefix, op)
}

// Config returns the configuration.
func (f *Field) Config() FieldConfig {
	if f == nil {
		return FieldConfig{}
	}
	return f.config
}

// Contacts returns what each query rewrites. The checker owns it.
func (f *Field) Contacts() *Contacts {
	if f == nil {
		return nil
	}
	return f.contacts
}

// Bind makes the boxes, B per env, those of later queries. Binding others replaces them; a graph that has recorded a
// query keeps reading the old ones, about which a warning tells (R97).
func (f *Field) Bind(boxes Boxes) error {
	const op = "bind"
	if err := f.open(op); err != nil {
		return err
	}
	return f.queries.bind(op, boxes)
}

// Query tests the bound boxes and returns the contacts of the checker. Inside a capture of the stream that ctx resolves
// to, the work is recorded, not run. Query allocates nothing on an eager CPU device.
func (f *Field) Query(ctx context.Context) (*Contacts, error) {
	const op = "query"
	if err := f.open(op); err != nil {
		return nil, err
	}
	return f.contacts, f.queries.query(ctx, op)
}

// QueryBoxes is Query for the boxes of the call, B per env, of a checker without bound ones (C-90).
func (f *Field) QueryBoxes(ctx context.Context, boxes Boxes) (*Contacts, error) {
	const op = "query boxes"
	if err := f.open(op); err != nil {
		return nil, err
	}
	return f.contacts, f.queries.queryThese(ctx, op, boxes)
}

// EnqueueQuery emits one Query on lc without any policy, for callers that record it as a part of their own work.
func (f *Field) EnqueueQuery(lc *exec.LaunchContext) {
	const op = "enqueue query"
	if err := f.open(op); err != nil {
		lc.Fail(err)
		return
	}
	f.queries.enqueue(lc, op)
}

// EnqueueQueryBoxes emits one QueryBoxes on lc without any policy.
func (f *Field) EnqueueQueryBoxes(lc *exec.LaunchContext, boxes Boxes) {
	const op = "enqueue query boxes"
	if err := f.open(op); err != nil {
		lc.Fail(err)
		return
	}
	f.queries.enqueueThese(lc, op, boxes)
}

// Refresh bakes the distance fields of all envs, which a regeneration of tracks makes necessary. It allocates nothing
// on an eager CPU device.
func (f *Field) Refresh(ctx context.Context) error {
	const op = "refresh"
	if err := f.open(op); err != nil {
		return err
	}
	return f.queries.Refresh(ctx, op)
}

// RefreshMasked is Refresh for the envs whose mask is not 0, and changes no cell of the other envs. mask has one int32
// per env and is read on the device, so its values may change between calls and between replays of a graph. The zero
// array stands for all envs.
func (f *Field) RefreshMasked(ctx context.Context, mask exec.Array[int32]) error {
	const op = "refresh masked"
	if err := f.open(op); err != nil {
		return err
	}
	return f.queries.RefreshMasked(ctx, op, mask)
}

// EnqueueRefresh emits one Refresh on lc without any policy.
func (f *Field) EnqueueRefresh(lc *exec.LaunchContext) {
	if err := f.open("enqueue refresh"); err != nil {
		lc.Fail(err)
		return
	}
	f.queries.EnqueueRefresh(lc)
}

// EnqueueRefreshMasked emits one RefreshMasked on lc without any policy.
func (f *Field) EnqueueRefreshMasked(lc *exec.LaunchContext, mask exec.Array[int32]) {
	const op = "enqueue refresh masked"
	if err := f.open(op); err != nil {
		lc.Fail(err)
		return
	}
	f.queries.EnqueueRefreshMasked(lc, mask)
}

// EnqueueEnvs emits one refresh of the envs of a list, which has the layout of pipeline.List, without any policy.
func (f *Field) EnqueueEnvs(lc *exec.LaunchContext, list exec.Array[int32]) {
	if err := f.open("enqueue envs"); err != nil {
		lc.Fail(err)
		return
	}
	f.queries.EnqueueEnvs(lc, list)
}

// FieldArrays are the arrays of a checker, for kernels that do the same work in a launch of their own: see
// distancefield.UpdateBox of package kernels/distancefield.
type FieldArrays struct {
	Phi       exec.Array[float32]     // [E*R*R] as FieldGrid.Phi
	Boundary  exec.Array[int32]       // [E*R*R]
	Low, High exec.Array[kernel.Vec2] // [E]

	Integers exec.Array[int32]       // packed columns
	Floats   exec.Array[float32]     // packed columns
	Vectors  exec.Array[kernel.Vec2] // packed columns
}

// Arrays returns the arrays of the checker, which owns them or has them from its source.
func (f *Field) Arrays() FieldArrays {
	if f == nil || f.contacts == nil {
		return FieldArrays{}
	}
	memory := f.contacts.packed
	return FieldArrays{Phi: f.phi, Boundary: f.boundary, Low: f.low, High: f.high,
		Integers: memory.Integers, Floats: memory.Floats, Vectors: memory.Vec2}
}

// Close releases the checker and its contacts. Graphs of the caller with work of the checker keep the memory that they
// use, and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of the checker,
// Close returns exec.ErrConcurrentUse and releases nothing.
func (f *Field) Close() error {
	if f == nil {
		return nil
	}
	return closeAll(f.queries.Component, f.contacts)
}
