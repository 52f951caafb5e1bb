// Package rangefinder measures what a lidar on each agent measures: the distances along beams to the borders of tracks,
// to other agents, and to posts, other discs and the frames of gates.
//
//	finder, err := rangefinder.New(device, rangefinder.SourceOf(generator.Track()), rangefinder.F1Tenth())
//	...
//	err = finder.Bind(rangefinder.Inputs{Position: position, Orientation: orientation})
//	for range steps {
//		err = finder.Update(ctx) // eager, recorded into a capture, or replayed
//	}
//	tensor := finder.Scans().Distance // [E*A, B] in device memory
//
// Borders are walls that no beam passes, not even where two segments meet (docs/spec/race.md, L-30 to L-37). Beams find
// them through the index of package course/collision, which Refresh builds after each later generation, or which a
// checker shares. Noise is seeded, and comes again with the same seed, epoch and step.
package rangefinder
