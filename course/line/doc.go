// Package line draws the smooth closed line through the gates of a course, on the device that holds the course: the way
// of a car that passes the gates in order.
//
//	sampler, err := line.New(device, line.SourceOf(generator.Sequence()), line.DefaultConfig())
//	...
//	err = sampler.Refresh(ctx) // eager, recorded into a capture, or replayed; after each later generation
//	batch, err := sampler.Line().Read(ctx) // in host memory
//
// The line is a Catmull-Rom spline through the gates (docs/spec/course.md, C-40 and C-41). A Line has the arrays of a
// centreline: points, tangents, arc lengths. Packages localise and speed work on it as on the centreline of a track.
//
// Stage is the same work as a stage of a generator, for gate.WithStages: each generation then draws the lines of the
// envs that it has made, and no others.
package line
