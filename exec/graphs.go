package exec

import (
	"errors"
	"slices"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/identity"
)

// ownGraph is what a runner captured for one key: a graph of the whole body, or one for each segment that is not HOST.
type ownGraph struct {
	whole  backend.Graph
	parts  []backend.Graph // by segment, nil at HOST parts; nil for a whole body
	arrays usedArrays      // of all of it
}

// usedArrays are the arrays that a graph was recorded with. The graph keeps their memory (R166), but a run is new work
// to its caller, who may have closed one: it is refused on every device, as on those where a run is eager.
type usedArrays []*memory

// add notes an array. It does nothing where no graph of a runner is being recorded.
func (u *usedArrays) add(m *memory) {
	if u != nil && m != nil && !slices.Contains(*u, m) {
		*u = append(*u, m)
	}
}

// lost reports whether an array that the graph was recorded with is closed. There may be no graph yet.
func (g *ownGraph) lost() bool {
	return g != nil && slices.ContainsFunc(g.arrays, func(m *memory) bool { return m.closed.Load() })
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

// graphCache holds the own graphs of one runner by key; the nil key is the default body (R68). One call writes at a time,
// but any goroutine may read (R165).
type graphCache struct {
	mutex  sync.Mutex
	byKey  map[any]*ownGraph
	keys   []any // in the order of their capture
	keyed  int   // without the default body
	closed bool
}

// lookup returns what was captured for key, nil if nothing, and the number of keys other than nil.
func (c *graphCache) lookup(key any) (graph *ownGraph, keyed int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.byKey[key], c.keyed
}

func (c *graphCache) add(key any, graph *ownGraph) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
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

// checkKey refuses keys that cannot be looked up: those that Go cannot compare, and those that differ from themselves (a
// NaN), which would get a new graph in every call.
func checkKey(op string, key any) error {
	if key == nil || identity.Has(key) {
		return nil
	}
	return &ArgError{Op: op, Arg: "Key", Value: key, Allowed: "a comparable value that equals itself"}
}
