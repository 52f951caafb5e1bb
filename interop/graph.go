package interop

import (
	"fmt"
	"slices"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/identity"
)

// Graph stands for a graph that a foreign library owns. What is retained on it stays reachable until Close, which its
// owner calls when the foreign graph is gone. The zero Graph is ready for use; all methods may be called
// from any goroutine.
type Graph struct {
	mutex  sync.Mutex
	owners []any
	closed bool
}

// Retain keeps owners reachable for as long as graph is open. An owner counts once, by identity, however often it is
// retained; nil owners are ignored. It returns an *exec.ArgError for a nil graph and for an owner that has no identity,
// such as a slice, a struct that holds one or a NaN, and backend.ErrClosed for a closed graph; then nothing is retained.
func Retain(graph *Graph, owners ...any) error {
	const op = "retain"
	if graph == nil {
		return &exec.ArgError{Op: op, Arg: "graph", Value: nil, Allowed: "a Graph"}
	}
	for i, owner := range owners {
		if owner != nil && !identity.Has(owner) {
			return &exec.ArgError{Op: op, Arg: fmt.Sprintf("owner %d", i), Value: fmt.Sprintf("a %T", owner),
				Allowed: "a pointer, or another value that can be compared"}
		}
	}
	graph.mutex.Lock()
	defer graph.mutex.Unlock()
	if graph.closed {
		return &backend.ClosedError{Op: op, What: "graph"}
	}
	for _, owner := range owners {
		if owner != nil && !slices.Contains(graph.owners, owner) {
			graph.owners = append(graph.owners, owner)
		}
	}
	return nil
}

// Retained returns the number of owners that graph keeps reachable.
func (g *Graph) Retained() int {
	if g == nil {
		return 0
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return len(g.owners)
}

// Close lets go of the owners. Twice is a no-op.
func (g *Graph) Close() error {
	if g == nil {
		return nil
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.owners, g.closed = nil, true
	return nil
}
