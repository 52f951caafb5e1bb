package rangefinder

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/borders"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// around returns a ray after the segment that another beam has hit, and those beside it. They are probably hit again.
func around(r Ray, hit, segment int32, l polyline.Line, index []kernel.Quat) Ray {
	if segment < 0 || segment >= l.N {
		return r
	}
	return alongSegments(r, hit, max(segment-1, 0), min(segment+2, l.N), l, index)
}

// runs returns the number of runs of beams.
func runs(beams int32) int32 { return (beams + Run - 1) / Run }

// walls measures the beams of every agent against the borders of its env: agents in each env, each with beams. reach is
// the largest range, placeX, placeY and placeZ are where the sensor is on the agent. turn has the cosines and sines of
// the angles of the beams [B]. With walled 0 there are no borders, and the ranges are the largest.
//
// position and orientation are [E*A]. Of each beam it writes the range, [E*A, B], and what is hit, also in segment. An
// agent that is nowhere gets NaN and 0 (L-36).
//
// One item is a run of beams of one agent. kernelgen cannot prove that runs have no element in common.
//
//kernel:thread
//kernel:unproven
//kernel:iterations wallIterations(maxPoints)
func walls(i, agents, beams, maxPoints, body, walled int32, reach, placeX, placeY, placeZ float32,
	position []kernel.Vec3, orientation []kernel.Quat, turn []kernel.Vec2, index []kernel.Quat, distance []float32,
	hit []int32) {
	agent := i / runs(beams)
	from := i % runs(beams) * Run
	f := SensorOf(position[agent], orientation[agent], Mount{Place: kernel.V3(placeX, placeY, placeZ), Body: body})
	sees := f.Sees()
	inner := polyline.Line{Base: 0, N: 0, Tree: 0}
	outer := inner
	if walled == 1 && sees {
		inner = polyline.LineOf(agent/agents, borders.Inner, borders.Lines, maxPoints, index)
		outer = polyline.LineOf(agent/agents, borders.Outer, borders.Lines, maxPoints, index)
	}
	was := Ray{From: kernel.V2(f.Origin.X, f.Origin.Y), Way: kernel.V2(1, 0), Reach: reach, Hit: None, Segment: -1}
	for k := from; k < min(from+Run, beams); k++ {
		measured := kernel.NaN()
		met := int32(None)
		if sees {
			r, flat := planRay(f, turn[k], reach)
			if flat >= level {
				if was.Hit == Inner {
					r = around(r, Inner, was.Segment, inner, index)
				} else if was.Hit == Outer {
					r = around(r, Outer, was.Segment, outer, index)
				}
				r = AlongBorder(r, Inner, inner, index)
				r = AlongBorder(r, Outer, outer, index)
			}
			was = r
			met = r.Hit
			measured = reach
			if met != None {
				measured = kernel.Min(r.Reach/flat, reach)
			}
		}
		distance[agent*beams+k] = measured
		hit[agent*beams+k] = met
	}
}
