// Package gate generates batches of gate courses for drone racing: gates in order along a closed course, each with its
// position, orientation and posts. Programs that use the library find its names in the root package, trackgen.
//
//	device, err := backend.Open("cpu") // import _ ".../backend/all"
//	...
//	config := gate.DefaultConfig()
//	config.NumEnvs, config.Gate.Width = 512, 0.12
//	generator, err := gate.NewGenerator(device, config, gate.WithSeed(1234))
//	...
//	batch, err := generator.Sequence().Batch(ctx) // NewGenerator has generated the first courses
//	...
//	// In a training loop: new courses where an episode has ended, all other courses untouched.
//	courses, err := generator.Regenerate(ctx, done) // done: one int32 per env, on the device
//
// A Config describes what to generate, a Generator holds the device memory and generates, and the Sequence that it
// fills can be copied to host memory as a Batch. Seeds, epochs, masks, candidates and mixed batches work as those of
// package track: the same seeds, epochs and configuration give the same courses, bit for bit, on every backend and with
// any number of workers. The courses do not depend on the size of the batch, except where gates lie in one place: they
// are then moved apart in a direction that follows from the number of the env (C-35).
//
// An Along makes courses of another kind: gates every so many metres along tracks that are in device memory.
//
// A generation is four launches: effective seeds; control points, by a generator such as bezier or voronoi; their
// order, distances and heights; and the gates with their validity. docs/spec/course.md specifies each step; numbers
// such as C-35 are its rules, and those such as R109 are rules of docs/spec/execution.md.
package gate
