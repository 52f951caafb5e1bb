// Package sequences holds a test: random programs of calls to the execution layer run on every device and on a small
// model in Go, which knows the rules and none of the code, and both have to say the same after each call.
package sequences
