package track

import (
	"context"
	"errors"
	"slices"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/elevation"
	"github.com/trackgen-go/trackgen/kernels/inflation"
	"github.com/trackgen-go/trackgen/kernels/measured"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
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
	return slices.Concat(measured.Defs, relaxation.Defs, inflation.Defs, elevation.Defs)
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
		line: spacedOutput, perPoint: true, exact: true, elevation: p.elevationStage(),
		widths: func(a *allocate.Allocator) exec.Array[kernel.Vec2] {
			return allocate.Input[kernel.Vec2](a, sidesOutput)
		},
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

// provideEnv provides the stages with the part of each array of a Track that belongs to env e.
func provideEnv(b *pipeline.Builder, t *Track, e int) error {
	var failed []error
	for _, c := range t.columns() {
		if c.IsAbsent() {
			continue
		}
		n := c.Stride(t.NMax)
		failed = append(failed, c.Provide(b, e*n, (e+1)*n))
	}
	return errors.Join(failed...)
}

// spaceStage provides the points of the track. The host computes them, so they are the same on every device.
func (p *measuredCircuit) spaceStage() exec.Stage {
	return pipeline.StageFunc("space", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		n := p.config.Output.MaxPoints
		s := p.sample(min(n, p.needed), p.needed)
		points, sides := make([]kernel.Vec2, n), make([]kernel.Vec2, n)
		copy(points, s.points())
		for i := range s.place {
			sides[i] = kernel.V2(float32(s.width[0][i]), float32(s.width[1][i]))
		}
		provided(a, allocate.Output[kernel.Vec2](a, spacedOutput, n), points)
		provided(a, allocate.Output[kernel.Vec2](a, sidesOutput, n), sides)
		provided(a, allocate.Output[int32](a, "count", 1), []int32{int32(len(s.place))})
		provided(a, allocate.Output[int32](a, neededOutput, 1), []int32{int32(p.needed)})
		provided(a, allocate.Counter(a, truncatedOutput), []int32{allocate.Bit(p.needed > n)})
		return func(*exec.LaunchContext) {}, a.Err
	})
}

// elevationStage gives the points of the track the heights of the circuit, which the host computes, and measures the
// line in space. Relaxed points have the heights of the same parts of the way around.
func (p *measuredCircuit) elevationStage() exec.Stage {
	if p.height == nil {
		return levelStage(p.config)
	}
	return pipeline.StageFunc("elevation", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		n := p.config.Output.MaxPoints
		planArclen, planLength := p.config.planOutputs()
		height := allocate.Output[float32](a, "height", n)
		provided(a, height, p.heights(n))
		unused := func() exec.Array[float32] { return allocate.PerEnv[float32](a, 1) }
		args := elevation.LiftArgs{
			Active: a.Active.Array(), Seed: allocate.Staged(a, []int32{0}), MaxPoints: int32(n), Profile: elevation.Given,
			Knots: 1, Harmonics: 1, Level: 0, Low: 0, High: 0, MaxStep: 0, Amplitude: 0, // which draws of heights use
			MaxGrade: float32(p.config.Validity.MaxGrade),
			Loop:     allocate.Input[kernel.Vec2](a, evenOutput), Count: allocate.Input[int32](a, "count"),
			Arc: allocate.Input[float32](a, planArclen), Perimeter: allocate.Input[float32](a, planLength),
			KnotArc: unused(), Walk: unused(), Knot: unused(), Height: height, Arclen: allocate.Output[float32](a, "arclen", n),
			Length: allocate.Output[float32](a, "length", 1), Steep: allocate.Output[int32](a, steepOutput, 1),
		}
		return func(lc *exec.LaunchContext) { elevation.Lift(lc, 1, args) }, a.Err
	})
}

// heights returns the heights of the points of the track in a row of n.
func (p *measuredCircuit) heights(n int) []float32 {
	heights := make([]float32, n)
	for k := range min(n, p.needed) {
		z, _ := p.height.At(float64(float64(k)*p.line.Length()) / float64(p.needed))
		heights[k] = float32(z)
	}
	return heights
}

// provided fills an output with values that the host knows before the launch.
func provided[T kernel.Element](a *allocate.Allocator, array exec.Array[T], values []T) {
	if a.Err == nil {
		a.Err = array.Write(context.Background(), values)
	}
}

// judgedLine is the centreline that the tests use: the judged line, or the relaxed line.
type judgedLine struct {
	points      int
	count       exec.Array[int32]
	loop        exec.Array[kernel.Vec2]
	length      exec.Array[float32]
	normal      exec.Array[kernel.Vec3]
	right, left exec.Array[float32]
}

