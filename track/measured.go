package track

import (
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/measured"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
	"github.com/trackgen-go/trackgen/pipeline"
)

// Names of the outputs of the stages of measured circuits, besides those that generated tracks have too.
const (
	sidesOutput     = "sides"      // [N_max] right and left width of each spaced point
	loopSidesOutput = "loop sides" // [N_max] right and left width of each point of the road
)

// measuredKernels lists every kernel that FromCenterline may launch.
func measuredKernels() []*kernel.Def {
	return append(append([]*kernel.Def{}, measured.Defs...), relaxation.Defs...)
}

// newMeasuredTrack allocates a Track with widths.
func newMeasuredTrack(device backend.Device, envs, nMax int) (*Track, error) {
	t, err := newTrack(device, envs, nMax)
	if err != nil {
		return nil, err
	}
	m := &t.memory
	t.WidthRight, t.WidthLeft = allocate[float32](m, envs*nMax), allocate[float32](m, envs*nMax)
	t.Crossings = allocate[int32](m, envs)
	if m.err != nil {
		return nil, errors.Join(exec.Doing(fmt.Sprintf("allocate the widths of %d tracks of %d points", envs, nMax), m.err), m.close())
	}
	return t, nil
}

// build makes env e of a Track and waits for it. Each circuit is a program of one env, whose memory is released at the end.
func (p *measuredCircuit) build(lc *exec.LaunchContext, t *Track, e int) (err error) {
	builder, err := pipeline.NewBuilder(lc.Device(), 1)
	if err != nil {
		return err
	}
	if err := provideEnv(builder, t, e); err != nil {
		return errors.Join(err, builder.Close())
	}
	stages := []exec.Stage{p.spaceStage()}
	loop, sides := spacedOutput, sidesOutput
	if *p.config.RelaxEnable {
		stages = append(stages, relaxStage(p.config), p.evenStage())
		loop, sides = inflatedOutput, loopSidesOutput
	}
	program, err := builder.Build(append(stages, p.inflateStage(loop, sides), p.validateStage(loop, sides))...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, program.Close()) }()
	program.Enqueue(lc)
	if err := lc.Err(); err != nil {
		return err
	}
	return lc.Stream().Sync()
}

// provideEnv gives the stages the parts of a Track that belong to env e.
func provideEnv(b *pipeline.Builder, t *Track, e int) error {
	points := func(name string, a exec.Array[kernel.Vec3]) error { return providePart(b, name, a, e, t.NMax) }
	numbers := func(name string, a exec.Array[float32], n int) error { return providePart(b, name, a, e, n) }
	integers := func(name string, a exec.Array[int32]) error { return providePart(b, name, a, e, 1) }
	return errors.Join(
		points("outer", t.Outer), points("center", t.Center), points("inner", t.Inner), points("tangent", t.Tangent), points("normal", t.Normal),
		numbers("arclen", t.Arclen, t.NMax), numbers("width_right", t.WidthRight, t.NMax), numbers("width_left", t.WidthLeft, t.NMax),
		numbers("length", t.Length, 1), numbers("winding", t.Winding, 1),
		integers("valid", t.Valid), integers("reason", t.Reason), integers("count", t.Count), integers("crossings", t.Crossings))
}

// providePart provides the elements of env e of an array that has n of them for each env.
func providePart[T kernel.Element](b *pipeline.Builder, name string, array exec.Array[T], e, n int) error {
	part, err := array.Slice(e*n, (e+1)*n)
	if err != nil {
		return err
	}
	return pipeline.Provide(b, name, part)
}

// staged allocates an array and fills it.
func staged[T kernel.Element](a *allocator, values []T) exec.Array[T] {
	array := try(a, func() (exec.Array[T], error) { return exec.Scratch[T](a.Builder, len(values)) })
	if a.err == nil {
		a.err = array.Write(values)
	}
	return array
}

