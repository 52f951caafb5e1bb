package raceline

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/speed"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// laps is how often a profile is limited around the loop: the second time starts with the speed with which the first
// one ended.
const laps = 2

// profile gives each point of the lines of the active envs the highest speed of a car whose tyres share their grip
// between bends, acceleration and braking (L-78). power is that of the engine by the mass of the car; 0 is no limit.
//
// One group is one env. bends, arclen and fastest have the stride maxPoints. fastest is NaN from count on, and in the
// whole row of a line of fewer than 3 points.
//
//kernel:group lanes=64
//kernel:iterations profileIterations(maxPoints, lanes)
func profile(g kernel.Group, active []int32, maxPoints int32, lateral, acceleration, braking, maxSpeed, power float32,
	bends, arclen, length []float32, count []int32, fastest []float32) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	base := env * maxPoints
	n := speed.PointsOf(count[env], maxPoints)
	for i := range g.Each(maxPoints) {
		v := kernel.NaN()
		if i < n {
			v = speed.LimitAt(kernel.Abs(bends[base+i]), lateral, maxSpeed)
		}
		fastest[base+i] = v
	}
	perLateral := 1 / lateral
	for range g.Each(1) {
		for round := int32(0); round < laps; round++ {
			for i := int32(0); i < n; i++ {
				at := base + i
				next := base + centerline.After(i, n)
				v := fastest[at]
				rise := float32(acceleration * grip(v, bends[at], perLateral))
				if power > 0 {
					rise = kernel.Min(rise, power/v)
				}
				fastest[next] = slower(fastest[next], v, rise, speed.StepAfter(i, n, base, arclen, length[env]))
			}
			for k := int32(0); k < n; k++ {
				i := n - 1 - k
				next := base + centerline.After(i, n)
				v := fastest[next]
				fall := float32(braking * grip(v, bends[next], perLateral))
				fastest[base+i] = slower(fastest[base+i], v, fall, speed.StepAfter(i, n, base, arclen, length[env]))
			}
		}
	}
}

// lap gives each line of the active envs its lap time (L-79), NaN to a line of fewer than 3 points. One group is one
// env. arclen and fastest have the stride maxPoints.
//
//kernel:group lanes=64
//kernel:iterations lapIterations(maxPoints, lanes)
func lap(g kernel.Group, active []int32, maxPoints int32, arclen, length []float32, count []int32, fastest []float32,
	lapTime []float32) {
	var times [parts]float32
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	base := env * maxPoints
	n := speed.PointsOf(count[env], maxPoints)
	for part := range g.Each(parts) {
		time := float32(0)
		for i := part; i < n; i += parts {
			both := fastest[base+i] + fastest[base+centerline.After(i, n)]
			time += float32(2*speed.StepAfter(i, n, base, arclen, length[env])) / both
		}
		times[part] = time
	}
	for range g.Each(1) {
		total := kernel.NaN()
		if n > 0 {
			total = 0
			for part := int32(0); part < parts; part++ {
				total += times[part]
			}
		}
		lapTime[env] = vector.OneNaN(total)
	}
}

// grip returns the part of the longitudinal limits that is left at a speed in a bend: the friction ellipse. perLateral
// is 1 by the lateral limit.
func grip(v, bend, perLateral float32) float32 {
	used := float32(float32(float32(v*v)*kernel.Abs(bend)) * perLateral)
	if !(used < 1) {
		return 0
	}
	return kernel.Sqrt(1 - float32(used*used))
}

// slower returns v, or the speed after step from the speed from, if that is less.
func slower(v, from, rate, step float32) float32 {
	return kernel.Min(kernel.Sqrt(float32(from*from)+float32(float32(2*rate)*step)), v)
}
