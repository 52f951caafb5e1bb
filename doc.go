// Package trackgen generates race tracks for reinforcement learning, thousands at a time, with the same bits for the
// same seeds on every device:
//
//	device, err := trackgen.Open("auto")
//	...
//	config := trackgen.DefaultConfig()
//	config.NumEnvs = 512
//	generator, err := trackgen.NewGenerator(device, config, trackgen.WithSeed(1234))
//	...
//	batch, err := generator.Track().Batch(ctx) // the first tracks are there at once
//	...
//	fmt.Println(batch.NumValid(), "of", batch.Envs, "tracks are valid")
//
// This package is the front door: what a program needs that generates tracks, trains on them or imports circuits. Most
// of its names are aliases, whose methods stand in the documentation of the type that they name. What it does not have
// is for those who extend the library: package track registers generators, pipeline builds stages, exec and kernel run
// kernels of one's own, backend is for new devices. Package export, above this one, writes files and pictures.
//
// # Results
//
// A Generator fills a Track, which is in device memory: arrays that other libraries can read by their address, without
// a copy (Address of an Array). Batch copies all of it to host memory, and Read of an Array one column or a slice of
// it. docs/results.md lists the columns.
//
// Generate makes the tracks of the present seeds and epochs, so calling it twice gives the same tracks twice. New ones
// come with the next epoch or with other seeds: Regenerate for the envs of a mask, SetEpoch and SetSeeds for all.
//
// # Contexts and streams
//
// Whatever emits work on a stream of the caller, or waits for one, takes a context. The context says which stream that
// is (OnStream, AdoptStream, RegisterCapture; without any, that of WithStream, else the current stream of the device),
// and a context that has ended makes the call return its error before it begins. A wait that has begun lasts until the
// device is done. What makes or ends an object (Open, NewGenerator, NewArray, FromSlice, Close) waits at most for work
// of its own and takes none. Stream and Graph are the device's own interface, below contexts: Stream.Sync takes none.
//
// # Captures
//
// Inside a capture of its stream, Generate and Regenerate are recorded instead of run, into a graph that can be
// replayed. Whatever waits returns ErrCapture there and leaves the capture as it was. docs/execution.md explains
// captures to readers who never saw a CUDA graph.
//
// # Errors
//
// Errors are values: errors.Is finds the kind (ErrConfig, ErrInvalid and the others), errors.As the type that has the
// details (ConfigError, ArgumentError, CaptureError). Wrong arguments do not panic, unless a function says so, and
// nothing is printed but warnings, to log/slog (WithWarnings).
package trackgen
