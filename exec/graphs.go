package exec

import (
	"errors"
	"slices"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/identity"
)

// ownGraph is what a runner captured for one key: one graph of the whole body, or one graph for each segment that is
// not HOST.
type ownGraph struct {
	whole  backend.Graph
	parts  []backend.Graph // one per segment, nil for HOST segments; nil for a whole body
	arrays usedArrays      // of all its graphs
}

// usedArrays lists the arrays that were recorded into a graph. The graph keeps their memory (R166), but a caller who
// runs it does new work on arrays that it may have closed. Every device refuses that, so that replays behave like eager
// runs.
type usedArrays struct {
	list     []*memory
	complete bool // the recording has ended: contexts left over from it add nothing
}

// add adds an array while a runner records a graph; otherwise u is nil and add does nothing.
func (u *usedArrays) add(m *memory) {
	if u != nil && !u.complete && m != nil && !slices.Contains(u.list, m) {
		u.list = append(u.list, m)
	}
}

// hasClosedArray reports whether an array that was recorded into the graph is closed. g may be nil.
func (g *ownGraph) hasClosedArray() bool {
	return g != nil && slices.ContainsFunc(g.arrays.list, func(m *memory) bool { return m.closed.Load() })
}

func (g *ownGraph) close() error {
	var err error
	if g.whole != nil {
		err = g.whole.Close()
	}
	for _, part := range g.parts {
		if part != nil {
			err = errors.Join(err, part.Close())
		}
	}
	return err
}

// graphCache holds the graphs of one runner by key; the nil key is the default body (R68). One call at a time writes,
// and any goroutine may read (R165).
type graphCache struct {
	mutex  sync.Mutex
	byKey  map[any]*ownGraph
	keys   []any // in the order in which they were captured
	keyed  int   // number of keys except nil
	closed bool
}

// lookup returns the graph of key, nil if there is none, and the number of keys except nil.
func (c *graphCache) lookup(key any) (graph *ownGraph, keyed int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.byKey[key], c.keyed
}

func (c *graphCache) add(key any, graph *ownGraph) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	graph.arrays.complete = true
	if c.byKey == nil {
		c.byKey = make(map[any]*ownGraph)
	}
	c.byKey[key] = graph
	c.keys = append(c.keys, key)
	if key != nil {
		c.keyed++
	}
}

func (c *graphCache) list() []any {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return append([]any(nil), c.keys...)
}

func (c *graphCache) close() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.closed = true
	var err error
	for _, key := range c.keys {
		err = errors.Join(err, c.byKey[key].close())
	}
	c.byKey, c.keys, c.keyed = nil, nil, 0
	return err
}

func (c *graphCache) isClosed() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.closed
}

// checkKey refuses keys that cannot be looked up: values that Go cannot compare, and values that differ from themselves
// (NaN), for which every call would capture a new graph.
func checkKey(op string, key any) error {
	if key == nil || identity.Has(key) {
		return nil
	}
	return &backend.ArgumentError{Op: op, Argument: "Key", Value: key, Allowed: "a comparable value that equals itself"}
}
