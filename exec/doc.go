// Package exec is the execution layer: typed arrays in device memory, launch contexts that emit work on one stream, and
// runners that execute a producer eagerly, into a caller's capture, or as a replay of a graph that the runner owns.
//
// # Emitting
//
// A public function builds one LaunchContext and passes it down; everything emits through it:
//
//	lc, err := exec.For(ctx, device)
//	if err != nil {
//		return err
//	}
//	exec.Fill(lc, flag, int32(0))
//	seeding.Advance(lc, envs, epoch) // a launcher that kernelgen wrote
//	return lc.Err()
//
// Emitting neither blocks nor allocates. Errors are sticky: the context keeps the first one and ignores what follows,
// as a bufio.Writer does. Arguments are checked here, once for all backends: types, lengths, devices, closed memory,
// and that two arrays of a launch overlap only if both are read only.
//
// # Skipping and looping on the device
//
// SkipUnless emits a body that the device skips while a flag in its memory is zero. BoundedLoop and Repeat emit loops
// that the device leaves early. If the capture or the device has no conditionals, the body or all iterations run, and
// the bits are the same. Pass functions that were created when the producer was built: a closure created in the enqueue
// allocates.
//
// # Running a producer
//
// A producer allocates everything when it is built. It has a body, an Enqueue, that emits the same launches each time.
// Its GraphRunner decides per call how the body runs: into the caller's capture, directly, or as a replay of the
// runner's own graph. A body with HOST parts has one graph for each part between them. The decision depends on the
// capture state of the stream, the capabilities of the device and the options, never on data. The results have the same
// bits in every mode.
//
// # Stages
//
// A producer consists of stages, and each Stage has a class. STATIC stages emit a fixed list of launches. BOUNDED
// stages may have loops that end early. HOST stages work on the host between launches, through HostOps and memory that
// was allocated when they were built. A StageSlot carries the class into the launch context while the stage emits.
//
// # Scopes
//
// A context.Context carries the settings of the calls below it: the ambient launch context (With), Unconditional and
// Conditional for the recording of device conditionals, AllowHostPoll for loops, and WithForeignStream for work next to
// a library that captures on its own.
//
// # Rules
//
// Comments here and in the packages above cite rules by number, such as R52 or D17: see docs/spec/execution.md.
//
// # Errors
//
// Errors about captures match ErrCapture; backend.ArgumentError names the argument, its value and what is allowed. Bad
// arguments (nil contexts and devices, zero, closed and foreign arrays, sizes out of range) are errors and never
// panics.
package exec
