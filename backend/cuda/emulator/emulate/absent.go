//go:build !cgo || !linux

// Command emulate needs cgo and Linux; see main.go.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "emulate: this program needs Linux and cgo")
	os.Exit(1)
}
