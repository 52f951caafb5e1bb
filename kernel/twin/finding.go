package twin

import "fmt"

// Kind is what kind of mistake a finding is.
type Kind uint8

// The kinds of findings.
const (
	// Race: two items of a phase, two groups or two threads touch one element, and not both only read it or both apply
	// the same atomic.
	Race Kind = iota + 1
	// OutOfBounds: an index is negative or not below the length.
	OutOfBounds
	// DivisionByZero: an integer is divided by zero.
	DivisionByZero
	// DivisionOverflow: the smallest int32 is divided by -1, which GPUs leave undefined.
	DivisionOverflow
	// TooManyIterations: the loops of a lane made more iterations than the kernel states (kernel.Def.Iterations).
	TooManyIterations
	// Fault: the kernel panicked in some other way.
	Fault
)

// String returns the kind in words.
func (k Kind) String() string {
	switch k {
	case Race:
		return "race"
	case OutOfBounds:
		return "index out of bounds"
	case DivisionByZero:
		return "integer division by zero"
	case DivisionOverflow:
		return "integer division overflow"
	case TooManyIterations:
		return "too many loop iterations"
	case Fault:
		return "fault"
	default:
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
}

// Site is a checked expression of a kernel source.
type Site struct {
	File       string // relative to the root of its module
	Line       int
	Column     int
	Expression string
}

// String returns the place and the expression.
func (s Site) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", s.File, s.Line, s.Column, s.Expression)
}

// Unknown stands for an item that is not known.
const Unknown = -1

// Finding is a mistake that a run of a twin came upon. It is the error that the twin returns.
type Finding struct {
	Kind   Kind
	Kernel string // as in the kernel's definition
	Site   Site   // the expression that was evaluated last; of a Fault, the last one that was checked
	// Group is the group, or the thread of a thread kernel, that evaluated it.
	Group int32
	// Item is the item of the phase that evaluated it, Unknown at group scope and in thread kernels.
	Item int32

	// Of a race only:
	Between string // what the two sides are: "items", "groups" or "threads"
	Earlier Site   // the access that came first in this run
	// Items are the numbers of the two sides, the one of Earlier first. It is Unknown where several had read the element.
	Items [2]int32

	Detail string // the values at fault, in words
}

// Error names the kernel, the line and the mistake.
func (f *Finding) Error() string {
	where := fmt.Sprintf("group or thread %d", f.Group)
	if f.Item != Unknown {
		where = fmt.Sprintf("group %d, item %d", f.Group, f.Item)
	}
	if f.Kind != Race {
		return fmt.Sprintf("%v: %v: %s (kernel %s, %s)", f.Site, f.Kind, f.Detail, f.Kernel, where)
	}
	first := fmt.Sprint(f.Items[0])
	if f.Items[0] == Unknown {
		first = "several"
	}
	return fmt.Sprintf("%v: race of %s %s and %d: %s at %v (kernel %s, %s)",
		f.Site, f.Between, first, f.Items[1], f.Detail, f.Earlier, f.Kernel, where)
}
