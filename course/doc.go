// Package course follows a batch of tracks or gate courses through a training loop, on the device that holds it: what
// happened to each car in this step?
//
//	tracks := track.DefaultConfig()
//	tracks.NumEnvs = 512
//	config := course.DefaultConfig()
//	config.Tracks, config.Checkpoints.Spacing, config.Collision.Method = &tracks, 0.6, course.Segments
//	c, err := course.New(device, config)           // makes the tracks and all signals
//	err = c.Bind(course.Inputs{Position: position, Orientation: orientation, HalfExtents: half})
//	...
//	signals, err := c.Step(ctx)                    // after the simulator has written the inputs
//	err = c.Regenerate(ctx, done)                  // new tracks where an episode has ended
//
// A step tells of each agent which checkpoints it has passed, its laps and its place (package progress), where it is
// along the line (package localise), and of each box, such as a car, what it touches (package collision). Results are
// arrays in device memory that every step fills again. Step, Reset and Regenerate can run eagerly, be recorded into a
// capture of the caller, or replay graphs, with the same bits on every device (docs/spec/course.md, section 11).
//
// A regeneration prepares the signals of exactly the envs that it makes, under the same condition: their checkpoints,
// indices, fields, lines and posts are those of the new tracks, and their agents are at the start. Nothing of the other
// envs changes. A course of the caller's own tracks, such as imported circuits, has no generator: see Over.
//
// Each component is also a package that can be used alone.
package course
