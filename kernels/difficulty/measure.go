package difficulty

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/speed"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// Columns of the packed labels: of floats, and of integers.
const (
	lapTime = iota
	perLength
	meanSpeed
	minSpeed
	longestStraight
	widthMargin
	trackLength
	maxCurvature
)

const (
	corners = iota
	slowCorners
	mediumCorners
	fastCorners
	hairpins
)

// corner is what is known of a corner that is being driven: the largest curvature so far, without its sign, the angle,
// and the direction, 0 outside of corners.
type corner struct {
	peak, turn float32
	side       int32
}

// measure labels the tracks of the active envs. bends, arclen, length, count, fastest and time are those of the racing
// lines, road the lengths of the centrelines. slow, medium and fast are the largest radii of the classes of corners, in
// mean widths of the road; a turn by less than least is no corner, and one by hairpin or more, which is not fast, is a
// hairpin (L-80 to L-84). Item i is the i-th active env; number is that of all envs, the stride of the packed columns.
//
// bends, arclen, fastest, right and left have the stride maxPoints. Without a line, floats are NaN and integers 0.
//
//kernel:thread
//kernel:unproven
//kernel:iterations measureIterations(maxPoints)
func measure(i int32, active []int32, number, maxPoints int32, slow, medium, fast, least, hairpin, halfCar float32,
	bends, arclen, length []float32, count []int32, fastest, time, road, right, left []float32,
	floats []float32, integers []int32) {
	if i >= active[0] {
		return
	}
	env := active[i+1]
	base := env * maxPoints
	n := speed.PointsOf(count[env], maxPoints)
	for k := int32(0); k <= maxCurvature; k++ {
		floats[k*number+env] = kernel.NaN()
	}
	for k := int32(0); k <= hairpins; k++ {
		integers[k*number+env] = 0
	}
	if n == 0 {
		return
	}
	width := float32(0)
	margin := kernel.Inf()
	slowest := kernel.Inf()
	sharpest := float32(0)
	for j := int32(0); j < n; j++ {
		at := base + j
		both := right[at] + left[at]
		width += both
		margin = vector.Smaller(margin, float32(0.5*both)-halfCar)
		slowest = vector.Smaller(slowest, fastest[at])
		sharpest = vector.Larger(sharpest, kernel.Abs(bends[at]))
	}
	width = width / float32(n)
	edge := 1 / float32(fast*width) // the curvature from which on a point is in a corner

	// The loop begins where the racing line changes between straights and corners, so that none is cut in two.
	first := int32(0)
	for j := int32(0); j < n; j++ {
		if sideOf(bends[base+j], edge) != sideOf(bends[base+centerline.Before(j, n)], edge) {
			first = j
		}
	}
	longest := float32(0)
	straight := float32(0)
	c := corner{peak: 0, turn: 0, side: 0}
	for k := int32(0); k < n; k++ {
		j := first + k
		if j >= n {
			j -= n
		}
		step := speed.StepAfter(j, n, base, arclen, length[env])
		bend := bends[base+j]
		side := sideOf(bend, edge)
		if side != c.side {
			addCorner(c, env, number, least, hairpin, 1/float32(slow*width), 1/float32(medium*width), integers)
			c = corner{peak: 0, turn: 0, side: side}
			straight = 0
		}
		if side == 0 {
			straight += step
			longest = kernel.Max(longest, straight)
		} else {
			c.peak = kernel.Max(c.peak, kernel.Abs(bend))
			c.turn += float32(kernel.Abs(bend) * step)
		}
	}
	addCorner(c, env, number, least, hairpin, 1/float32(slow*width), 1/float32(medium*width), integers)
	floats[lapTime*number+env] = vector.OneNaN(time[env])
	floats[perLength*number+env] = vector.OneNaN(time[env] / road[env])
	floats[meanSpeed*number+env] = vector.OneNaN(length[env] / time[env])
	floats[minSpeed*number+env] = vector.OneNaN(slowest)
	floats[longestStraight*number+env] = vector.OneNaN(longest)
	floats[widthMargin*number+env] = vector.OneNaN(margin)
	floats[trackLength*number+env] = vector.OneNaN(road[env])
	floats[maxCurvature*number+env] = vector.OneNaN(sharpest)
}

// sideOf returns the direction of a corner, 1 to the left and -1 to the right, or 0 on a straight.
func sideOf(bend, edge float32) int32 {
	if bend >= edge {
		return 1
	}
	if -bend >= edge {
		return -1
	}
	return 0
}

// addCorner adds a corner that has ended to those of its env. slow and medium are the least curvatures of these
// classes.
func addCorner(c corner, env, number int32, least, hairpin, slow, medium float32, integers []int32) {
	if c.side == 0 || !(c.turn >= least) {
		return
	}
	integers[corners*number+env]++
	if c.peak >= slow {
		integers[slowCorners*number+env]++
	} else if c.peak >= medium {
		integers[mediumCorners*number+env]++
	} else {
		integers[fastCorners*number+env]++
	}
	if c.turn >= hairpin && c.peak >= medium {
		integers[hairpins*number+env]++
	}
}
