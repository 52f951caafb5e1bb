// Package track generates batches of race tracks. Programs that use the library find it under the names of the root
// package, trackgen; this one has, besides, what extends it: Register and Stages.
//
//	device, err := backend.Open("cpu") // import _ ".../backend/all"
//	...
//	config := track.DefaultConfig()
//	config.NumEnvs, config.Road.HalfWidth = 512, 0.12
//	generator, err := track.NewGenerator(device, config, track.WithSeed(1234))
//	...
//	batch, err := generator.Track().Batch(ctx) // the first tracks are there at once
//	...
//	// In a training loop: new tracks where an episode has ended, all other tracks untouched.
//	tracks, err := generator.Regenerate(ctx, done) // done: one int32 per env, on the device
//
// A Config says what to generate, a Generator holds the device memory and generates, and the Track it fills can be
// copied to host memory as a Batch. Generate makes the tracks of the present seeds and epochs, so calling it twice
// gives the same tracks twice; new ones come with the next epoch (Regenerate, or Seeds().Advance) or other seeds
// (SetSeeds).
//
// The same seeds, epochs and configuration give the same tracks, bit for bit, on every backend, with any number of
// workers, and whatever the size of the batch that an env is a part of.
//
// All bezier and hull tracks run clockwise, and all polar, voronoi and checkpoint tracks counter-clockwise, as in the
// reference system: an agent that is to turn both ways equally well should see half of them mirrored, or driven
// backwards.
//
// Config.Candidates lets an env whose track is not valid draw again, and Config.Mix makes a batch of several generators
// and settings; docs/batches.md explains both.
//
// A generation is a short list of launches: effective seeds, the first loop (a generator such as bezier or polar),
// resampling to constant spacing, relaxation, and the road with its validity. docs/spec/pipeline.md says what each of
// them computes; numbers such as R109 are rules of docs/spec/execution.md.
package track
