package track

import (
	"context"
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

// measuredKernels lists every kernel that Import may launch.
func measuredKernels() []*kernel.Def {
	return append(append([]*kernel.Def{}, measured.Defs...), relaxation.Defs...)
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
	if p.config.Relax.Enabled {
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
	var failed []error
	for _, c := range t.columns() {
		n := c.Stride(t.NMax)
		failed = append(failed, c.Provide(b, e*n, (e+1)*n))
	}
	return errors.Join(failed...)
}

// staged allocates an array and fills it.
func staged[T kernel.Element](a *allocator, values []T) exec.Array[T] {
	array := try(a, func() (exec.Array[T], error) { return exec.Scratch[T](a.Builder, len(values)) })
	if a.err == nil {
		a.err = array.Write(context.Background(), values)
	}
	return array
}

// spaceStage puts points at constant distance on the curve through the circuit.
func (p *measuredCircuit) spaceStage() exec.Stage {
	return pipeline.StageFunc("space", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		points, maxPoints := int32(len(p.point)), int32(p.config.Output.MaxPoints)
		point, width, end := staged(a, p.point), staged(a, p.width), perEnv[float32](a, len(p.point))
		spaced, sides := output[kernel.Vec2](a, spacedOutput, p.config.Output.MaxPoints), output[kernel.Vec2](a, sidesOutput, p.config.Output.MaxPoints)
		count, needed, truncated := output[int32](a, "count", 1), output[int32](a, neededOutput, 1), counter(a, truncatedOutput)
		return func(lc *exec.LaunchContext) {
			measured.Space(lc, 1, measured.SpaceArgs{
				Points: points, MaxPoints: maxPoints, Spacing: p.spacing, Point: point, Width: width, End: end,
				Spaced: spaced, Sides: sides, Count: count, Needed: needed, Truncated: truncated,
			})
		}, a.err
	})
}

// evenStage spaces a relaxed circuit evenly.
func (p *measuredCircuit) evenStage() exec.Stage {
	return pipeline.StageFunc("even", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		relaxed, sides, count := input[kernel.Vec2](a, relaxedOutput), input[kernel.Vec2](a, sidesOutput), input[int32](a, "count")
		end := perEnv[float32](a, p.config.Output.MaxPoints)
		loop, loopSides := output[kernel.Vec2](a, inflatedOutput, p.config.Output.MaxPoints), output[kernel.Vec2](a, loopSidesOutput, p.config.Output.MaxPoints)
		return func(lc *exec.LaunchContext) { measured.Even(lc, 1, relaxed, sides, count, end, loop, loopSides) }, a.err
	})
}

// inflateStage builds the road.
func (p *measuredCircuit) inflateStage(loops, widths string) exec.Stage {
	return pipeline.StageFunc("inflate", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		n, zBase := p.config.Output.MaxPoints, float32(p.config.Road.Height)
		loop, sides, count := input[kernel.Vec2](a, loops), input[kernel.Vec2](a, widths), input[int32](a, "count")
		outer, center, inner := output[kernel.Vec3](a, "outer", n), output[kernel.Vec3](a, "center", n), output[kernel.Vec3](a, "inner", n)
		tangent, normal := output[kernel.Vec3](a, "tangent", n), output[kernel.Vec3](a, "normal", n)
		right, left := output[float32](a, "width_right", n), output[float32](a, "width_left", n)
		arclen, length, winding := output[float32](a, "arclen", n), output[float32](a, "length", 1), output[float32](a, "winding", 1)
		return func(lc *exec.LaunchContext) {
			measured.Inflate(lc, 1, measured.InflateArgs{
				MaxPoints: int32(n), ZBase: zBase, Loop: loop, Sides: sides, Count: count, Outer: outer,
				Center: center, Inner: inner, Tangent: tangent, Normal: normal, WidthRight: right, WidthLeft: left,
				Arclen: arclen, Length: length, Winding: winding,
			})
		}, a.err
	})
}

// validateStage tests the road.
func (p *measuredCircuit) validateStage(loops, widths string) exec.Stage {
	return pipeline.StageFunc("validate", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		n, c := p.config.Output.MaxPoints, p.config
		minWidth, turningTolerance, tight := float32(c.Validity.MinHalfWidth), float32(c.Validity.TurningTolerance), float32(1-c.Validity.ThicknessTolerance)
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
			measured.Cross(lc, n, measured.CrossArgs{
				Count: count, Loop: loop, BoxLo: boxLo, BoxHi: boxHi, Over: over, Met: met, Flat: flat,
			})
			measured.Bridges(lc, 1, measured.BridgesArgs{
				Allowed: p.allowed, Window: p.window, Count: count, Length: length, Over: over, Met: met,
				Above: above, Below: below, Crossings: crossings,
			})
			measured.Separate(lc, n, measured.SeparateArgs{
				Widest: p.widest, Tight: tight, Count: count, Length: length, Loop: loop, Sides: sides,
				Normal: normal, BoxLo: boxLo, BoxHi: boxHi, Above: above, Below: below, Flat: flat, Meets: meets,
			})
			measured.Validate(lc, 1, measured.ValidateArgs{
				MaxPoints: int32(n), Allowed: p.allowed, MinWidth: minWidth, TurningTolerance: turningTolerance,
				Tight: tight, Loop: loop, Sides: sides, Outer: outer, Inner: inner, Count: count, Needed: needed,
				Crossings: crossings, Meets: meets,
				Turn: turn, Bent: bent, Reason: reason, Valid: valid,
			})
		}, a.err
	})
}

// checkLoops refuses circuits whose kernels may loop for longer than the device lets them, as Config.checkLoops does.
func (p *measuredCircuit) checkLoops(device backend.Device) error {
	most := device.Caps().LoopIterations
	if most <= 0 {
		return nil
	}
	given, points := float64(len(p.point)), float64(p.config.Output.MaxPoints)
	share := func(n float64) float64 { return n/lanes + 1 }
	const (
		search = 32 // halvings of an arc length table
		chords = 32 // of a piece of the curve
	)
	for _, stage := range []struct {
		name string
		need float64
	}{
		{"space", given + share(given)*(chords+1) + share(points)*(search+chords+1)},
		{"relax", p.config.loopIterations()["relax"]},
		{"even", points + share(points)*(search+1)},
		{"inflate", 2*points + 3*share(points)},
		{"validate", points + points/measured.Block + share(points)*(2*measured.MaxBridges+1)},
	} {
		if stage.need > float64(most) {
			return &backend.UnsupportedError{Device: device.Info().Name, Op: "this circuit",
				Reason: fmt.Sprintf("stage %s may make %.0f loop iterations for %d points given and N_max %d, and the device ends them after %d; use a larger spacing, or another device",
					stage.name, stage.need, len(p.point), p.config.Output.MaxPoints, most)}
		}
	}
	return nil
}
