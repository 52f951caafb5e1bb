package track

import (
	"math"
	"slices"
	"sort"

	"github.com/trackgen-go/trackgen/kernels/repulsive"
)

const (
	// maxIterations is the maximum number of iterations of the growth of a curve.
	maxIterations = 10_000

	// growLoops and powersLoops are the maximum numbers of iterations that all loops of one lane make in one launch of
	// the kernels grow and growPowers, unless a single iteration of the growth makes more. A core of a CPU then grows one
	// curve for a millisecond, during which a garbage collection waits (kernel.Def.Vector), and it is below the 65535
	// iterations at which some drivers end loops (backend.Caps). All devices use the same launches, so that there is one
	// schedule to test.
	growLoops   = 17_000
	powersLoops = 4_000
)

// repulsiveLaunch is one launch of the kernel grow, which a launch of the kernel stop may follow.
type repulsiveLaunch struct {
	first, last    int   // its iterations: first to last-1
	before, points int   // points of the curve before the launch and in its iterations
	filterBase     int   // index of the filter for that number of points
	opens          int32 // number of the window that begins here and is checked at its end, from 1; else 0
	stops          bool  // whether curves that are done stop after the launch
	all            int32 // 1 if all curves stop, else 0
	lastSpreads    int   // for a curve that stops here, see the function lastSpreads
}

// repulsiveSchedule is the sequence of launches of the repulsive generator. It is the same in every generation.
type repulsiveSchedule struct {
	launches   []repulsiveLaunch
	filter     []float32 // filters of all stages, one after the other
	iterations int
	// The windows of the bounded loop. The first check comes after all changes of resolution, so no window that may be
	// skipped changes the resolution.
	firstCheck, checkEvery int
}

// beginning returns the launch that begins with an iteration, or nil if none does.
func (s *repulsiveSchedule) beginning(iteration int) *repulsiveLaunch {
	i := slices.IndexFunc(s.launches, func(l repulsiveLaunch) bool { return l.first == iteration })
	if i < 0 {
		return nil
	}
	return &s.launches[i]
}

// repulsiveStages returns the number of points in each stage, in ascending order.
func (c Config) repulsiveStages() []int {
	if len(c.Repulsive.Stages) > 0 {
		return c.Repulsive.Stages
	}
	return []int{c.Output.LoopPoints / 4, c.Output.LoopPoints / 2, c.Output.LoopPoints}
}

// growthIterations returns the number of iterations in which a curve grows by a factor.
func growthIterations(c Config, factor float64) float64 {
	return math.Ceil(math.Log(factor) / math.Log1p(c.Repulsive.GrowthRate))
}

// repulsiveIterations returns the number of iterations: growth to the maximum length, 0.6 times as many again, and the
// settle iterations (docs/spec/pipeline.md, section 4.6).
func repulsiveIterations(c Config) float64 {
	growth := growthIterations(c, c.Repulsive.MaxGrowth)
	return growth + math.Ceil(growth*6/10) + float64(c.Repulsive.SettleIterations)
}

// newRepulsiveSchedule makes the schedule of a valid and resolved configuration. Stage i begins when the curve has 2^i
// times its first length, so that the distance between its points stays about the same, or when it has its full length.
func newRepulsiveSchedule(c Config) repulsiveSchedule {
	stages := c.repulsiveStages()
	s := repulsiveSchedule{iterations: int(repulsiveIterations(c)), checkEvery: c.Repulsive.StallWindow}
	growth := growthIterations(c, c.Repulsive.MaxGrowth)
	starts, bases := make([]int, len(stages)), make([]int, len(stages))
	for i, points := range stages {
		starts[i] = int(min(growthIterations(c, math.Ldexp(1, i)), growth))
		bases[i] = len(s.filter)
		s.filter = append(s.filter, sobolevFilter(points, sobolevOrder(c))...)
	}
	last := starts[len(starts)-1]
	s.firstCheck = (last/s.checkEvery + 1) * s.checkEvery

	before := stages[0]
	for first := 0; first < s.iterations; {
		stage := 0
		for stage+1 < len(stages) && starts[stage+1] <= first {
			stage++
		}
		points := stages[stage]
		end := min(s.iterations, first+launchedIterations(c, points))
		if stage+1 < len(stages) {
			end = min(end, starts[stage+1])
		}
		window := s.firstCheck // the end of the window that contains first
		if first >= window {
			window += ((first-window)/s.checkEvery + 1) * s.checkEvery
		}
		end = min(end, window)
		launch := repulsiveLaunch{first: first, last: end, before: before, points: points, filterBase: bases[stage]}
		if end == s.iterations {
			launch.all = 1
		}
		if end == s.iterations || end == window {
			launch.stops = true
			launch.lastSpreads = lastSpreads(c, end, repulsiveHorizon(c))
		}
		s.launches = append(s.launches, launch)
		first, before = end, points
	}
	// Each window opens with its first launch, except the one before the first check, which opens with its last launch.
	windows := int32(0)
	for i := range s.launches {
		l := &s.launches[i]
		if l.last == s.firstCheck || l.first >= s.firstCheck && s.launches[i-1].stops {
			windows++
			l.opens = windows
		}
	}
	return s
}

