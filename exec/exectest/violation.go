package exectest

import (
	"errors"
	"fmt"
)

// Category is a kind of violation of the hot-path contract.
type Category uint8

// The categories in the order of reports.
const (
	HostSync   Category = iota // waiting for the device, reading back, copies between devices (R120)
	Allocation                 // device memory, host memory, streams, events, kernels (R121)
	Stream                     // emitting without the context (R122, R136)
	Capture                    // captures, replays and conditionals inside the block (R123)
	categories
)

// String returns the name of the category.
func (c Category) String() string {
	switch c {
	case HostSync:
		return "host_sync"
	case Allocation:
		return "allocation"
	case Stream:
		return "stream"
	case Capture:
		return "capture"
	default:
		return fmt.Sprintf("Category(%d)", uint8(c))
	}
}

// hint says how to avoid a violation.
func (c Category) hint() string {
	switch c {
	case HostSync:
		return "keep the result on the device, or do it in a HOST stage through its HostOps"
	case Allocation:
		return "allocate in Build and reuse the memory in every generation"
	case Stream:
		return "emit through the launch context that the enqueue receives, and through no other"
	default:
		return "leave captures and graphs to the caller and to exec.GraphRunner; guard eager calls only"
	}
}

// Key identifies a use of the host in Options.Allow.
type Key struct {
	API      string // e.g. "Stream.Sync"
	Module   string // import path of the package that makes the call
	Function string // within the module, e.g. "(*Generator).Read"
}

// ErrViolation is matched by every *Violation.
var ErrViolation = errors.New("exectest: violation of the hot-path contract")

// Violation is one call that violates the contract.
type Violation struct {
	Category Category
	API      string // the call, e.g. "Device.Alloc"
	Site     string // file:line and function of the caller: the innermost one outside of the library's run-time packages
	Key      Key
	Detail   string // may be empty
}

// String returns the call and its site.
func (v *Violation) String() string {
	text := v.API + " from " + v.Site
	if v.Detail != "" {
		text += " (" + v.Detail + ")"
	}
	return text
}

// Error returns the category, the call, its site and a hint.
func (v *Violation) Error() string {
	return v.Category.String() + ": " + v.String() + "; " + v.Category.hint()
}

// Is matches ErrViolation.
func (v *Violation) Is(target error) bool { return target == ErrViolation }
