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
// The search passes over the nodes of the index (package polyline) whose box is beyond the crossing so far, or on one
// side of the line along the beam. With the slack of both tests, no node is passed over that has a nearer crossing, or
// one as near. So every order of the search gives the same bits.
//
// The beams of a run share a search, if they are a fan narrower than half a turn: it passes over what is outside of the
// fan, and finds by halving for each point between which two beams it is. Then only the beams between the two ends of a
// segment are tested. Other runs make a search for each beam.
package rangefinder
