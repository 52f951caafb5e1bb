//go:build cgo && linux

// Command emulate runs a program with an emulated CUDA device that has the kernels of this module:
//
//	go run ./backend/cuda/emulator/emulate go run ./cmd/trackgen verify --devices cpu,cuda:0
//
// It must run in the root of the module, where the sources of the kernels are, and needs g++. With
// TRACKGEN_EMULATE=ptx, the device interprets the PTX of the kernels, instead of running their CUDA C compiled for the
// host. TRACKGEN_EMULATED_DEVICES is the number of devices, 1 by default.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			os.Exit(exit.ExitCode())
		}
		fmt.Fprintln(os.Stderr, "emulate:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) == 0 {
		return errors.New("there is no program to run; usage: emulate PROGRAM and its arguments")
	}
	interpret, err := emulator.Interpreting()
	if err != nil {
		return err
	}
	driver, err := emulator.Driver()
	if err != nil {
		return err
	}
	var kernels []string
	if !interpret {
		if kernels, err = hostKernels(); err != nil {
			return err
		}
	}
	command := exec.Command(arguments[0], arguments[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.Env = append(os.Environ(), emulator.LibraryVariable+"="+driver,
		emulator.KernelsVariable+"="+strings.Join(kernels, ":"))
	return command.Run()
}

// hostKernels compiles all kernels of the module for the host and returns the paths of the libraries.
func hostKernels() ([]string, error) {
	files, err := filepath.Glob("kernels/*/kernel_generated.cu")
	if err != nil {
		return nil, fmt.Errorf("looking for kernels: %w", err)
	}
	if len(files) == 0 {
		return nil, errors.New("there are no kernels/*/kernel_generated.cu here: must run in the root of the module")
	}
	var kernels []string
	for _, file := range append(files, "backend/backendtest/kernels/kernel_generated.cu",
		"bench/roofline/kernel_generated.cu") {
		library, err := emulator.Kernels(file)
		if err != nil {
			return nil, err
		}
		kernels = append(kernels, library)
	}
	return kernels, nil
}
