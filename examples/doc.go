// Package examples holds no code. Its folders are programs and modules to start from:
//
//   - trainloop: a training loop that regenerates tracks by mask, recorded once and replayed;
//   - race: thousands of cars that drive over generated tracks, all in one recorded graph;
//   - generator: a user's own track generator, in its own module;
//   - kernels: a user's own kernels, in their own module.
package examples
