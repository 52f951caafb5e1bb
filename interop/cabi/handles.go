package main

// #include "library.h"
import "C"

import (
	"fmt"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
)

// object is what a handle names.
type object interface {
	// what says what the object is, as messages have it: "a device".
	what() string
	// life counts the uses of the object.
	life() *lifetime
}

// lifetime counts the uses of an object: one by its handle, one by each call that works with it, and those by other
// objects. The last one to end releases the object.
type lifetime struct {
	mutex   sync.Mutex
	uses    int
	release func() error
}

// newLifetime returns the lifetime of an object with one use, that of its handle.
func newLifetime(release func() error) lifetime { return lifetime{uses: 1, release: release} }

func (l *lifetime) life() *lifetime { return l }

// use adds a use to an object that has one.
func (l *lifetime) use() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.uses++
}

// tryUse adds a use, if the object still has one.
func (l *lifetime) tryUse() bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.uses == 0 {
		return false
	}
	l.uses++
	return true
}

// drop ends a use. The last one releases the object and returns the error of that.
func (l *lifetime) drop() error {
	l.mutex.Lock()
	l.uses--
	last := l.uses == 0
	l.mutex.Unlock()
	if last && l.release != nil {
		return l.release()
	}
	return nil
}

// table holds the open objects by their handles, which are never used again.
type table struct {
	mutex sync.RWMutex
	last  C.tg_handle
	open  map[C.tg_handle]object
}

// objects are those of the process.
var objects = table{open: make(map[C.tg_handle]object)}

// add gives an object a handle.
func (t *table) add(o object) C.tg_handle {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.last++
	t.open[t.last] = o
	return t.last
}

// find returns the object of a handle, with one more use, which the caller drops.
func (t *table) find(handle C.tg_handle, argument, allowed string) (object, error) {
	t.mutex.RLock()
	defer t.mutex.RUnlock()
	if o := t.open[handle]; o != nil {
		o.life().use()
		return o, nil
	}
	return nil, t.missing(handle, argument, allowed)
}

// missing is the error for a handle that names no open object.
func (t *table) missing(handle C.tg_handle, argument, allowed string) error {
	switch {
	case handle == 0:
		return &backend.ArgumentError{Op: "find object", Argument: argument, Value: "handle 0", Allowed: allowed}
	case handle <= t.last:
		return closedError(fmt.Sprintf("%s: handle %d was closed", argument, handle))
	}
	return &backend.ArgumentError{Op: "find object", Argument: argument,
		Value: fmt.Sprintf("handle %d, which no call has returned", handle), Allowed: allowed}
}

// closedError says what was closed.
type closedError string

// Error says what was closed.
func (e closedError) Error() string { return string(e) }

// Is matches backend.ErrClosed.
func (e closedError) Is(target error) bool { return target == backend.ErrClosed }

// remove takes the object of a handle out of the table, if ready lets it.
func (t *table) remove(handle C.tg_handle, ready func(object) error) (object, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	o := t.open[handle]
	if o == nil {
		return nil, t.missing(handle, "object", "a handle")
	}
	if err := ready(o); err != nil {
		return nil, err
	}
	delete(t.open, handle)
	return o, nil
}

// acquire returns the object of a handle, which must be of type T, with one more use, which the caller drops.
func acquire[T object](handle C.tg_handle, argument, allowed string) (found T, err error) {
	o, err := objects.find(handle, argument, allowed)
	if err != nil {
		return found, err
	}
	found, ok := o.(T)
	if !ok {
		drop(o)
		return found, &backend.ArgumentError{Op: "find object", Argument: argument,
			Value: fmt.Sprintf("handle %d, %s", handle, o.what()), Allowed: allowed}
	}
	return found, nil
}

// drop ends the use of an object by a call. What goes wrong when that releases the object is no error of the call, so
// it becomes a warning.
func drop(o object) {
	if err := o.life().drop(); err != nil {
		warnings.add(ReleaseWarning{What: o.what(), Err: err})
	}
}

// ReleaseWarning says that an object that was closed while another call used it could not be released without an error.
type ReleaseWarning struct {
	What string
	Err  error
}

// Warning says what went wrong.
func (w ReleaseWarning) Warning() string { return fmt.Sprintf("releasing %s: %v", w.What, w.Err) }
