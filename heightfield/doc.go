// Package heightfield bakes the ground around tracks into grids of heights, on the device that holds the tracks: for
// simulators that need a terrain, and for policies that see one.
//
//	baker, err := heightfield.NewBaker(device, heightfield.SourceOf(generator.Track()), heightfield.DefaultConfig())
//	...
//	field, err := baker.Bake(ctx) // eager, recorded into a capture, or replayed
//	grid, err := field.Grid(ctx)  // in host memory
//
// Each env has a square grid over the bounding box of its track. A cell has the height of the nearest point of the
// centreline (docs/spec/course.md, C-20 to C-22). With Blend.Mode "smooth" the heights between parts of the track are
// blended, so that the ground has no steps: see Smooth.
//
// A Baker works on tracks that exist. Stage is the same work as a stage of a generator, for track.WithStages: each
// generation then bakes the envs that it has made, and no others. Bake does all of it for tracks in host memory.
package heightfield
