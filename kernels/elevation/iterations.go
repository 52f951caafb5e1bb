package elevation

import "github.com/trackgen-go/trackgen/kernel/iterations"

// WalkIterations bounds Walk for n slots.
func WalkIterations(n float64) float64 { return iterations.Loop(n, 0) }

// HeightIterations bounds Height.
func HeightIterations(harmonics float64) float64 { return iterations.Loop(harmonics, 0) }

// liftIterations bounds the loop iterations of the kernel lift.
func liftIterations(points, knots, harmonics, lanes float64) float64 {
	height := HeightIterations(harmonics)
	return iterations.Phase(knots, lanes, 0) + iterations.Phase(1, lanes, WalkIterations(knots)) +
		iterations.Phase(knots, lanes, height) + iterations.Phase(points, lanes, height) +
		iterations.Phase(1, lanes, iterations.Loop(points, 0))
}
