package reward

import "github.com/trackgen-go/trackgen/kernel"

// limit is the largest size of a term (L-42).
const limit = 1e30

// bounded returns a number that is finite and not larger than a term may be; 0 for a NaN.
func bounded(x float32) float32 {
	if kernel.IsNaN(x) {
		return 0
	}
	return kernel.Clamp(x, -limit, limit)
}

// wayFrom returns the way from one arc length to another on a closed line: the shorter of the two ways around, forwards
// if they are equal, and 0 if it is not known (L-44).
func wayFrom(before, now, length float32) float32 {
	if !kernel.IsFinite(before) || !kernel.IsFinite(length) || !(length > 0) {
		return 0
	}
	way := now - before
	half := float32(0.5 * length)
	if way > half {
		way -= length
	} else if way < -half {
		way += length
	}
	return bounded(way)
}

// partAtLine returns the part of a step, from 0 to 1, after which an agent that goes a way from an arc length comes to
// the point where the line begins (L-50).
func partAtLine(before, way, length float32) float32 {
	if !(way > 0) {
		return 1
	}
	ahead := -before
	if before > float32(0.5*length) {
		ahead = length - before
	}
	return kernel.Clamp(ahead/way, 0, 1)
}

// changeOf returns the squared change of the actions of an agent, and makes them those of the last step. An action is
// what a vehicle takes it for (L-1). Before the first step, and after a pause, they are NaN and there is no change.
func changeOf(agent, channels int32, action, previous []float32) float32 {
	change := float32(0)
	for c := int32(0); c < channels; c++ {
		k := agent*channels + c
		a := action[k]
		if kernel.IsNaN(a) {
			a = 0
		}
		a = kernel.Clamp(a, -1, 1)
		if !kernel.IsNaN(previous[k]) {
			d := a - previous[k]
			change += float32(d * d)
		}
		previous[k] = a
	}
	return change
}

// forget makes an agent have no actions of a last step.
func forget(agent, channels int32, previous []float32) {
	for c := int32(0); c < channels; c++ {
		previous[agent*channels+c] = kernel.NaN()
	}
}

// flag returns 1 if a condition holds, else 0.
func flag(condition bool) int32 {
	if condition {
		return 1
	}
	return 0
}

// one returns 1 if a condition holds, else 0.
func one(condition bool) float32 {
	if condition {
		return 1
	}
	return 0
}
