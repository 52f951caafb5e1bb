package recorder

import (
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/backend"
)

// Limits bounds what one graph holds.
type Limits struct {
	Depth int // maximum nesting of bodies and replayed graphs
	Nodes int // maximum number of operations, including those in bodies and in replayed graphs
	// If CountOnly is true, counting stops at Nodes and larger graphs are allowed: a replayed graph is then a single
	// operation of the graph around it. Otherwise the operations of a replayed graph are recorded again, and more than
	// Nodes operations are an error, because the number doubles each time a graph replays another one twice.
	CountOnly bool
	Elements  int64 // maximum number of elements of a kernel argument; 0: no limit
}

// The limits of the drivers. If a driver runs or lowers operations recursively, each level of nesting uses stack. On
// CUDA, each level uses a stream of the driver.
var (
	LimitsCPU    = Limits{Depth: 1000, Nodes: 1 << 30, CountOnly: true}
	LimitsNoop   = Limits{Depth: 1000, Nodes: 1 << 30, CountOnly: true}
	LimitsVulkan = Limits{Depth: 1000, Nodes: 1 << 22}
	LimitsCUDA   = Limits{Depth: 64, Nodes: 1 << 20, Elements: math.MaxInt32}
)

// shallow returns an error if bodies and graphs would be nested more than Depth levels deep.
func (l Limits) shallow(op string, depth int) error {
	if depth <= l.Depth {
		return nil
	}
	return &backend.ArgumentError{Op: op, Argument: "conditionals and graphs inside each other", Value: fmt.Sprint(depth),
		Allowed: fmt.Sprintf("at most %d", l.Depth)}
}

// room returns an error if a graph cannot hold this number of operations.
func (l Limits) room(nodes int) error {
	if l.CountOnly || nodes <= l.Nodes {
		return nil
	}
	return &backend.ArgumentError{Op: "capture", Argument: "operations", Value: fmt.Sprint(nodes),
		Allowed: fmt.Sprintf("at most %d", l.Nodes)}
}
