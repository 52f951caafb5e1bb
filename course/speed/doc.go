// Package speed finds the speed profile of closed lines, on the device that holds them: how fast a car can be at each
// point of the centreline of a track, or of the line through a gate course.
//
//	config := speed.DefaultConfig()
//	config.MaxSpeed = 6
//	planner, err := speed.New(device, speed.SourceOf(generator.Track()), config)
//	...
//	err = planner.Refresh(ctx) // eager, recorded into a capture, or replayed; after each later generation
//	batch, err := planner.Profile().Read(ctx) // in host memory
//
// Bends limit the speed by the lateral acceleration of the car. From one point to the next it rises and falls by no
// more than the car can accelerate and brake (docs/spec/course.md, C-86). Stage is the same work as a stage of a
// generator.
package speed
