// Package trackgen is the front page of the library and holds no code. Start with these packages:
//
//   - [github.com/trackgen-go/trackgen/track]: configuration, generators, batches of tracks;
//   - [github.com/trackgen-go/trackgen/backend]: devices by name;
//   - [github.com/trackgen-go/trackgen/export]: files and pictures from a batch;
//   - [github.com/trackgen-go/trackgen/exec] and [github.com/trackgen-go/trackgen/kernel]: to write kernels and
//     producers.
//
// The same seeds and configuration give the same tracks, bit for bit, on every backend.
package trackgen
