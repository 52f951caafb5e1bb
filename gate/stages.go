package gate

import (
	"slices"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/elevation"
	"github.com/trackgen-go/trackgen/kernels/gate"
	"github.com/trackgen-go/trackgen/kernels/selection"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// aligns lists the choices of gate.align by the constants below.
var aligns = []string{fullTangent: "full_tangent", yawOnly: "yaw_only"}

// Values of the argument level of the kernel that makes the gates.
const (
	fullTangent = 0
	yawOnly     = 1
)

// sizeOutput is the output of the stage that draws the sizes: [E] factors.
const sizeOutput = "size"

// Stages makes the stages that turn seeds into gate courses, for a program of your own. In that program,
// pipeline.SeedStage or another stage that writes the effective seeds must come before them. Their outputs have the
// names and the shapes of the fields of Sequence: "position", "count". The courses are those of a Generator with the
// same configuration and seeds.
func Stages(config Config) ([]exec.Stage, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	return config.stages()
}

// stages makes the stages of a valid configuration.
func (c Config) stages() ([]exec.Stage, error) {
	points := c.pointStage()
	if err := generation.CheckNesting(Kind(), c, points, Config.sourceStage); err != nil {
		return nil, err
	}
	list := []exec.Stage{points, arrangeStage(c), frameStage(c)}
	if c.Candidates > 1 {
		list = []exec.Stage{generation.Candidates(c.Candidates, judge, list...)}
	}
	if c.variesSize() {
		list = slices.Insert(list, 0, sizeStage(c))
	}
	if c.Generator == Mixed {
		list = slices.Insert(list, 0, generation.Components(c.weights()))
	}
	return list, nil
}

// sourceStage makes the stage that draws the control points of a batch that is not mixed.
func (c Config) sourceStage() exec.Stage { return c.source().stage(c, c.Output.MaxGates) }

// pointStage makes the stage that draws the control points.
func (c Config) pointStage() exec.Stage {
	if c.Generator != Mixed {
		return c.sourceStage()
	}
	var stages []exec.Stage
	for _, kind := range c.Components() {
		stages = append(stages, kind.sourceStage())
	}
	return generation.Mixture("points", stages,
		generation.SharedOutput[kernel.Vec2](pointsOutput, c.Output.MaxGates, "output.max_gates points per env"),
		generation.SharedOutput[int32](drawnOutput, 1, "the number of points of each env"))
}

// variesSize reports whether the envs of a batch draw the size of their gates.
func (c Config) variesSize() bool { return c.Gate.SizeRange != Range{} }

// sizeStage draws the size of the gates of every active env. It comes before the candidates, so all candidates of an
// env have the same size. The sizes are therefore uniform, whichever candidates are valid.
func sizeStage(c Config) exec.Stage {
	return pipeline.StageFunc("size", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		low, high := float32(c.Gate.SizeRange.Min), float32(c.Gate.SizeRange.Max)
		envs, effective, size := b.Envs(), b.Seed(), allocate.Output[float32](a, sizeOutput, 1)
		return func(lc *exec.LaunchContext) {
			gate.DrawSize(lc, envs, a.Active.Array(), effective, low, high, size)
		}, a.Err
	})
}

// size returns the factor for the sizes of gates: with perEnv 1 there is one for each env, else one for all.
func (c Config) size(a *allocate.Allocator) (size exec.Array[float32], perEnv int32) {
	if c.variesSize() {
		return allocate.Input[float32](a, sizeOutput), 1
	}
	return allocate.Staged(a, []float32{1}), 0
}

// component returns the component of each env, for kernels that read settings of components.
func (c Config) component(a *allocate.Allocator) (component exec.Array[int32], mixed int32) {
	if c.Generator == Mixed {
		return allocate.Input[int32](a, generation.ComponentOutput), 1
	}
	return allocate.Staged(a, []int32{0}), 0
}

