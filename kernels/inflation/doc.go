// Package inflation holds the kernels that turn a relaxed centreline into a road and say whether it is a valid one.
package inflation
