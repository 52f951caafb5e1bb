package component

import (
	"sync"

	"github.com/trackgen-go/trackgen/exec"
)

// maxWorks is the maximum number of keys whose work is remembered. At the maximum, a new key makes Works forget all
// others.
const maxWorks = 64

// Work is what a call emits. Equal keys mean identical launches on identical buffers (R68).
type Work struct {
	Key  any
	Body exec.Enqueue
}

// Works remembers the work of the inputs of calls, such as masks, so that later calls with the same inputs allocate
// nothing. Wrong concurrent calls are an error, which the runner reports; the mutex only keeps them from corrupting the
// map.
type Works[K comparable] struct {
	// Make returns the work of inputs.
	Make func(inputs K) exec.Enqueue

	mutex sync.Mutex
	known map[K]Work
}

// Get returns the work of inputs.
func (w *Works[K]) Get(inputs K) Work {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if work, ok := w.known[inputs]; ok {
		return work
	}
	if len(w.known) >= maxWorks || w.known == nil {
		w.known = make(map[K]Work)
	}
	work := Work{Key: workKey[K]{works: w, inputs: inputs}, Body: w.Make(inputs)}
	w.known[inputs] = work
	return work
}

// workKey tells the works of different methods apart, which may have the same inputs.
type workKey[K comparable] struct {
	works  *Works[K]
	inputs K
}
