// Package rangefinder holds the kernels of range finders (docs/spec/race.md, L-30 to L-37): beams from a sensor on each
// agent, against the borders of tracks, other agents, discs and the frames of gates, and the noise of what they
// measure.
//
// Each kind of obstacle is a launch of its own, which shortens the ranges of the launch before. An item is a run of
// neighbouring beams of one agent.
//
// # Walls
//
// A beam crosses a segment if its end points are on different sides of the line along the beam. The side of a point is
// computed once, with the same operations for both of its segments: a point is on the right if the cross product is
// below 0, and else on the left. So a beam through a point crosses exactly one of its segments, or both or none, as a
// beam that passes the point on one side does, and never slips between two segments. A beam whose cross product is 0
// hits the point itself, so that an agent on a point of a wall does not look through it. This is the idea of Woop,
// Benthin and Wald, "Watertight Ray/Triangle Intersection", JCGT 2013, in a plane.
//
// The crossing is between the end points, at the part of the segment where the cross product is 0. Where the angle
// between the beam and the segment is small, rounding of the cross products would move it far along the beam. There
// they are computed again in twice the precision.
//
// # Search
//
// A search of the index (package polyline) passes over the nodes that no beam reaches before what it has hit so far.
// With the slack of its tests, no node is passed over that has a nearer crossing, or one as near. So every order of
// the search gives the same bits.
//
// Beams of a level sensor are a ring: they are in order around it, with a few dark directions where there are none, so
// that the sectors between successive directions are narrow. A walk along a border knows the sector of the point
// before. Seldom is the next point in another one; then it passes the beams between the two, and those are the beams
// on different sides of which the points are. So a segment costs two cross products, and a crossing is computed for
// the beams that meet the segment alone. Three facts make that exact.
//
//   - From the sensor, a segment spans less than half a turn. If it spans less than a quarter, the side of the next
//     beam tells the way around; else the cross product of both ends does. Where rounding may decide about that,
//     because the segment is within 4 slacks of the sensor, all beams are tested.
//   - The points of a segment are also on different sides of beams in the opposite direction, which meet it behind
//     the sensor. Farther than a slack from the sensor they do not count.
//   - Directions are farther from each other than rounding reaches, so the computed sides of a point change once
//     around the ring on the side of the point.
//
// The walk begins near the sensor, goes along both borders forwards and backwards, and stops where its end is farther
// away than what the beams beside it have hit. Then the tree has what is left. A node is passed over if it is farther
// away than all hits of the beams that its circumscribed circle covers, plus 4 slacks. The angle of its middle is
// known to 3e-4 and the number of its beam by a product, which bearingError makes up for.
//
// Other beams, such as those of a tilted body, make a search each.
package rangefinder
