//go:build !cgo || !linux

package main

import (
	"testing"

	"github.com/trackgen-go/trackgen/backend"
)

func openEmulated(t *testing.T) backend.Device {
	t.Skip("NOT TESTED on the emulated CUDA driver, which needs cgo on Linux")
	return nil
}
