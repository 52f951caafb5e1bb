// Package trackgen generates race tracks for reinforcement learning, thousands at a time, with the same bits for the
// same seeds on every device:
//
//	device, err := trackgen.Open("auto")
//	...
//	config := trackgen.DefaultConfig()
//	config.NumEnvs = 512
//	generator, err := trackgen.NewGenerator(device, config, trackgen.WithSeed(1234))
//	...
//	batch, err := generator.Track().Batch(ctx) // NewGenerator has generated the first tracks
//	...
//	fmt.Println(batch.NumValid(), "of", batch.Envs, "tracks are valid")
//
// This package is the front door: it has what a program needs to generate tracks, to train on them and to import
// circuits. Most of its names are aliases; their methods are documented with the type that the alias names. Other
// packages are for programs that extend the library: package track registers generators, pipeline builds stages, exec
// and kernel run kernels of your own, and backend is for new devices. Package export builds on this package and writes
// files and pictures.
//
// # Results
//
// A Generator fills a Track, whose arrays are in device memory. Other libraries can read them there by their address,
// without a copy (Array.Address). Track.Batch copies all columns to host memory, and Array.Read copies one column or a
// slice of it. docs/results.md lists the columns.
//
// Generate makes the tracks of the current seeds and epochs, so calling it twice gives the same tracks twice. Another
// epoch or other seeds give new tracks: Regenerate for the envs of a mask, SetEpoch and SetSeeds for all envs.
//
// # Contexts and streams
//
// A call that emits work on a stream of the caller, or waits for one, takes a context. The context names the stream
// (OnStream, AdoptStream, RegisterCapture). If it names none, the call works on the stream of WithStream, or else on
// the current stream of the device. If the context has ended, the call returns its error before it begins. A wait that
// has begun lasts until the device is done. Calls that make or close an object (Open, NewGenerator, NewArray,
// FromSlice, Close) wait at most for their own work and take no context. Stream and Graph are the interface of the
// device itself, below contexts: Stream.Sync takes none.
//
// # Captures
//
// Inside a capture of their stream, Generate and Regenerate do not run: they are recorded into a graph that can be
// replayed. Calls that wait return ErrCapture there and leave the capture as it was. docs/execution.md explains
// captures to readers who do not know CUDA graphs.
//
// # Errors
//
// Errors are values: errors.Is finds the kind (ErrConfig, ErrInvalid and the others), errors.As finds the type with the
// details (ConfigError, ArgumentError, CaptureError). Wrong arguments do not panic, unless a function says so. The
// library prints nothing except warnings, which go to log/slog (see WithWarnings).
package trackgen
