package raceline

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel/iterations"
)

// optimiseIterations bounds the loop iterations of one lane of the kernel optimise.
func optimiseIterations(points, rounds, lanes float64) float64 {
	phase := iterations.Phase(points, lanes, 0)
	share := iterations.Phase(parts, lanes, iterations.Loop(math.Ceil(points/parts), 0)) + iterations.Loop(parts, 0)
	solve := iterations.Phase(1, lanes, 0) + 2 // the last test of both loops over strides
	for left := points; left > 1; left = math.Ceil(left / 2) {
		eliminated := iterations.Phase(math.Floor(left/2), lanes, 0)
		solve += 2 + 2*eliminated + iterations.Phase(math.Ceil(left/2), lanes, 0)
	}
	return 3*phase + share + iterations.Loop(rounds, 4*phase+2*share+solve)
}

// drawIterations bounds the loop iterations of one lane of the kernel draw.
func drawIterations(points, lanes float64) float64 {
	search := iterations.Phase(parts, lanes, iterations.Loop(math.Ceil(points/parts), 0)) + iterations.Loop(parts, 0)
	return search + 2*iterations.Phase(points, lanes, 0) + iterations.Phase(1, lanes, iterations.Loop(points, 0))
}

// profileIterations bounds the loop iterations of one lane of the kernel profile.
func profileIterations(points, lanes float64) float64 {
	passes := iterations.Loop(laps, 2*iterations.Loop(points, 0))
	return iterations.Phase(points, lanes, 0) + iterations.Phase(1, lanes, passes)
}

// lapIterations bounds the loop iterations of one lane of the kernel lap.
func lapIterations(points, lanes float64) float64 {
	return iterations.Phase(parts, lanes, iterations.Loop(math.Ceil(points/parts), 0)) +
		iterations.Phase(1, lanes, iterations.Loop(parts, 0))
}
