package speed

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

const (
	// rounds is how often a profile is limited around the loop: the second round starts with the speed with which the
	// first one ended.
	rounds = 2

	// minCurvature is the curvature up to which a line counts as straight (C-86).
	minCurvature = 1e-9
)

// profile gives each point of the lines of the active envs the highest speed at which a car can follow the line
// (C-86): in bends the lateral acceleration is a limit, and from one point to the next the speed rises by acceleration
// and falls by braking at most.
//
// One group is one env. bends, arclen and speed have the stride maxPoints. speed is NaN from count on, and in the whole
// row of a line of fewer than 3 points.
//
//kernel:group lanes=64
//kernel:iterations profileIterations(maxPoints, lanes)
func profile(g kernel.Group, active []int32, maxPoints int32, lateral, acceleration, braking, maxSpeed float32,
	bends, arclen, length []float32, count []int32, speed []float32) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	base := env * maxPoints
	n := PointsOf(count[env], maxPoints)
	for i := range g.Each(maxPoints) {
		v := kernel.NaN()
		if i < n {
			v = LimitAt(kernel.Abs(bends[base+i]), lateral, maxSpeed)
		}
		speed[base+i] = v
	}
	for range g.Each(1) {
		for round := int32(0); round < rounds; round++ {
			for i := int32(0); i < n; i++ {
				step := StepAfter(i, n, base, arclen, length[env])
				next := base + centerline.After(i, n)
				speed[next] = slower(speed[next], speed[base+i], acceleration, step)
			}
			for k := int32(0); k < n; k++ {
				i := n - 1 - k
				step := StepAfter(i, n, base, arclen, length[env])
				speed[base+i] = slower(speed[base+i], speed[base+centerline.After(i, n)], braking, step)
			}
		}
	}
}

// LimitAt returns the highest speed in a bend of a curvature, which is not negative.
func LimitAt(curvature, lateral, maxSpeed float32) float32 {
	if !(curvature > minCurvature) { // or NaN
		return maxSpeed
	}
	return kernel.Min(kernel.Sqrt(lateral/curvature), maxSpeed)
}

// StepAfter returns the arc length of segment i of a line of n points.
func StepAfter(i, n, base int32, arclen []float32, length float32) float32 {
	end := length
	if i+1 < n {
		end = arclen[base+i+1]
	}
	return end - arclen[base+i]
}

// slower returns v, or the speed that a car can have reached after step from the speed, if that is less. A speed that
// is NaN, because the arc lengths are, is no limit.
func slower(v, from, acceleration, step float32) float32 {
	return kernel.Min(kernel.Sqrt(float32(from*from)+float32(float32(2*acceleration)*step)), v)
}
