// Package examples holds no code: its folders are programs and modules to start from.
//
//   - trainloop: a training loop that regenerates tracks by mask, recorded once and replayed;
//   - generator: a generator of tracks of one's own, in a module of its own;
//   - kernels: kernels of one's own, in a module of its own.
package examples
