package cuda

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
)

// Error is a call of the CUDA driver that failed.
type Error struct {
	Device string // "cuda:0", or "cuda" if there is no device yet
	Op     string // what was being done
	Call   string // the driver function
	Code   int    // its result, a CUresult
	Name   string // the name of the result, such as "CUDA_ERROR_INVALID_VALUE"; empty if the driver has none
	Detail string // more information from the driver or this package; may be empty
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %s: %s failed with %d", e.Device, e.Op, e.Call, e.Code)
	if e.Name != "" {
		text += " (" + e.Name + ")"
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// Operation returns Op.
func (e *Error) Operation() string { return e.Op }

// Is matches the kind of the failure: ErrOutOfMemory, ErrDeviceLost, ErrCapture or ErrUnsupported.
func (e *Error) Is(target error) bool {
	kind := kindOf(e.Code)
	return kind != nil && kind == target
}

// The results of the driver that this package distinguishes.
const (
	codeInvalidValue     = 1
	codeOutOfMemory      = 2
	codeInvalidImage     = 200
	codeNoBinary         = 209
	codeInvalidPTX       = 218
	codeUnsupportedPTX   = 222
	codeInvalidSource    = 300
	codeSymbolNotFound   = 302
	codeObjectInitFailed = 303
	codeInvalidHandle    = 400
	codeIllegalState     = 401
	codeNotFound         = 500
	codeNotSupported     = 801
	codeCaptureImplicit  = 906
	codeInvalidDevice    = 101
	codeNoDevice         = 100
	codeOldDriver        = 35
	codeSystemNotReady   = 802
	codeDriverMismatch   = 803
	codeCompatNotAllowed = 804
)

// kindOf returns the error of package backend that matches a result of the driver, or nil.
func kindOf(code int) error {
	switch {
	case code == codeOutOfMemory:
		return backend.ErrOutOfMemory
	case code == codeNotSupported:
		return backend.ErrUnsupported
	case code == codeNoDevice, code == codeOldDriver, code == codeSystemNotReady, code == codeDriverMismatch,
		code == codeCompatNotAllowed:
		return backend.ErrUnavailable
	case code >= 900 && code <= 908:
		return backend.ErrCapture
	case lost(code):
		return backend.ErrDeviceLost
	}
	return nil
}

// lost returns whether a result means that the context accepts no more work. These are the errors that leave the
// process in an inconsistent state, according to cuda.h.
func lost(code int) bool {
	switch code {
	case 214, // ECC uncorrectable
		220, 226, // NVLink uncorrectable, contained
		700,           // illegal address
		702,           // launch timeout
		709,           // context destroyed
		710,           // assert
		714, 715, 716, // hardware stack error, illegal instruction, misaligned address
		717, 718, 719, // invalid address space, invalid program counter, launch failed
		721: // tensor memory leak
		return true
	}
	return false
}
