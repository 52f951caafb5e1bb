package progress

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// Rank writes the place of one agent among those of its env, and the gap to the agent in front (C-65). It needs what
// Update has reported of all of them: they are the perEnv agents from first on.
func Rank(agent, first, perEnv, agents int32, course Course, checkpoint []kernel.Vec3, integers []int32,
	floats []float32) {
	place := int32(1)
	front := int32(-1)
	for other := first; other < first+perEnv; other++ {
		if other != agent && isAhead(other, agent, agents, integers, floats) {
			place++
			if front < 0 || isAhead(front, other, agents, integers, floats) {
				front = other
			}
		}
	}
	gap := kernel.NaN()
	if front >= 0 && course.N >= 1 {
		gap = between(agent, front, agents, course, checkpoint, integers, floats)
	}
	integers[Place*agents+agent] = place
	floats[Gap*agents+agent] = gap
}

// isAhead reports whether agent a is ahead of agent b: it has more laps, then more progress, then the next checkpoint
// is nearer, then its index is lower. Agents without a distance to a checkpoint come last.
func isAhead(a, b, agents int32, integers []int32, floats []float32) bool {
	da := floats[DistToNext*agents+a]
	db := floats[DistToNext*agents+b]
	if kernel.IsNaN(da) != kernel.IsNaN(db) {
		return kernel.IsNaN(db)
	}
	if integers[Laps*agents+a] != integers[Laps*agents+b] {
		return integers[Laps*agents+a] > integers[Laps*agents+b]
	}
	if integers[Progress*agents+a] != integers[Progress*agents+b] {
		return integers[Progress*agents+a] > integers[Progress*agents+b]
	}
	if da < db || da > db {
		return da < db
	}
	return a < b
}

// between returns the distance from an agent to the one in front of it, along the checkpoints: to the checkpoint that
// is next for it, from there in straight lines to the checkpoint that is next for the other, less what the other has
// still to go. It is at least 0.
func between(agent, front, agents int32, course Course, checkpoint []kernel.Vec3, integers []int32,
	floats []float32) float32 {
	at := integers[NextCheckpoint*agents+agent]
	if at < 0 || at >= course.N {
		at = 0
	}
	missing := integers[Progress*agents+front] - integers[Progress*agents+agent]
	way := floats[DistToNext*agents+agent]
	if missing >= course.N {
		lap := along(0, course.N, course, checkpoint)
		way += float32(float32(missing/course.N) * lap)
		missing %= course.N
	}
	way += along(at, missing, course, checkpoint)
	gap := way - floats[DistToNext*agents+front]
	if gap < 0 {
		return 0
	}
	return vector.OneNaN(gap)
}

// along returns the length of the way through the given number of checkpoints after the one at from, which is less than
// the number of checkpoints.
func along(from, number int32, course Course, checkpoint []kernel.Vec3) float32 {
	length := float32(0)
	k := from
	for i := int32(0); i < number; i++ {
		next := k + 1
		if next == course.N {
			next = 0
		}
		length += checkpoint[course.Base+next].Sub(checkpoint[course.Base+k]).Len()
		k = next
	}
	return length
}
