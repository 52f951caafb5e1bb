package exectest

import (
	"fmt"
	"slices"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec/internal/seam"
)

// operation is one call on a stream.
type operation struct {
	api   string // method of backend.Stream
	what  string // the kernel and the number of items
	bytes int64
	depth int // number of enclosing conditional bodies
}

func (o operation) String() string {
	text := o.api
	if o.what != "" {
		text += " " + o.what
	}
	if o.bytes > 0 {
		text += fmt.Sprintf(" of %d bytes", o.bytes)
	}
	return text
}

// recorder lists what a stage emits during a check, on all goroutines.
type recorder struct {
	mutex sync.Mutex
	root  *instrumentedStream // the stream of the stage's context
	// lineage is that of the stage's context. inside counts the enqueues that are emitting: the stage's and nested ones.
	lineage any
	inside  int

	operations []operation // on any stream
	// astray lists operations on other streams or through other contexts, and stream queries, each with its call site
	astray []string
	flags  []backend.View // flags that loops read
	token  seam.Token     // for what purpose package exec waits
}

// record lists the operations on the device until stop is called.
func (w *watch) record(r *recorder) (stop func()) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.recorder = r
	w.active.Add(1)
	return func() {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		w.recorder = nil
		w.active.Add(-1)
	}
}

func (w *watch) recording() *recorder {
	if w.active.Load() == 0 {
		return nil
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.recorder
}

// note adds an operation to the list.
func (w *watch) note(s *instrumentedStream, o operation) {
	r := w.recording()
	if r == nil {
		return
	}
	o.depth = s.depth
	p := callers()
	r.mutex.Lock()
	defer r.mutex.Unlock()
	switch {
	case s.root != r.root:
		r.astray = append(r.astray, fmt.Sprintf("%s on another stream than the context's, from %s", o, p.site))
	case !p.direct.runtime():
		r.astray = append(r.astray, fmt.Sprintf("%s past the context, from %s", o, p.direct))
	}
	r.operations = append(r.operations, o)
}

// entered notes that an enqueue begins to emit. The outermost one is the stage's.
func (w *watch) entered(lineage any) {
	if r := w.recording(); r != nil {
		r.mutex.Lock()
		defer r.mutex.Unlock()
		if r.inside++; r.inside == 1 {
			r.lineage = lineage
		}
	}
}

// left notes that an enqueue has returned.
func (w *watch) left() {
	if r := w.recording(); r != nil {
		r.mutex.Lock()
		defer r.mutex.Unlock()
		r.inside--
	}
}

// used notes work on s through another context than the stage received. note handles work on another stream.
func (w *watch) used(s *instrumentedStream, lineage any) {
	r := w.recording()
	if r == nil {
		return
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.inside > 0 && r.root == s.root && r.lineage != lineage {
		r.astray = append(r.astray, fmt.Sprintf("work through another context than the stage's, from %s", callers().site))
	}
}

// asked notes a query for a stream of the device.
func (w *watch) asked(api string, p path) {
	r := w.recording()
	if r == nil {
		return
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.astray = append(r.astray, fmt.Sprintf("%s from %s", api, p.site))
}

// sanctioned notes for what purpose package exec waits.
func (w *watch) sanctioned(token seam.Token) {
	if r := w.recording(); r != nil {
		r.mutex.Lock()
		defer r.mutex.Unlock()
		r.token = token
	}
}

// polled notes a flag that a loop reads.
func (w *watch) polled(flag backend.View) {
	r := w.recording()
	if r == nil || flag.Bytes != 4 {
		return
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.token == seam.Poll && !slices.Contains(r.flags, flag) {
		r.flags = append(r.flags, flag)
	}
}
