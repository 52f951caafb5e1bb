package backend

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestErrorsMatchAndUnwrap(t *testing.T) {
	cause := errors.New("cause")
	for _, tc := range []struct {
		err    error
		target error
		text   string
	}{
		{&UnavailableError{"cuda", "no device", cause}, ErrUnavailable, "cuda is unavailable: no device: cause"},
		{&UnavailableError{"cuda", "no device", nil}, ErrUnavailable, "cuda is unavailable: no device"},
		{&OutOfMemoryError{"cpu", 10, 5}, ErrOutOfMemory,
			"cpu: out of memory: 10 bytes requested, at most 5 bytes available"},
		{&UnsupportedError{"cpu", "if", "why"}, ErrUnsupported, "cpu: if is not supported: why"},
		{&UnsupportedError{"cpu", "if", ""}, ErrUnsupported, "cpu: if is not supported"},
		{&ClosedError{"fill", "buffer"}, ErrClosed, "fill: the buffer is closed"},
		{&ArgumentError{"fill", "bytes", "3", "4"}, ErrInvalid, "fill: bytes is 3: must be 4"},
		{&NameError{Name: "x", Reason: "why"}, ErrInvalid, `device "x": why`},
		{&CaptureError{"sync", CaptureOwn, "why"}, ErrCapture, "sync: why (capture state: own)"},
		{&OperationError{"fill", &ClosedError{"free", "buffer"}}, ErrClosed, "fill: free: the buffer is closed"},
		{&KernelError{"k", "f.go:3", cause}, ErrKernel, "kernel k: cause (f.go:3)"},
		{&KernelError{"k", "", cause}, ErrKernel, "kernel k: cause"},
		{&LeakError{"cpu", []Leak{{"buffer", 8, "f.go:3"}, {"stream", 0, ""}}}, ErrLeak,
			"cpu: closed with 2 resources open: buffer of 8 bytes made at f.go:3, stream"},
	} {
		wrapped := fmt.Errorf("doing: %w", tc.err)
		require.Equal(t, tc.text, tc.err.Error())
		for _, target := range []error{ErrUnavailable, ErrOutOfMemory, ErrDeviceLost, ErrUnsupported, ErrClosed, ErrInvalid,
			ErrCapture, ErrKernel, ErrLeak} {
			require.Equal(t, errors.Is(target, tc.target), errors.Is(wrapped, target), "%v is %v", tc.err, target)
		}
	}
	require.ErrorIs(t, &UnavailableError{Err: cause}, cause)
	require.ErrorIs(t, &KernelError{Err: cause}, cause)
}

// InLaunch does not add the launch to an error that already names the kernel.
func TestInLaunch(t *testing.T) {
	for want, err := range map[string]error{
		"launch k: device lost":                  ErrDeviceLost,
		"launch k: kernel j: device lost":        &KernelError{Kernel: "j", Err: ErrDeviceLost},
		"launch: the stream is closed":           &ClosedError{Op: "launch", What: "stream"},
		"cpu: kernel k is not supported":         &UnsupportedError{Device: "cpu", Op: "kernel k"},
		"cpu: kernel k: device lost":             fmt.Errorf("cpu: %w", &OperationError{Op: "kernel k", Err: ErrDeviceLost}),
		"launch k: arguments: x is 1: must be 2": &ArgumentError{Op: "arguments", Argument: "x", Value: "1", Allowed: "2"},
	} {
		found := InLaunch("k", err)
		require.EqualError(t, found, want)
		require.ErrorIs(t, found, err)
	}
}

func TestLeakErrorIsShort(t *testing.T) {
	e := &LeakError{Device: "cpu", Leaks: make([]Leak, 1000)}
	require.Less(t, len(e.Error()), 500)
	require.Contains(t, e.Error(), "and 990 more")
}

func TestCaptureStates(t *testing.T) {
	names := map[string]bool{}
	for s := CaptureNone; s <= CaptureInvalidated+1; s++ {
		names[s.String()] = true
	}
	require.Len(t, names, 6)
}
