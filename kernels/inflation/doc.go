// Package inflation holds the kernels that turn a centreline into a road, and say whether one of constant
// width is valid.
package inflation
