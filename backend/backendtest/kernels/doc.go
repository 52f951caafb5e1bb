// Package kernels holds the kernels of the backend conformance suite. Each one is small and made for one property of a
// backend; package backendtest compares what a device computes with what the Go function computes.
//
//kernel:nolauncher
package kernels

//go:generate go run ../../../cmd/kernelgen .
