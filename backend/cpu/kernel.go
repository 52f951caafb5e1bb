package cpu

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// errGoexit is the error of a kernel that ended its goroutine.
var errGoexit = errors.New("it ended its goroutine (runtime.Goexit)")

// function runs the items [first, last) of a launch.
type function func(first, last int32, args *kernel.Args)

// runItems runs the items [first, last) of a kernel by one of its functions and turns a panic into an error.
//
//go:noinline
func runItems(def *kernel.Def, run function, first, last int32, args *kernel.Args) (err error) {
	returned := false
	defer func() {
		if !returned {
			err = kernelFailure(def, recover())
		}
	}()
	run(first, last, args)
	returned = true
	return nil
}

// runTwin runs a launch of n items in the instrumented twin.
//
//go:noinline
func runTwin(def *kernel.Def, n int32, args *kernel.Args, seed uint64) (err error) {
	returned := false
	defer func() {
		if !returned {
			err = kernelFailure(def, recover())
		}
	}()
	finding := def.Twin(n, args, seed)
	returned = true
	if finding != nil {
		return &backend.KernelError{Kernel: def.Name, Err: finding}
	}
	return nil
}

// kernelFailure returns the error for a value of recover. A nil value means that the kernel called runtime.Goexit.
func kernelFailure(def *kernel.Def, value any) error {
	if value == nil {
		return &backend.KernelError{Kernel: def.Name, Err: errGoexit}
	}
	cause, isError := value.(error)
	if !isError {
		cause = fmt.Errorf("panic: %v", value)
	}
	return &backend.KernelError{Kernel: def.Name, Position: panicPosition(), Err: cause}
}

// panicPosition returns file:line of the panic being recovered: the first frame below the runtime's.
func panicPosition() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	panicking := false
	for {
		frame, more := frames.Next()
		switch {
		case strings.HasPrefix(frame.Function, "runtime."):
			panicking = panicking || frame.Function == "runtime.gopanic"
		case panicking:
			return fmt.Sprintf("%s:%d", frame.File, frame.Line)
		}
		if !more {
			return ""
		}
	}
}

// The entry points of the two functions that run kernels.
var (
	itemsEntry = reflect.ValueOf(runItems).Pointer()
	twinEntry  = reflect.ValueOf(runTwin).Pointer()
)

// insideKernel reports whether the calling goroutine is running a kernel. A kernel that waits for its own stream or
// device would wait forever. The function walks the stack, so call it only when the goroutine is about to block.
func insideKernel() bool {
	var pcs [64]uintptr
	for skip := 1; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		for _, pc := range pcs[:n] {
			if f := runtime.FuncForPC(pc - 1); f != nil && (f.Entry() == itemsEntry || f.Entry() == twinEntry) {
				return true
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}

// callerIsKernel is the error of a call that a kernel must not make.
func callerIsKernel(op string) error {
	return &backend.ArgumentError{Op: op, Argument: "caller", Value: "a kernel", Allowed: "code outside kernels"}
}