// lastSpreads returns how often the points of a curve that stops after a number of iterations are spread evenly: once
// for each time that they would still have been spread up to iteration until, and once at the end.
//
// Each time cuts the corners of the polygon a little, which makes the curve smoother and shorter. In the reference
// system, the points of a stopped curve are spread on until the last curve of the batch stops, so a track depends on
// the other tracks of its batch. Here, every curve is treated as if its batch stopped at iteration until, whatever the
// batch (docs/design/repulsive.md).
func lastSpreads(c Config, stopped, until int) int {
	return max(0, until/c.Repulsive.ResampleEvery-(stopped-1)/c.Repulsive.ResampleEvery) + 1
}

// repulsiveHorizon returns the iteration until which the points of a curve that has stopped are spread: by default,
// that at which growing, and six tenths as much again, ends.
func repulsiveHorizon(c Config) int {
	if c.Repulsive.Horizon != 0 {
		return c.Repulsive.Horizon
	}
	return int(repulsiveIterations(c)) - c.Repulsive.SettleIterations
}

// launchedIterations returns the maximum number of growth iterations of one launch for curves with the given number of
// points.
func launchedIterations(c Config, points int) int {
	n, every, obstacles := float64(points), float64(c.Repulsive.ResampleEvery), float64(repulsiveObstacles(c))
	lanes, bound, most := float64(repulsive.GrowDef.Lanes), repulsive.GrowIterations, float64(growLoops)
	if c.growsByPowers() {
		lanes, bound, most = float64(repulsive.GrowPowersDef.Lanes), repulsive.GrowPowersIterations, powersLoops
	}
	return 1 + sort.Search(maxIterations, func(k int) bool {
		return bound(n, n, float64(k+2), every, obstacles, lanes) > most
	})
}

// sobolevOrder returns the order of the fractional Laplacian: 5/6 by default.
func sobolevOrder(c Config) float64 { return (c.Repulsive.Beta - 1) / (2 * c.Repulsive.Alpha) }

// sobolevFilter returns the table with which the kernel grow turns a gradient into a direction of descent, for curves
// of n points. It is the inverse of a fractional Laplacian, 1/(lambda^s+1e-3) with lambda = 2-2cos(2 pi k/n) and s the
// order, as a circular convolution (docs/spec/pipeline.md, section 4.6). The filter has no component
// of frequency 0, which would move the whole curve.
//
// A convolution of n points splits into two convolutions of n/2 points (see fold in package repulsive): that of the
// sums of opposite points, which is circular, and that of their differences, which changes sign at the wrap. Each has a
// table of n values for the distances -n/2 to n/2-1, from index 0 on. The tables include the factor 1/2 that undoes the
// folding.
func sobolevFilter(n int, order float64) []float32 {
	const floor = 1e-3
	cos, gain, response := make([]float64, n), make([]float64, n), make([]float64, n)
	for k := range n {
		cos[k] = math.Cos(2 * math.Pi * float64(k) / float64(n))
		if k > 0 {
			gain[k] = 1 / (math.Pow(2-2*cos[k], order) + floor) / float64(n)
		}
	}
	for d := range response {
		for k, g := range gain {
			response[d] += float64(g * cos[k*d%n])
		}
	}
	m := n / 2
	sums, differences := make([]float32, n), make([]float32, n)
	for i := range n {
		near, far := response[(i-m+n)%n], response[i] // at distance i-m, and half a turn farther
		sums[i], differences[i] = float32((near+far)/2), float32((near-far)/2)
	}
	return slices.Concat(sums, differences)
}
