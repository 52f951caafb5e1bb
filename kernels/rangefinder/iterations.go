package rangefinder

import (
	"github.com/trackgen-go/trackgen/kernel/iterations"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// wallIterations bounds the kernel walls for borders of n points.
func wallIterations(n float64) float64 {
	return iterations.Loop(Run, iterations.Loop(2, polyline.SearchIterations(n)))
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

// fanIterations bounds the kernel fans for borders of n points.
func fanIterations(n float64) float64 {
	leaves := polyline.Leaves(int32(n))
	point := iterations.Loop(4, 0) // a search among the beams
	segment := point + 3*iterations.Loop(Run, 0)
	leaf := point + iterations.Loop(polyline.LeafSegments, segment) + iterations.Loop(Run, 0)
	border := iterations.Loop(Run, 0) + iterations.Loop(2*float64(leaves), 0) + float64(leaves)*leaf
	return 2*iterations.Loop(Run, 0) + iterations.Loop(2, border)
}
