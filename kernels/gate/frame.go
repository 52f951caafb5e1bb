package gate

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// minLevel is the square of the smallest level part of a direction along which a gate can stand (C-37).
const minLevel = 1e-10

// tangentAt returns the direction of the course at gate i of n: from the gate before to the gate after (C-36).
func tangentAt(i, n, base int32, position []kernel.Vec3) kernel.Vec3 {
	if n < 2 {
		return kernel.V3(0, 0, 0)
	}
	from := base + centerline.Before(i, n)
	if n == 2 {
		from = base + i
	}
	return direction(position[base+centerline.After(i, n)].Sub(position[from]))
}

// isFinite reports whether all components of v are finite.
func isFinite(v kernel.Vec3) bool {
	return kernel.IsFinite(v.X) && kernel.IsFinite(v.Y) && kernel.IsFinite(v.Z)
}

// frame stands a gate at each position of a course and tests the course (C-37, C-38). A gate is a bar that is level and
// across the course. With level 1, gates stand upright; otherwise they tilt with the course. A gate whose direction has
// no level part looks along the x axis; fallbacks [E] counts these.
//
// width [1] is the width of all gates, and flaws [1] is 0. With perTrack 1, width is a row with stride maxGates, and
// flaws [E] has the bits of tests that failed before. size [E], or [1] with perEnv 0, is a factor for width and
// distance. The limits are those of docs/spec/course.md: a
// maxGrade or maxDistance of 0 is none. drawn [E] is the number of control points. reason [E] has one bit for each test
// that the course fails; valid [E] is 1 where it is 0. One group is one env.
//
// Rows, with stride maxGates: position, which is read, and tangent, forward, left, right, quat and halfSize, which are
// NaN from count on.
//
//kernel:group lanes=32
//kernel:iterations frameIterations(maxGates, lanes)
func frame(g kernel.Group, active, drawn []int32, minGates, maxGates, level, perEnv int32, size []float32,
	perTrack int32, width []float32, flaws []int32,
	distance, maxGrade, minDistance, maxDistance, minTurn, maxTurn float32,
	position, tangent, forward, left, right []kernel.Vec3, quat []kernel.Quat, halfSize []float32,
	count, fallbacks, reason, valid []int32) {
	if g.ID >= active[0] {
		return
	}
	var found [2]int32 // tests that failed, and fallbacks
	env := active[g.ID+1]
	base := env * maxGates
	n := gateCount(drawn[env], maxGates)
	apart := float32(distance * size[env*perEnv])

	for i := range g.Each(maxGates) {
		k := base + i
		if i < n {
			half := float32(0.5 * float32(width[k*perTrack]*size[env*perEnv]))
			along := tangentAt(i, n, base, position)
			ahead := along
			if level == 1 {
				ahead.Z = 0
			}
			fell := float32(ahead.X*ahead.X)+float32(ahead.Y*ahead.Y) < minLevel
			if fell {
				ahead = kernel.V3(1, 0, 0)
				kernel.AtomicAdd(found[:], 1, 1)
			}
			ahead = direction(ahead)
			turn := orientation(ahead)
			across := turnedY(turn)
			if level == 1 && along.Z == 0 {
				across = kernel.V3(-along.Y, along.X, 0)
			}
			if !fell && (level == 0 || along.Z == 0) {
				ahead = along
			}
			p := position[k]
			l := p.Add(across.Scale(half))
			r := p.Sub(across.Scale(half))
			if !(isFinite(p) && isFinite(along) && isFinite(ahead) && isFinite(l) && isFinite(r) &&
				isFinite(kernel.V3(turn.X, turn.Y, turn.Z)) && kernel.IsFinite(turn.W) && kernel.IsFinite(half)) {
				kernel.AtomicOr(found[:], 0, NotFinite)
			}
			if !(along.Dot(along) > minLength) {
				kernel.AtomicOr(found[:], 0, Direction)
			}
			tangent[k] = along
			forward[k] = ahead
			left[k] = l
			right[k] = r
			quat[k] = turn
			halfSize[k] = half
		} else {
			none := kernel.V3(kernel.NaN(), kernel.NaN(), kernel.NaN())
			tangent[k] = none
			forward[k] = none
			left[k] = none
			right[k] = none
			quat[k] = kernel.Quat{X: kernel.NaN(), Y: kernel.NaN(), Z: kernel.NaN(), W: kernel.NaN()}
			halfSize[k] = kernel.NaN()
		}
	}
	for i := range g.Each(n) {
		failed := testPairs(i, n, base, apart, position, left, right, halfSize) |
			testStep(i, n, base, maxGrade, minDistance, maxDistance, position) |
			testTurn(i, n, base, minTurn, maxTurn, position)
		if failed != 0 {
			kernel.AtomicOr(found[:], 0, failed)
		}
	}
	for range g.Each(1) {
		failed := found[0] | flaws[env*perTrack]
		if drawn[env] < minGates {
			failed |= TooFew
		}
		if drawn[env] > maxGates {
			failed |= TooMany
		}
		count[env] = n
		fallbacks[env] = found[1]
		reason[env] = failed
		valid[env] = 0
		if failed == 0 {
			valid[env] = 1
		}
	}
}
