package track

import (
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/variation"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// Names of the outputs of the stage that draws the roads.
const (
	lengthsOutput    = "road_lengths" // [E*variation.Lengths] the lengths that follow from the half width
	halfWidthsOutput = "half_widths"  // [E] the half width, once for each side
	turnedOutput     = "turned"       // [E] bits of package variation
)

// drawsRoad reports whether tracks of the configuration draw anything that Variation describes.
func (v VariationConfig) drawsRoad() bool {
	return v.HalfWidthRange != Range{} || v.RandomDirection || v.RandomMirror
}

// kinds returns the configuration of each component of a batch; one that is not mixed has one.
func (c Config) kinds() []Config {
	if c.Generator == Mixed {
		return c.Components()
	}
	return []Config{c}
}

// varies reports whether the envs of a batch draw their roads.
func (c Config) varies() bool {
	for _, kind := range c.kinds() {
		if kind.Variation.drawsRoad() {
			return true
		}
	}
	return false
}

// variesWidth reports whether the envs of a batch draw their half widths.
func (c Config) variesWidth() bool {
	for _, kind := range c.kinds() {
		if kind.Variation.HalfWidthRange != (Range{}) {
			return true
		}
	}
	return false
}

// halfWidths returns the interval from which an env draws its half width. c is not mixed.
func (c Config) halfWidths() Range {
	if c.Variation.HalfWidthRange == (Range{}) {
		return Range{Min: c.Road.HalfWidth, Max: c.Road.HalfWidth}
	}
	return c.Variation.HalfWidthRange
}

// spacing returns the distance between the points of a track with a half width.
func (c Config) spacing(halfWidth float64) float64 {
	if c.Output.Spacing == 0 {
		return defaultSpacing * halfWidth
	}
	return c.Output.Spacing
}

// roadLengths returns the lengths of a road with a half width, in the order of package variation.
func (c Config) roadLengths(halfWidth float64) []float32 {
	distance := 2 * halfWidth * (1 + c.Relax.Margin)
	lengths := make([]float32, variation.Lengths)
	lengths[variation.HalfWidth] = float32(halfWidth)
	lengths[variation.Spacing] = float32(c.spacing(halfWidth))
	lengths[variation.Target] = float32(distance)
	lengths[variation.Reach] = float32(distance * (1 + c.Relax.SeparationCacheSkin))
	lengths[variation.MinRadius] = float32(halfWidth * (1 + c.Relax.Margin))
	lengths[variation.Thickness] = float32((1 - c.Validity.ThicknessTolerance) * halfWidth)
	return lengths
}

// size returns the lengths of the roads for the kernels of a stage: with perEnv 1 there are some for each env, else for
// all.
func (c Config) size(a *allocate.Allocator) (lengths exec.Array[float32], perEnv int32) {
	if c.varies() {
		return allocate.Input[float32](a, lengthsOutput), 1
	}
	return allocate.Staged(a, c.roadLengths(c.Road.HalfWidth)), 0
}

// variationStage draws the road of every active env: its half width, and whether its track is driven the other way
// round and mirrored. It comes before the candidates, so all candidates of an env have the same road. The widths are
// therefore uniform and the directions even, whichever candidates are valid.
func variationStage(c Config) exec.Stage {
	return pipeline.StageFunc("variation", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		var shortest, longest []float32
		var turns []int32
		for _, kind := range c.kinds() {
			width := kind.halfWidths()
			shortest = append(shortest, kind.roadLengths(width.Min)...)
			longest = append(longest, kind.roadLengths(width.Max)...)
			turns = append(turns, variation.Reversed*allocate.Bit(kind.Variation.RandomDirection)|
				variation.Mirrored*allocate.Bit(kind.Variation.RandomMirror))
		}
		mixed, envs, effective := allocate.Bit(c.Generator == Mixed), b.Envs(), b.Seed()
		component := exec.Array[int32]{}
		if mixed != 0 {
			component = allocate.Input[int32](a, generation.ComponentOutput)
		} else {
			component = allocate.Staged(a, []int32{0})
		}
		narrow, wide, ways := allocate.Staged(a, shortest), allocate.Staged(a, longest), allocate.Staged(a, turns)
		size := allocate.Output[float32](a, lengthsOutput, variation.Lengths)
		sides, turned := allocate.Output[kernel.Vec2](a, halfWidthsOutput, 1), allocate.Output[int32](a, turnedOutput, 1)
		return func(lc *exec.LaunchContext) {
			variation.Draw(lc, envs, variation.DrawArgs{
				Active: a.Active.Array(), Effective: effective, Mixed: mixed, Component: component, Shortest: narrow,
				Longest: wide, Turns: ways, Size: size, Sides: sides, Turned: turned,
			})
		}, a.Err
	})
}

// road describes the road around the centrelines of generated tracks.
func (c Config) road(line string) roadPlan {
	plan := roadPlan{line: line, again: true, perEnv: c.varies(), widths: constantWidth(c.Road.HalfWidth),
		elevation: elevationStage(c)}
	if plan.perEnv {
		plan.widths = func(a *allocate.Allocator) exec.Array[kernel.Vec2] {
			return allocate.Input[kernel.Vec2](a, halfWidthsOutput)
		}
	}
	return plan
}
