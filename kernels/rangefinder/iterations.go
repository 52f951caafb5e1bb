package rangefinder

import (
	"github.com/trackgen-go/trackgen/kernel/iterations"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// wallIterations bounds the kernel walls for borders of n points: for each beam the segments around a hit, and both
// borders.
func wallIterations(n float64) float64 {
	return iterations.Loop(Run, iterations.Loop(3, 0)+2*polyline.SearchIterations(n))
}

// boxIterations bounds the kernel boxes for n agents.
func boxIterations(n float64) float64 {
	return iterations.Loop(n, iterations.Loop(Run, iterations.Loop(4, 0)))
}

// discIterations bounds the kernel discs for n discs.
func discIterations(n float64) float64 { return iterations.Loop(n, iterations.Loop(Run, 0)) }

// frameIterations bounds the kernel frames for n gates.
func frameIterations(n float64) float64 {
	return iterations.Loop(n, iterations.Loop(Run, iterations.Loop(4, iterations.Loop(3, 0))))
}
