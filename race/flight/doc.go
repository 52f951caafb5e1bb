// Package flight flies drones along closed lines in space, such as those through the gates of a course: each drone
// finds the acceleration that brings it along its line with the speed of a profile, from it the thrust that it needs,
// and turns its body to that. It is a reference controller: a line to compare learned drivers with, and traffic.
//
//	planner, err := speed.New(device, speed.SourceOfLine(sampler.Line()), speed.DefaultConfig())
//	...
//	source := flight.SourceOfLine(sampler.Line(), planner.Profile())
//	controller, err := flight.New(device, source, flight.DefaultConfig())
//	...
//	err = controller.Bind(flight.Inputs{Position: position, Orientation: orientation, Velocity: velocity,
//		Segment: localiser.Frames().Segment})
//	for range steps {
//		err = controller.Update(ctx) // eager, recorded into a capture, or replayed; writes controller.Actions()
//	}
//
// docs/spec/race.md, L-110 to L-116, has the rules. The controller has no state and makes nothing of the lines
// beforehand, so it needs no refresh after a generation; the speed profile does.
package flight
