// Package pursuit drives cars along closed lines by pure pursuit: each car steers to a point of its line some way
// ahead, and keeps the speed of a profile. It is a reference controller: a line to compare learned drivers with, and
// traffic.
//
//	planner, err := speed.New(device, speed.SourceOf(generator.Track()), speed.DefaultConfig())
//	...
//	source := pursuit.SourceOf(generator.Track(), planner.Profile())
//	controller, err := pursuit.New(device, source, pursuit.DefaultConfig())
//	...
//	err = controller.Bind(pursuit.Inputs{Position: position, Orientation: orientation, Velocity: velocity,
//		Segment: localiser.Frames().Segment})
//	for range steps {
//		err = controller.Update(ctx) // eager, recorded into a capture, or replayed; writes controller.Actions()
//	}
//
// docs/spec/race.md, L-90 to L-95, has the rules. The controller has no state and makes nothing of the lines
// beforehand, so it needs no refresh after a generation; the speed profile does.
package pursuit
