package recorder

import (
	"sync"

	"github.com/trackgen-go/trackgen/backend"
)

// Owner is the owner of wrapped memory. It is kept reachable until Release or Forget.
type Owner struct {
	mu sync.Mutex
	of any
}

// NewOwner returns the owner of memory. of may be nil.
func NewOwner(of any) *Owner { return &Owner{of: of} }

// Forget gives the owner up without telling it. The caller of Wrap, which has failed, keeps it.
func (o *Owner) Forget() { o.take() }

// Release gives the owner up and tells it, if it is a backend.Releaser. A second call does nothing. Release may be
// called under any lock.
func (o *Owner) Release() {
	if releaser, ok := o.take().(backend.Releaser); ok {
		releases.add(releaser)
	}
}

// take returns the owner, nil after the first call.
func (o *Owner) take() any {
	o.mu.Lock()
	defer o.mu.Unlock()
	of := o.of
	o.of = nil
	return of
}

// releases are the owners of this process that are to be told.
var releases releaseQueue

// releaseQueue calls owners one after the other on a goroutine of its own: memory is released under locks of recorders
// and drivers, and an owner may be code of another language, which waits for locks of its own. A goroutine for each
// owner would be a thread for each one that waits.
type releaseQueue struct {
	mu      sync.Mutex
	due     []backend.Releaser
	running bool
}

func (q *releaseQueue) add(r backend.Releaser) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.due = append(q.due, r)
	if !q.running {
		q.running = true
		go q.run()
	}
}

// run calls the owners that are due, and ends when there are none.
func (q *releaseQueue) run() {
	for {
		q.mu.Lock()
		due := q.due
		q.due = nil
		q.running = len(due) > 0
		q.mu.Unlock()
		if len(due) == 0 {
			return
		}
		for _, r := range due {
			r.Release()
		}
	}
}
