// Package track generates batches of race tracks. Programs that use the library find its names in the root package,
// trackgen. In addition, this package has the means to extend it: Register and Stages.
//
//	device, err := backend.Open("cpu") // import _ ".../backend/all"
//	...
//	config := track.DefaultConfig()
//	config.NumEnvs, config.Road.HalfWidth = 512, 0.12
//	generator, err := track.NewGenerator(device, config, track.WithSeed(1234))
//	...
//	batch, err := generator.Track().Batch(ctx) // NewGenerator has generated the first tracks
//	...
//	// In a training loop: new tracks where an episode has ended, all other tracks untouched.
//	tracks, err := generator.Regenerate(ctx, done) // done: one int32 per env, on the device
//
// A Config describes what to generate, a Generator holds the device memory and generates, and the Track that it fills
// can be copied to host memory as a Batch. Generate makes the tracks of the current seeds and epochs, so calling it
// twice gives the same tracks twice. Another epoch (Regenerate, or Seeds().Advance) or other seeds (SetSeeds) give new
// ones.
//
// The same seeds, epochs and configuration give the same tracks, bit for bit, on every backend, with any number of
// workers, and in a batch of any size.
//
// As in the reference system, all bezier and hull tracks run clockwise, and all polar, voronoi and checkpoint tracks
// counter-clockwise. If an agent is to turn both ways equally well, Config.Variation has half of the tracks mirrored,
// or driven the other way round.
//
// With Config.Candidates, an env whose track is not valid draws again; Config.Mix makes a batch of several generators
// and settings. docs/batches.md explains all three.
//
// A generation is a short list of launches: effective seeds, the first loop (by a generator such as bezier or polar),
// resampling to constant spacing, relaxation, and the road with its validity. docs/spec/pipeline.md specifies the
// computation of each step; numbers such as R109 are rules of docs/spec/execution.md.
package track
