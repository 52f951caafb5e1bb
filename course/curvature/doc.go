// Package curvature measures the curvature of closed lines, on the device that holds them: of the centrelines of tracks
// and of the lines through gate courses.
//
//	estimator, err := curvature.New(device, curvature.SourceOf(generator.Track()), curvature.DefaultConfig())
//	...
//	err = estimator.Refresh(ctx) // eager, recorded into a capture, or replayed; after each later generation
//	batch, err := estimator.Curvature().Read(ctx) // in host memory
//
// The curvature of a point is the angle by which the line turns there, per length, > 0 where it turns counter-clockwise
// in plan view (docs/spec/course.md, C-85). Stage is the same work as a stage of a generator.
package curvature
