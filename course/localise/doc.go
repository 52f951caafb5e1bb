// Package localise finds where agents are along closed lines, such as the centreline of a track or the line through a
// gate course: how far along it, and how far to its right and above it.
//
//	localiser, err := localise.New(device, localise.SourceOf(generator.Track()), localise.DefaultConfig())
//	...
//	err = localiser.Bind(position) // [E*A], written by the simulator
//	for range steps {
//		err = localiser.Locate(ctx) // eager, recorded into a capture, or replayed
//	}
//	batch, err := localiser.Frames().Read(ctx) // in host memory
//
// An agent is at the nearest point of the line in space (docs/spec/course.md, C-80 to C-82). The search goes through an
// index of the line, and begins at the segment where the agent was, so it visits few segments, however long the line
// is; its result has the bits of a visit to every segment. After each later generation, Refresh builds the index again.
// Place is the inverse, for the begin of an episode.
package localise