// judgedFor returns the line that the tests use, for one stage.
func (p *measuredCircuit) judgedFor(a *allocate.Allocator) judgedLine {
	if p.config.Relax.Enabled {
		_, planLength := p.config.planOutputs()
		return judgedLine{
			points: p.config.Output.MaxPoints, count: allocate.Input[int32](a, "count"),
			loop:   allocate.Input[kernel.Vec2](a, evenOutput),
			length: allocate.Input[float32](a, planLength), normal: allocate.Input[kernel.Vec3](a, "normal"),
			right: allocate.Input[float32](a, "width_right"), left: allocate.Input[float32](a, "width_left"),
		}
	}
	s, n := &p.judged, len(p.judged.place)
	return judgedLine{
		points: n, count: allocate.Staged(a, []int32{int32(n)}), loop: allocate.Staged(a, s.gridPoints()),
		length: allocate.Staged(a, []float32{float32(p.line.Length())}), normal: allocate.Staged(a, s.normals()),
		right: allocate.Staged(a, s.widths(0)), left: allocate.Staged(a, s.widths(1)),
	}
}

// crossStage finds the crossings of a circuit with itself, and decides which of them are bridges.
func (p *measuredCircuit) crossStage() exec.Stage {
	return pipeline.StageFunc(crossStage, exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		line := p.judgedFor(a)
		n, blocks, window := line.points, blocksOf(line.points), p.window()
		boxLo := allocate.Output[kernel.Vec2](a, boxLoOutput, blocks)
		boxHi := allocate.Output[kernel.Vec2](a, boxHiOutput, blocks)
		above, below := allocate.Output[int32](a, aboveOutput, n), allocate.Output[int32](a, belowOutput, n)
		flat, crossings := allocate.Output[int32](a, flatOutput, n), allocate.Output[int32](a, "crossings", 1)
		over, met := allocate.PerEnv[int32](a, n), allocate.PerEnv[int32](a, n)
		return func(lc *exec.LaunchContext) {
			measured.Boxes(lc, blocks, line.count, line.loop, boxLo, boxHi)
			measured.Cross(lc, n, measured.CrossArgs{
				Count: line.count, Loop: line.loop, BoxLo: boxLo, BoxHi: boxHi, Over: over, Met: met, Flat: flat,
			})
			measured.Bridges(lc, 1, measured.BridgesArgs{
				Allowed: p.allowed, Window: window, Count: line.count, Length: line.length, Over: over, Met: met,
				Above: above, Below: below, Crossings: crossings,
			})
		}, a.Err
	})
}

// blocksOf returns the number of bounding boxes of a row of n points.
func blocksOf(n int) int { return (n + measured.Block - 1) / measured.Block }

// validateStage tests the road.
func (p *measuredCircuit) validateStage() exec.Stage {
	return pipeline.StageFunc("validate", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		line, c := p.judgedFor(a), p.config
		n, widest := line.points, float32(p.judged.widest())
		minWidth, turningTolerance := float32(c.Validity.MinHalfWidth), float32(c.Validity.TurningTolerance)
		tight := float32(1 - c.Validity.ThicknessTolerance)
		count, needed := allocate.Input[int32](a, "count"), allocate.Input[int32](a, neededOutput)
		boxLo, boxHi := allocate.Input[kernel.Vec2](a, boxLoOutput), allocate.Input[kernel.Vec2](a, boxHiOutput)
		above, below := allocate.Input[int32](a, aboveOutput), allocate.Input[int32](a, belowOutput)
		flat, crossings := allocate.Input[int32](a, flatOutput), allocate.Input[int32](a, "crossings")
		steep := c.steep(a)
		meets, turn, fitted := allocate.PerEnv[int32](a, n), allocate.PerEnv[float32](a, n), allocate.Bit(!c.Relax.Enabled)
		bent := allocate.PerEnv[float32](a, n)
		if !c.Relax.Enabled {
			bent = allocate.Staged(a, p.bends())
		}
		reason, valid := allocate.Output[int32](a, "reason", 1), allocate.Output[int32](a, "valid", 1)
		return func(lc *exec.LaunchContext) {
			measured.Separate(lc, n, measured.SeparateArgs{
				Widest: widest, Tight: tight, Count: line.count, Length: line.length, Loop: line.loop,
				WidthRight: line.right, WidthLeft: line.left, Normal: line.normal, BoxLo: boxLo, BoxHi: boxHi,
				Above: above, Below: below, Flat: flat, Meets: meets,
			})
			measured.Validate(lc, 1, measured.ValidateArgs{
				MaxPoints: int32(c.Output.MaxPoints), Allowed: p.allowed, Fitted: fitted, MinWidth: minWidth,
				TurningTolerance: turningTolerance, Tight: tight, Loop: line.loop, WidthRight: line.right,
				WidthLeft: line.left, RoadCount: count, Count: line.count, Needed: needed,
				Crossings: crossings, Meets: meets, Steep: steep, Turn: turn, Bent: bent, Reason: reason, Valid: valid,
			})
		}, a.Err
	})
}
