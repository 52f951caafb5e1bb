package track

import (
	"math"
	"slices"
	"sort"

	"github.com/trackgen-go/trackgen/kernels/repulsive"
)

const (
	// maxIterations is the most iterations of a curve's growth.
	maxIterations = 10_000

	// launchLoops bounds the iterations of all loops that a lane makes in one launch, unless one iteration of the
	// growth makes more. Some drivers end them at 65535 (backend.Caps); all devices launch alike, so that there is one
	// schedule to test.
	launchLoops = 60_000
)

// repulsiveLaunch is one launch of the kernel grow, and perhaps one of the kernel stop behind it.
type repulsiveLaunch struct {
	first, last    int   // its iterations, without last
	before, points int   // of the curve, as it comes and in these iterations
	filterBase     int   // of the filter of that many points
	opens          int32 // a window whose end is checked begins here: its number, from 1, else 0
	stops          bool  // curves that are done stop behind it
	all            int32 // 1 where all stop
	lastSpreads    int   // of a curve that stops here, see lastSpreads
}

// repulsiveSchedule is what the repulsive generator launches, the same in every generation.
type repulsiveSchedule struct {
	launches   []repulsiveLaunch
	filter     []float32 // of all stages, one after the other
	iterations int
	// The windows of the bounded loop. The first check comes after all changes of resolution, so no window that may be
	// skipped changes it.
	firstCheck, checkEvery int
}

// beginning returns the launch that begins with an iteration, nil where none does.
func (s *repulsiveSchedule) beginning(iteration int) *repulsiveLaunch {
	i := slices.IndexFunc(s.launches, func(l repulsiveLaunch) bool { return l.first == iteration })
	if i < 0 {
		return nil
	}
	return &s.launches[i]
}

// repulsiveStages returns the numbers of points, ascending.
func (c Config) repulsiveStages() []int {
	if len(c.Repulsive.Stages) > 0 {
		return c.Repulsive.Stages
	}
	return []int{c.Output.LoopPoints / 4, c.Output.LoopPoints / 2, c.Output.LoopPoints}
}

// growthIterations returns how many iterations growing by a factor takes.
func growthIterations(c Config, factor float64) float64 {
	return math.Ceil(math.Log(factor) / math.Log1p(c.Repulsive.GrowthRate))
}

// repulsiveIterations returns the number of iterations: growing to the greatest length, six tenths as many again, and
// settling (docs/spec/pipeline.md, section 4.6).
func repulsiveIterations(c Config) float64 {
	growth := growthIterations(c, c.Repulsive.MaxGrowth)
	return growth + math.Ceil(growth*6/10) + float64(c.Repulsive.SettleIterations)
}

// newRepulsiveSchedule makes the schedule of a valid and resolved configuration. The i-th stage begins when the curve
// has 2^i times its first length, so that its points stay about as far apart, or all of its length.
func newRepulsiveSchedule(c Config) repulsiveSchedule {
	stages := c.repulsiveStages()
	s := repulsiveSchedule{iterations: int(repulsiveIterations(c)), checkEvery: c.Repulsive.StallWindow}
	growth := growthIterations(c, c.Repulsive.MaxGrowth)
	starts, bases := make([]int, len(stages)), make([]int, len(stages))
	for i, points := range stages {
		starts[i] = int(min(growthIterations(c, math.Ldexp(1, i)), growth))
		bases[i] = len(s.filter)
		s.filter = append(s.filter, sobolevFilter(points)...)
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
		window := s.firstCheck // the end of the window that first lies in
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
			launch.lastSpreads = lastSpreads(c, end, s.iterations-c.Repulsive.SettleIterations)
		}
		s.launches = append(s.launches, launch)
		first, before = end, points
	}
	// Each window opens with its first launch; the iterations before the first check open with their last one.
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

// lastSpreads is how often the points of a curve that stops after a number of iterations are spread evenly: once for
// each time that it would have been from then up to iteration until, and once at the end.
//
// Each time cuts the corners of the polygon a little, which makes the curve smoother and shorter. In the reference
// system curves that have stopped are spread on until the last one of their batch stops, so that a track depends on the
// others of its batch. Here all are treated as in a batch that stops at one time, whatever the batch
// (docs/design/repulsive.md).
func lastSpreads(c Config, stopped, until int) int {
	return max(0, until/c.Repulsive.ResampleEvery-(stopped-1)/c.Repulsive.ResampleEvery) + 1
}

// launchedIterations is how many iterations of the growth of curves of so many points one launch makes at most.
func launchedIterations(c Config, points int) int {
	n, every, obstacles := float64(points), float64(c.Repulsive.ResampleEvery), float64(repulsiveObstacles(c))
	lanes := float64(repulsive.GrowDef.Lanes)
	return 1 + sort.Search(maxIterations, func(k int) bool {
		return repulsive.GrowIterations(n, n, float64(k+2), every, obstacles, lanes) > launchLoops
	})
}

// sobolevFilter returns the table by which the kernel grow turns a gradient into a direction of descent, for curves of
// n points: the inverse of a fractional Laplacian, 1/(lambda^s+1e-3) with lambda = 2-2cos(2 pi k/n) and s = (beta-1)/(2
// alpha) = 5/6, as a circular convolution (docs/spec/pipeline.md, section 4.6). It has no part of frequency 0: a motion
// of the whole curve.
//
// A convolution of n points is two of half as many (see fold in package repulsive): of the sums of opposite points,
// which is circular, and of their differences, which changes sign at the wrap. Each has a table of n values, for the
// distances
// -n/2 to n/2-1, from index 0 on; a half that undoes the folding is in them.
func sobolevFilter(n int) []float32 {
	const order, floor = 5.0 / 6, 1e-3
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
		near, far := response[(i-m+n)%n], response[i] // at distance i-m, and half a turn further
		sums[i], differences[i] = float32((near+far)/2), float32((near-far)/2)
	}
	return slices.Concat(sums, differences)
}