// arrangeStage orders the control points, moves them apart and gives them heights.
func arrangeStage(c Config) exec.Stage {
	return pipeline.StageFunc("arrange", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		var order, fit []int32
		var side []float32
		for _, kind := range c.kinds() {
			order = append(order, int32(slices.Index(orderings, kind.Ordering)))
			fit = append(fit, allocate.Bit(kind.source().fitted))
			side = append(side, float32(kind.Scale))
		}
		envs, seed, room, e := b.Envs(), b.Seed(), c.Output.MaxGates, c.Elevation
		component, mixed := c.component(a)
		size, perEnv := c.size(a)
		ordering, fitted, sides := allocate.Staged(a, order), allocate.Staged(a, fit), allocate.Staged(a, side)
		drawn, point := allocate.Input[int32](a, drawnOutput), allocate.Input[kernel.Vec2](a, pointsOutput)
		if a.Err == nil {
			a.Err = point.Check("arrange", pointsOutput, b.Device(), envs*room)
		}
		firstEnv := allocate.Counter(a, firstEnvOutput)
		allocate.Write(a, firstEnv, []int32{0})
		key, arc := allocate.PerEnv[float32](a, room), allocate.PerEnv[float32](a, room)
		position := allocate.Output[kernel.Vec3](a, "position", room)
		profile := int32(slices.Index(elevation.ProfileNames, e.Profile))
		return func(lc *exec.LaunchContext) {
			gate.Arrange(lc, envs, gate.ArrangeArgs{
				Active: a.Active.Array(), Seed: seed, Mixed: mixed, Component: component, Ordering: ordering,
				Fitted: fitted, Side: sides, MaxGates: int32(room), PerEnv: perEnv, Size: size,
				FirstEnv: firstEnv, Distance: float32(2 * c.Gate.Radius),
				Sweeps: int32(c.Gate.SeparationSweeps), Profile: profile, Level: float32(e.Base), Low: float32(e.Min),
				High: float32(e.Max), MaxStep: float32(e.MaxStep), Amplitude: float32(e.NoiseAmplitude),
				Harmonics: int32(e.NoiseHarmonics), Drawn: drawn, Point: point, Key: key, Arc: arc, Position: position,
			})
		}, a.Err
	})
}

// frameStage stands a gate at each position and tests the course. Along a track, each gate has a width of its own, and
// the track may have flaws.
func frameStage(c Config) exec.Stage {
	return pipeline.StageFunc("frame", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		envs, room, v := b.Envs(), c.Output.MaxGates, c.Validity
		size, perEnv := c.size(a)
		drawn, position := allocate.Input[int32](a, drawnOutput), allocate.Input[kernel.Vec3](a, "position")
		tangent := allocate.Output[kernel.Vec3](a, "tangent", room)
		forward := allocate.Output[kernel.Vec3](a, "forward", room)
		left, right := allocate.Output[kernel.Vec3](a, "left", room), allocate.Output[kernel.Vec3](a, "right", room)
		orientation := allocate.Output[kernel.Quat](a, "orientation", room)
		halfSize, count := allocate.Output[float32](a, "half_size", room), allocate.Output[int32](a, "count", 1)
		fallbacks := allocate.Output[int32](a, "frame_fallbacks", 1)
		reason, valid := allocate.Output[int32](a, "reason", 1), allocate.Output[int32](a, validOutput, 1)
		level, perTrack := int32(slices.Index(aligns, c.Gate.Align)), allocate.Bit(c.Generator == AlongTracks)
		width, flaws := allocate.Staged(a, []float32{float32(c.Gate.Width)}), allocate.Staged(a, []int32{0})
		if perTrack == 1 {
			width, flaws = allocate.Input[float32](a, openingOutput), allocate.Input[int32](a, flawsOutput)
		}
		return func(lc *exec.LaunchContext) {
			gate.Frame(lc, envs, gate.FrameArgs{
				Active: a.Active.Array(), Drawn: drawn, MinGates: int32(v.MinGates), MaxGates: int32(room), Level: level,
				PerEnv: perEnv, Size: size, PerTrack: perTrack, Width: width, Flaws: flaws,
				Distance: float32(2 * c.Gate.Radius), MaxGrade: float32(v.MaxGrade), MinDistance: float32(v.MinDistance),
				MaxDistance: float32(v.MaxDistance),
				MinTurn:     float32(v.MinTurn), MaxTurn: float32(v.MaxTurn), Position: position, Tangent: tangent,
				Forward: forward, Left: left, Right: right, Quat: orientation, HalfSize: halfSize, Count: count,
				Fallbacks: fallbacks, Reason: reason, Valid: valid,
			})
		}, a.Err
	})
}

const validOutput = "valid"

// judge is a generation.Judge: it prefers valid courses, then earlier candidates.
func judge(a *allocate.Allocator, program *pipeline.Program,
	r generation.Ranking) func(*exec.LaunchContext, exec.Array[int32], int32) {
	envs, valid := a.Envs(), allocate.ArrayOf[int32](a, program, validOutput)
	return func(lc *exec.LaunchContext, list exec.Array[int32], round int32) {
		selection.JudgeValid(lc, envs, selection.JudgeValidArgs{
			Active: list, Round: round, Last: r.Last, Valid: valid, Rank: r.Rank, Candidate: r.Candidate, Again: r.Again,
		})
	}
}
