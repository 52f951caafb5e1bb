package relaxation

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel/iterations"
)

// relaxIterations bounds the loop iterations of the kernels relax and relaxSmall. A sweep visits the remembered beads
// in pairs, and then the beads within the target distance one by one.
func relaxIterations(points, sweeps, refresh, slots, smoothPasses, spacingSweeps, lanes float64) float64 {
	sweep := iterations.Phase(points, lanes, iterations.Loop(math.Ceil(slots/2), 0)) +
		iterations.Phase(points, lanes, iterations.Loop(slots, 0))
	return sweepIterations(points, sweeps, refresh, slots, smoothPasses, spacingSweeps, lanes, sweep)
}

// relaxLargeIterations bounds the loop iterations of the kernel relaxLarge. It visits each remembered bead once.
func relaxLargeIterations(points, sweeps, refresh, slots, smoothPasses, spacingSweeps, lanes float64) float64 {
	sweep := iterations.Phase(points, lanes, 0) + iterations.Phase(points, lanes, iterations.Loop(slots, 0))
	return sweepIterations(points, sweeps, refresh, slots, smoothPasses, spacingSweeps, lanes, sweep)
}

// sweepIterations bounds the loop iterations of the three kernels; remembered is the bound of a sweep over the
// remembered beads. If no beads are remembered, every sweep that searches visits all beads instead.
func sweepIterations(points, sweeps, refresh, slots, smoothPasses, spacingSweeps, lanes, remembered float64) float64 {
	phase := iterations.Phase(points, lanes, 0)
	blocks := math.Ceil(points / BlockSize)
	searches := math.Ceil(max(0, sweeps) / max(1, refresh))
	sweep := 2 * phase
	search := iterations.Phase(points, lanes, iterations.Loop(points, 0)) - phase
	if slots > 0 && refresh > 1 {
		sweep = remembered
		search = iterations.Phase(blocks, lanes, iterations.Loop(BlockSize-1, 0)) +
			iterations.Phase(points, lanes, iterations.Loop(blocks, iterations.Loop(BlockSize, 0)))
	}
	perimeter := iterations.Phase(1, lanes, iterations.Loop(points, 0))
	return 3*phase + perimeter + iterations.Loop(sweeps, sweep) + searches*search +
		iterations.Loop(2*smoothPasses, phase) + iterations.Loop(spacingSweeps, 2*phase)
}
