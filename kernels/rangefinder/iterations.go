package rangefinder

import (
	"github.com/trackgen-go/trackgen/kernel/iterations"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// wallIterations bounds the kernel walls for borders of n points.
func wallIterations(n, lanes float64) float64 {
	return iterations.Phase(groupRuns, lanes, iterations.Loop(Run, iterations.Loop(2, polyline.SearchIterations(n))))
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

// fanIterations bounds the kernel fans for borders of n points and runs of at most run beams. Each leaf is visited
// once, and each segment looks at every direction once.
func fanIterations(n, run, lanes float64) float64 {
	leaves := float64(polyline.Leaves(int32(n)))
	beams := iterations.Loop(run, 0)
	around := iterations.Loop(run+Dark, 0)
	begin := iterations.Loop(mostSteps, 0) + polyline.BeginIterations(n)
	explore := iterations.Loop(4, 0) + iterations.Loop(4*(2*leaves+2), 0)
	search := iterations.Loop(deepest, 0) + iterations.Loop(2*leaves-1, 2*beams)
	visits := leaves * (around + iterations.Loop(polyline.LeafSegments, around)) // of leaves of a border, from both
	return iterations.Phase(groupRuns, lanes, 2*beams+2*begin+explore+2*(search+visits))
}
