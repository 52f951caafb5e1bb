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
	if why := advice[e.Code]; why != "" {
		text += ": " + why
	}
	return text
}

// Operation returns Op.
func (e *Error) Operation() string { return e.Op }

// Is matches the kind of the failure: ErrUnavailable, ErrOutOfMemory, ErrDeviceLost, ErrCapture or ErrUnsupported.
func (e *Error) Is(target error) bool {
	kind := kindOf(e.Code)
	return kind != nil && kind == target
}

// The results of the driver that this package distinguishes, from CUresult in cuda.h 13.5.
const (
	codeInvalidValue       = 1
	codeOutOfMemory        = 2
	codeNotInitialized     = 3
	codeDeinitialized      = 4
	codeStubLibrary        = 34
	codeNewerDriver        = 36
	codeDeviceUnavailable  = 46
	codeNoDevice           = 100
	codeInvalidDevice      = 101
	codeNotLicensed        = 102
	codeInvalidImage       = 200
	codeInvalidContext     = 201
	codeNoBinary           = 209
	codeECC                = 214
	codeInvalidPTX         = 218
	codeNVLink             = 220
	codeNoCompiler         = 221
	codeUnsupportedPTX     = 222
	codeCompilationOff     = 223
	codeUnsupportedSync    = 225
	codeContained          = 226
	codeOldLoader          = 227
	codeInvalidSource      = 300
	codeSymbolNotFound     = 302
	codeObjectInitFailed   = 303
	codeInvalidHandle      = 400
	codeIllegalState       = 401
	codeNotFound           = 500
	codeIllegalAddress     = 700
	codeLaunchTimeout      = 702
	codeContextDestroyed   = 709
	codeAssert             = 710
	codeStackError         = 714
	codeIllegalInstruction = 715
	codeMisalignedAddress  = 716
	codeInvalidSpace       = 717
	codeInvalidCounter     = 718
	codeLaunchFailed       = 719
	codeTensorMemoryLeak   = 721
	codeNotSupported       = 801
	codeSystemNotReady     = 802
	codeDriverMismatch     = 803
	codeCompatNotAllowed   = 804
	codeServiceUnreachable = 805 // of the multi-process service (MPS), as the four that follow
	codeServiceCallFailed  = 806
	codeServiceNotReady    = 807
	codeTooManyClients     = 808
	codeTooManyConnections = 809
	codeClientTerminated   = 810
	codeNestingUnsupported = 811 // "CUDA dynamic parallelism": device code that controls work of the device
	codeNestingMismatch    = 812
	codeCaptureUnsupported = 900 // the first result about captures
	codeCaptureImplicit    = 906
	codeCaptureThread      = 908 // the last one
	codeExternalDevice     = 911
	codeFabricNotReady     = 919
)

// advice says what usually causes a result that means that the GPU cannot be used, and what to do.
var advice = map[int]string{
	codeStubLibrary: "this library is the stub of the CUDA toolkit, for linking only",
	codeDeviceUnavailable: "another process has the GPU for itself, or its compute mode allows no process " +
		"(nvidia-smi -q -d COMPUTE)",
	codeNoDevice: "the driver sees no GPU; CUDA_VISIBLE_DEVICES or the container may hide it",
	codeNoCompiler: "libnvidia-ptxjitcompiler.so.1, a part of the driver, is missing; a container needs the driver " +
		"capability compute",
	codeCompilationOff: "CUDA_DISABLE_PTX_JIT is set, and this backend needs the driver's compiler",
	codeSystemNotReady: "a service of the driver, such as the fabric manager, does not run",
	codeDriverMismatch: "the library and the kernel module are of different drivers, as after an update without a " +
		"restart",
	codeCompatNotAllowed:   "this library is of a package for forward compatibility, which this GPU does not support",
	codeServiceUnreachable: "the daemon of the multi-process service does not answer",
	codeFabricNotReady:     "the links between the GPUs are not ready yet; try again later",
}

// kindOf returns the error of package backend that matches a result of the driver, or nil.
func kindOf(code int) error {
	switch {
	case code == codeOutOfMemory:
		return backend.ErrOutOfMemory
	case unusable(code):
		return backend.ErrUnavailable
	case unsupported(code):
		return backend.ErrUnsupported
	case code >= codeCaptureUnsupported && code <= codeCaptureThread:
		return backend.ErrCapture
	case lost(code):
		return backend.ErrDeviceLost
	}
	return nil
}

// unusable returns whether a result means that the driver or the GPU cannot be used now, though nothing of ours has
// failed.
func unusable(code int) bool {
	switch code {
	case codeNotInitialized, codeStubLibrary, codeNewerDriver, codeDeviceUnavailable, codeNoDevice, codeInvalidDevice,
		codeNotLicensed, codeNoCompiler, codeCompilationOff, codeSystemNotReady, codeDriverMismatch, codeCompatNotAllowed,
		codeServiceUnreachable, codeServiceNotReady, codeTooManyClients, codeTooManyConnections, codeFabricNotReady:
		return true
	}
	return false
}

// unsupported returns whether a result means that the GPU or the driver cannot do what was asked.
func unsupported(code int) bool {
	switch code {
	case codeNoBinary, codeUnsupportedPTX, codeUnsupportedSync, codeOldLoader, codeNotSupported, codeNestingUnsupported,
		codeNestingMismatch:
		return true
	}
	return false
}

// lost returns whether a result means that the context accepts no more work. Those are the results of which cuda.h says
// that the process must be relaunched; results that mean that the context is gone; and failed calls to the server of
// the multi-process service, which is the only way to the GPU.
func lost(code int) bool {
	switch code {
	case codeECC, codeNVLink, codeContained, codeIllegalAddress, codeLaunchTimeout, codeAssert, codeStackError,
		codeIllegalInstruction, codeMisalignedAddress, codeInvalidSpace, codeInvalidCounter, codeLaunchFailed,
		codeTensorMemoryLeak, codeServiceCallFailed, codeClientTerminated, codeExternalDevice:
		return true
	}
	return gone(code)
}

// gone returns whether a result means that the context no longer exists, and with it everything that was made in it:
// somebody has reset the primary context, or the driver is shutting down. Every step makes our context current first,
// so a context that the driver calls invalid is ours.
func gone(code int) bool {
	return code == codeDeinitialized || code == codeInvalidContext || code == codeContextDestroyed
}
