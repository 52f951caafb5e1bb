package recorder

import (
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/backend"
)

// Limits bounds what one graph holds.
type Limits struct {
	Depth int // bodies and graphs inside each other
	Nodes int // operations, those in bodies and in replayed graphs included
	// CountOnly says that counting stops at Nodes and more is no error, because a replayed graph is one operation of
	// the graph around it. Where the operations of a replayed graph are recorded again, more than Nodes are refused: a
	// graph can replay a graph twice that replays a graph twice, and so on.
	CountOnly bool
	Elements  int64 // most elements of an argument of a kernel; 0: any number
}

// The limits of the drivers. Each level of depth takes stack where a driver runs or lowers operations recursively,
// and a stream of the driver on CUDA.
var (
	LimitsCPU    = Limits{Depth: 1000, Nodes: 1 << 30, CountOnly: true}
	LimitsNoop   = Limits{Depth: 1000, Nodes: 1 << 30, CountOnly: true}
	LimitsVulkan = Limits{Depth: 1000, Nodes: 1 << 22}
	LimitsCUDA   = Limits{Depth: 64, Nodes: 1 << 20, Elements: math.MaxInt32}
)

// shallow refuses bodies and graphs that would be depth levels inside each other, if that is too many.
func (l Limits) shallow(op string, depth int) error {
	if depth <= l.Depth {
		return nil
	}
	return &backend.ArgumentError{Op: op, Argument: "conditionals and graphs inside each other", Value: fmt.Sprint(depth),
		Allowed: fmt.Sprintf("at most %d", l.Depth)}
}

// room refuses a graph of so many operations, if that is too many.
func (l Limits) room(nodes int) error {
	if l.CountOnly || nodes <= l.Nodes {
		return nil
	}
	return &backend.ArgumentError{Op: "capture", Argument: "operations", Value: fmt.Sprint(nodes),
		Allowed: fmt.Sprintf("at most %d", l.Nodes)}
}
