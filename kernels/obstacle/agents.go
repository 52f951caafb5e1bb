package obstacle

import "github.com/trackgen-go/trackgen/kernel"

// Columns of the packed arrays of agents. Column c of box i of n boxes is element c*n+i.
const (
	AgentHit   = 0 // int32
	AgentOther = 1 // int32

	AgentDistance     = 0 // float32
	AgentFirstContact = 1 // float32

	AgentNormal = 0 // vector
)

// Farthest is the largest coordinate of a box that counts. With it, all numbers are finite.
const Farthest = 1e12

// isPlace reports whether a position has no NaN and is not too far away.
func isPlace(p kernel.Vec3) bool {
	return kernel.Abs(p.X) <= Farthest && kernel.Abs(p.Y) <= Farthest && !kernel.IsNaN(p.Z)
}

// isSize reports whether half extents are numbers that are not too large.
func isSize(half kernel.Vec2) bool {
	return kernel.Abs(half.X) <= Farthest && kernel.Abs(half.Y) <= Farthest
}

// beginOf returns where a box was in plan view before it came to p; p if that is not known.
func beginOf(previous, p kernel.Vec3) kernel.Vec2 {
	if isPlace(previous) {
		return planOf(previous)
	}
	return planOf(p)
}

// UpdateAgents tests box i of n against the other boxes of its env, the elements [env*boxes, env*boxes+boxes): C-79.
// With swept 1, previous has the positions [n] before, and it also finds the first contact on the ways of both boxes
// from there, with their present orientations. With swept 0 previous is not read.
//
// It writes the columns of the packed arrays: integers [2n], floats [n], with swept 1 [2n], vectors [n].
func UpdateAgents(i, env, n, boxes, swept int32, position, previous []kernel.Vec3, orientation []kernel.Quat,
	half []kernel.Vec2, integers []int32, floats []float32, vectors []kernel.Vec2) {
	best := int32(-1)
	nearest := Gap{Distance: kernel.Inf(), Normal: kernel.V2(kernel.NaN(), kernel.NaN())}
	first := float32(Never)
	if isPlace(position[i]) && isSize(half[i]) {
		own := BoxOf(position[i], orientation[i], half[i])
		radius := own.Half.Len()
		begin := own.Middle
		if swept == 1 {
			begin = beginOf(previous[i], position[i])
		}
		for k := int32(0); k < boxes && own.hasHeading(); k++ {
			j := env*boxes + k
			if j == i || !isPlace(position[j]) || !isSize(half[j]) {
				continue
			}
			way := planOf(position[j]).Sub(own.Middle)
			before := way
			if swept == 1 {
				before = beginOf(previous[j], position[j]).Sub(begin)
			}
			// The factors are for rounding: no pair that is skipped has the least distance, or a contact.
			reach := float32(1.001 * (radius + half[j].Len()))
			isFar := float32(0.999*way.Len())-reach > nearest.Distance
			if isFar && (swept == 0 || misses(before, way, reach)) {
				continue
			}
			other := BoxOf(position[j], orientation[j], half[j])
			if !other.hasHeading() {
				continue
			}
			// The order of a pair decides between axes that are alike, so that both boxes find the same one.
			a := own
			if j < i {
				a = other
				other = own
				before = kernel.V2(-before.X, -before.Y)
			}
			p := pairOf(a, other)
			g := p.gap()
			if g.Distance < nearest.Distance {
				best = k
				nearest = g
				if j < i {
					nearest.Normal = kernel.V2(-g.Normal.X, -g.Normal.Y)
				}
			}
			if swept == 1 {
				t := p.meet(before)
				if t > 1 && g.Distance <= 0 {
					t = 1 // rounding has moved the contact beyond the end
				}
				first = kernel.Min(first, t)
			}
		}
	}
	writeAgent(i, n, swept, best, first, nearest, integers, floats, vectors)
}

// writeAgent writes the columns of box i of n boxes.
func writeAgent(i, n, swept, best int32, first float32, nearest Gap, integers []int32, floats []float32,
	vectors []kernel.Vec2) {
	integers[AgentHit*n+i] = 0
	if nearest.Distance <= 0 {
		integers[AgentHit*n+i] = 1
	}
	integers[AgentOther*n+i] = best
	if best < 0 {
		nearest.Distance = kernel.NaN()
	}
	floats[AgentDistance*n+i] = nearest.Distance
	if swept == 1 {
		if first > 1 {
			first = kernel.NaN()
		}
		floats[AgentFirstContact*n+i] = first
	}
	vectors[AgentNormal*n+i] = nearest.Normal
}

// touchAgents tests each box against the other boxes of its env: see UpdateAgents. boxes is the number of boxes of an
// env. One thread is one box. kernelgen cannot prove that boxes have no column in common.
//
//kernel:thread
//kernel:unproven
//kernel:iterations AgentIterations(boxes)
func touchAgents(i int32, n, boxes, swept int32, position, previous []kernel.Vec3, orientation []kernel.Quat,
	half []kernel.Vec2, integers []int32, floats []float32, vectors []kernel.Vec2) {
	UpdateAgents(i, i/boxes, n, boxes, swept, position, previous, orientation, half, integers, floats, vectors)
}

// forgetAgents makes the boxes of the envs of a mask [E] have no position before. One thread is one box.
//
//kernel:thread
func forgetAgents(i int32, boxes int32, mask []int32, previous []kernel.Vec3) {
	if mask[i/boxes] != 0 {
		previous[i] = kernel.V3(kernel.NaN(), kernel.NaN(), kernel.NaN())
	}
}
