// Package kernels holds no code: its subpackages are the kernel sources, by area, with what kernelgen generates beside
// them.
package kernels

//go:generate go run ../cmd/kernelgen ./...
