//go:build cgo && linux

// Command warps prints what the warps of each kernel do on a GPU, as the interpreter of PTX counts it:
//
//	go run ./bench/warps
//
// The figures depend on nothing but the kernels and the default configuration, so they show what a change of a kernel,
// or of a compiler, costs. The latency is a rough estimate for a block that has a multiprocessor to itself: it compares
// versions of a kernel, and predicts no times. It must run in the root of the module, and needs g++.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

func main() {
	if len(os.Args) > 1 {
		fmt.Fprintf(os.Stderr, "warps: takes no arguments, and has %q\n", os.Args[1])
		os.Exit(2)
	}
	if _, err := exec.LookPath("g++"); err != nil {
		fmt.Println("NOT RUN: the figures of warps, which need g++")
		return
	}
	rows, err := measure(context.Background(), ".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "warps:", err)
		os.Exit(1)
	}
	fmt.Print(table(rows))
}
