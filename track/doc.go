// Package track generates batches of race tracks.
//
// A Config says what to generate, a Generator holds the device memory and generates, and the Track it fills can be copied
// to host memory as a Batch. The same seeds, epochs and configuration give the same tracks, bit for bit, on every
// backend, with any number of workers, and whatever the size of the batch that an env is a part of.
//
// A generation is a short list of launches: effective seeds, the first loop (a generator such as bezier or polar),
// resampling to constant spacing, relaxation, and the road with its validity.
package track
