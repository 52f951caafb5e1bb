package rangefinder

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/borders"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// runs returns the number of runs of beams.
func runs(beams int32) int32 { return (beams + Run - 1) / Run }

// walls measures the beams of every agent against the borders of its env: agents in each env, each with beams. reach is
// the largest range, placeX, placeY and placeZ are where the sensor is on the agent. turn has the cosines and sines of
// the angles of the beams [B]. With walled 0 there are no borders, and the ranges are the largest.
//
// position and orientation are [E*A]. Of each beam it writes the range, [E*A, B], and what is hit, also in segment. An
// agent that is nowhere gets NaN and 0 (L-36).
//
// One group is groupRuns of the runs of beams in total. kernelgen cannot prove that runs have no element in common.
//
//kernel:group lanes=32
//kernel:unproven
//kernel:iterations wallIterations(maxPoints, lanes)
func walls(g kernel.Group, total, agents, beams, maxPoints, body, walled int32, reach, placeX, placeY, placeZ float32,
	position []kernel.Vec3, orientation []kernel.Quat, turn []kernel.Vec2, index []kernel.Quat, distance []float32,
	hit []int32) {
	first := g.ID * groupRuns
	for k := range g.Each(min(groupRuns, total-first)) {
		wall(first+k, agents, beams, maxPoints, body, walled, reach, placeX, placeY, placeZ, position, orientation, turn,
			index, distance, hit)
	}
}

// wall measures the beams of run i of all runs: see walls.
func wall(i, agents, beams, maxPoints, body, walled int32, reach, placeX, placeY, placeZ float32,
	position []kernel.Vec3, orientation []kernel.Quat, turn []kernel.Vec2, index []kernel.Quat, distance []float32,
	hit []int32) {
	agent := i / runs(beams)
	from := i % runs(beams) * Run
	f := SensorOf(position[agent], orientation[agent], Mount{Place: kernel.V3(placeX, placeY, placeZ), Body: body})
	sees := f.Sees()
	for k := from; k < min(from+Run, beams); k++ {
		measured := kernel.NaN()
		met := int32(None)
		if sees {
			r, flat := planRay(f, turn[k], reach)
			if walled == 1 && flat >= level {
				for border := int32(borders.Inner); border <= borders.Outer; border++ {
					l := polyline.LineOf(agent/agents, border, borders.Lines, maxPoints, index)
					r = AlongBorder(r, Inner+border-borders.Inner, l, index)
				}
			}
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
