package interop

import (
	"fmt"
	"slices"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/identity"
)

// Graph represents a graph that a foreign library owns. What is retained on it stays reachable until Close, which the
// caller calls when the foreign graph is destroyed. The zero Graph is ready for use. All methods are safe for
// concurrent use.
type Graph struct {
	mutex  sync.Mutex
	owners []any
	closed bool
}

// Retain keeps owners reachable while graph is open. An owner counts once, by identity, even if it is retained several
// times; nil owners are ignored. It returns a *backend.ArgumentError for a nil graph and for an owner without
// identity, such as a slice, a struct that contains one, or a NaN. It returns backend.ErrClosed for a closed graph.
// After an error nothing is retained.
func Retain(graph *Graph, owners ...any) error {
	const op = "retain"
	if graph == nil {
		return &backend.ArgumentError{Op: op, Argument: "graph", Value: nil, Allowed: "a Graph"}
	}
	for i, owner := range owners {
		if owner != nil && !identity.Has(owner) {
			return &backend.ArgumentError{Op: op, Argument: fmt.Sprintf("owner %d", i), Value: fmt.Sprintf("a %T", owner),
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

// Close releases the owners. Closing twice does nothing.
func (g *Graph) Close() error {
	if g == nil {
		return nil
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.owners, g.closed = nil, true
	return nil
}
