package track

import (
	"errors"
	"slices"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/inflation"
	"github.com/trackgen-go/trackgen/kernels/measured"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
	"github.com/trackgen-go/trackgen/pipeline"
)

// crossStage is the stage that circuits have and generated tracks lack.
const crossStage = "cross"

// Names of the outputs of the stages of measured circuits, except those that generated tracks have too.
const (
	sidesOutput = "sides" // [N_max] right and left width of each spaced point
	boxLoOutput = "box low"
	boxHiOutput = "box high" // bounding box of each block of points
	aboveOutput = "above"    // [N_max] bridges on which a point lies
	belowOutput = "below"    // [N_max] bridges under which a point lies
	flatOutput  = "flat"     // [N_max] 1 if a segment crosses another one at a small angle, else 0
)

// measuredKernels lists every kernel that Import may launch.
func measuredKernels() []*kernel.Def {
	return slices.Concat(measured.Defs, relaxation.Defs, inflation.Defs)
}

// build makes env e of a Track and waits for it. Each circuit is a program of one env, whose memory is released at the
// end.
func (p *measuredCircuit) build(lc *exec.LaunchContext, t *Track, e int) (err error) {
	builder, err := pipeline.NewBuilder(lc.Device(), 1)
	if err != nil {
		return err
	}
	if err := provideEnv(builder, t, e); err != nil {
		return errors.Join(err, builder.Close())
	}
	stages := []exec.Stage{p.spaceStage()}
	road := roadPlan{
		line: spacedOutput, varies: true, exact: true,
		widths: func(a *allocator) exec.Array[kernel.Vec2] { return input[kernel.Vec2](a, sidesOutput) },
	}
	if p.config.Relax.Enabled {
		stages = append(stages, relaxStage(p.config))
		road.line, road.again = relaxedOutput, true
	}
	stages = append(stages, road.stages(p.config)...)
	program, err := builder.Build(append(stages, p.crossStage(), p.validateStage())...)
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

// provideEnv gives the stages the part of each column of a Track that belongs to env e.
func provideEnv(b *pipeline.Builder, t *Track, e int) error {
	var failed []error
	for _, c := range t.columns() {
		n := c.Stride(t.NMax)
		failed = append(failed, c.Provide(b, e*n, (e+1)*n))
	}
	return errors.Join(failed...)
}

// spaceStage places points at constant spacing on the curve through the circuit.
func (p *measuredCircuit) spaceStage() exec.Stage {
	return pipeline.StageFunc("space", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		points, maxPoints := int32(len(p.point)), int32(p.config.Output.MaxPoints)
		point, width, end := staged(a, p.point), staged(a, p.width), perEnv[float32](a, len(p.point))
		spaced := output[kernel.Vec2](a, spacedOutput, p.config.Output.MaxPoints)
		sides := output[kernel.Vec2](a, sidesOutput, p.config.Output.MaxPoints)
		count, needed, truncated := output[int32](a, "count", 1), output[int32](a, neededOutput, 1),
			counter(a, truncatedOutput)
		return func(lc *exec.LaunchContext) {
			measured.Space(lc, 1, measured.SpaceArgs{
				Points: points, MaxPoints: maxPoints, Spacing: p.spacing, Point: point, Width: width, End: end,
				Spaced: spaced, Sides: sides, Count: count, Needed: needed, Truncated: truncated,
			})
		}, a.err
	})
}

// crossStage finds the crossings of a circuit with itself, and which of them are bridges.
func (p *measuredCircuit) crossStage() exec.Stage {
	return pipeline.StageFunc(crossStage, exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		n, blocks := p.config.Output.MaxPoints, blocksOf(p.config.Output.MaxPoints)
		loop, count, length := input[kernel.Vec2](a, evenOutput), input[int32](a, "count"), input[float32](a, "length")
		boxLo, boxHi := output[kernel.Vec2](a, boxLoOutput, blocks), output[kernel.Vec2](a, boxHiOutput, blocks)
		above, below := output[int32](a, aboveOutput, n), output[int32](a, belowOutput, n)
		flat, crossings := output[int32](a, flatOutput, n), output[int32](a, "crossings", 1)
		over, met := perEnv[int32](a, n), perEnv[int32](a, n)
		return func(lc *exec.LaunchContext) {
			measured.Boxes(lc, blocks, count, loop, boxLo, boxHi)
			measured.Cross(lc, n, measured.CrossArgs{
				Count: count, Loop: loop, BoxLo: boxLo, BoxHi: boxHi, Over: over, Met: met, Flat: flat,
			})
			measured.Bridges(lc, 1, measured.BridgesArgs{
				Allowed: p.allowed, Window: p.window, Count: count, Length: length, Over: over, Met: met,
				Above: above, Below: below, Crossings: crossings,
			})
		}, a.err
	})
}

// blocksOf returns the number of bounding boxes of a row of n points.
func blocksOf(n int) int { return (n + measured.Block - 1) / measured.Block }

// validateStage tests the road.
func (p *measuredCircuit) validateStage() exec.Stage {
	return pipeline.StageFunc("validate", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		n, c := p.config.Output.MaxPoints, p.config
		minWidth, turningTolerance := float32(c.Validity.MinHalfWidth), float32(c.Validity.TurningTolerance)
		tight := float32(1 - c.Validity.ThicknessTolerance)
		loop, normal := input[kernel.Vec2](a, evenOutput), input[kernel.Vec3](a, "normal")
		right, left := input[float32](a, "width_right"), input[float32](a, "width_left")
		outer, inner, length := input[kernel.Vec3](a, "outer"), input[kernel.Vec3](a, "inner"), input[float32](a, "length")
		count, needed := input[int32](a, "count"), input[int32](a, neededOutput)
		boxLo, boxHi := input[kernel.Vec2](a, boxLoOutput), input[kernel.Vec2](a, boxHiOutput)
		above, below := input[int32](a, aboveOutput), input[int32](a, belowOutput)
		flat, crossings := input[int32](a, flatOutput), input[int32](a, "crossings")
		meets, turn, bent := perEnv[int32](a, n), perEnv[float32](a, n), perEnv[float32](a, n)
		reason, valid := output[int32](a, "reason", 1), output[int32](a, "valid", 1)
		return func(lc *exec.LaunchContext) {
			measured.Separate(lc, n, measured.SeparateArgs{
				Widest: p.widest, Tight: tight, Count: count, Length: length, Loop: loop, WidthRight: right,
				WidthLeft: left, Normal: normal, BoxLo: boxLo, BoxHi: boxHi, Above: above, Below: below, Flat: flat,
				Meets: meets,
			})
			measured.Validate(lc, 1, measured.ValidateArgs{
				MaxPoints: int32(n), Allowed: p.allowed, MinWidth: minWidth, TurningTolerance: turningTolerance,
				Tight: tight, Loop: loop, WidthRight: right, WidthLeft: left, Outer: outer, Inner: inner, Count: count,
				Needed: needed, Crossings: crossings, Meets: meets,
				Turn: turn, Bent: bent, Reason: reason, Valid: valid,
			})
		}, a.err
	})
}
