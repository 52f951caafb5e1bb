//go:build !cgo || !linux

package sequences

import "errors"

var gpuKinds []kind

// foreigner needs the emulated driver of CUDA.
type foreigner struct{}

var errNoForeigner = errors.New("no driver for a foreigner")

func (f *foreigner) stream(string) uint64 { return 0 }
func (f *foreigner) perform(*call) error  { return errNoForeigner }
func (f *foreigner) reset() error         { return errNoForeigner }
func (f *foreigner) close() error         { return errNoForeigner }
