// Package sequences holds a test: random programs of calls to the execution layer run on every device and on a small
// model in Go, which implements the rules and shares no code with the library. Both must give the same result after
// each call.
package sequences
