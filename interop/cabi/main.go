//go:build cgo

// Command cabi is the C library of this project: what trackgen.h declares, for programs in C and the Python package.
//
//	go build -buildmode=c-shared -o libtrackgen.so ./interop/cabi
//
// make library builds it with the functions of the header as its only symbols.
//
// The functions of the header are written in C (shim.c): each one refuses a forked process and then calls the Go
// function of the same name with the prefix tgo_, which is in the file of its theme. Objects are in a table and are
// named by numbers (handles.go), so that C holds no pointer of Go, and Go keeps no pointer of C after a call. No panic
// leaves a call (errors.go). docs/design/python.md says why.
package main

// main is not called: the library has no program.
func main() {}