// spaceStage puts points at constant distance on the curve through the circuit.
func (p *measuredCircuit) spaceStage() exec.Stage {
	return pipeline.StageFunc("space", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		points, maxPoints := int32(len(p.point)), int32(p.config.NMax)
		point, width, end := staged(a, p.point), staged(a, p.width), perEnv[float32](a, len(p.point))
		spaced, sides := output[kernel.Vec2](a, spacedOutput, p.config.NMax), output[kernel.Vec2](a, sidesOutput, p.config.NMax)
		count, needed, truncated := output[int32](a, "count", 1), output[int32](a, neededOutput, 1), counter(a, truncatedOutput)
		return func(lc *exec.LaunchContext) {
			measured.Space(lc, 1, points, maxPoints, p.spacing, point, width, end, spaced, sides, count, needed, truncated)
		}, a.err
	})
}

// evenStage spaces a relaxed circuit evenly.
func (p *measuredCircuit) evenStage() exec.Stage {
	return pipeline.StageFunc("even", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		relaxed, sides, count := input[kernel.Vec2](a, relaxedOutput), input[kernel.Vec2](a, sidesOutput), input[int32](a, "count")
		end := perEnv[float32](a, p.config.NMax)
		loop, loopSides := output[kernel.Vec2](a, inflatedOutput, p.config.NMax), output[kernel.Vec2](a, loopSidesOutput, p.config.NMax)
		return func(lc *exec.LaunchContext) { measured.Even(lc, 1, relaxed, sides, count, end, loop, loopSides) }, a.err
	})
}

// inflateStage builds the road.
func (p *measuredCircuit) inflateStage(loops, widths string) exec.Stage {
	return pipeline.StageFunc("inflate", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		n, zBase := p.config.NMax, float32(p.config.ZBase)
		loop, sides, count := input[kernel.Vec2](a, loops), input[kernel.Vec2](a, widths), input[int32](a, "count")
		outer, center, inner := output[kernel.Vec3](a, "outer", n), output[kernel.Vec3](a, "center", n), output[kernel.Vec3](a, "inner", n)
		tangent, normal := output[kernel.Vec3](a, "tangent", n), output[kernel.Vec3](a, "normal", n)
		right, left := output[float32](a, "width_right", n), output[float32](a, "width_left", n)
		arclen, length, winding := output[float32](a, "arclen", n), output[float32](a, "length", 1), output[float32](a, "winding", 1)
		return func(lc *exec.LaunchContext) {
			measured.Inflate(lc, 1, int32(n), zBase, loop, sides, count, outer, center, inner, tangent, normal, right, left, arclen, length, winding)
		}, a.err
	})
}

// validateStage tests the road.
func (p *measuredCircuit) validateStage(loops, widths string) exec.Stage {
	return pipeline.StageFunc("validate", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		n, c := p.config.NMax, p.config
		minWidth, turningTolerance, tight := float32(*c.WFloor), float32(c.TurningTol), float32(1-*c.RelaxTol)
		loop, sides, normal := input[kernel.Vec2](a, loops), input[kernel.Vec2](a, widths), input[kernel.Vec3](a, "normal")
		outer, inner, length := input[kernel.Vec3](a, "outer"), input[kernel.Vec3](a, "inner"), input[float32](a, "length")
		count, needed := input[int32](a, "count"), input[int32](a, neededOutput)
		blocks := (n + measured.Block - 1) / measured.Block
		boxLo, boxHi := perEnv[kernel.Vec2](a, blocks), perEnv[kernel.Vec2](a, blocks)
		over, met, flat, above, below, meets := perEnv[int32](a, n), perEnv[int32](a, n), perEnv[int32](a, n), perEnv[int32](a, n), perEnv[int32](a, n), perEnv[int32](a, n)
		turn, bent := perEnv[float32](a, n), perEnv[float32](a, n)
		crossings, reason, valid := output[int32](a, "crossings", 1), output[int32](a, "reason", 1), output[int32](a, "valid", 1)
		return func(lc *exec.LaunchContext) {
			measured.Boxes(lc, blocks, count, loop, boxLo, boxHi)
			measured.Cross(lc, n, count, loop, boxLo, boxHi, over, met, flat)
			measured.Bridges(lc, 1, p.allowed, p.window, count, length, over, met, above, below, crossings)
			measured.Separate(lc, n, p.widest, tight, count, length, loop, sides, normal, boxLo, boxHi, above, below, flat, meets)
			measured.Validate(lc, 1, int32(n), p.allowed, minWidth, turningTolerance, tight, loop, sides, outer, inner, count, needed, crossings, meets,
				turn, bent, reason, valid)
		}, a.err
	})
}
