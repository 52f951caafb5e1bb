// Package registry keeps values that users register by name.
package registry

import (
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
)

// Registry maps names to values in order of registration. All methods are safe for concurrent use.
type Registry[T any] struct {
	kind string // e.g. "generator"

	mu     sync.RWMutex
	names  []string
	values map[string]T
}

// Entry is a value and its name.
type Entry[T any] struct {
	Name  string
	Value T
}

// New returns a registry with the given entries, which have different names. Messages use kind to refer to a value.
func New[T any](kind string, entries ...Entry[T]) *Registry[T] {
	r := &Registry[T]{kind: kind, values: make(map[string]T)}
	for _, e := range entries {
		r.names = append(r.names, e.Name)
		r.values[e.Name] = e.Value
	}
	return r
}

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9]*([._-][a-z0-9]+)*$`)

const maxName = 64

// CheckName reports whether a name is valid: parts of lower-case letters and digits, joined by single dots, dashes and
// underscores, beginning with a letter. The error matches backend.ErrInvalid.
func CheckName(op, name string) error {
	if len(name) <= maxName && nameForm.MatchString(name) {
		return nil
	}
	return &backend.ArgumentError{Op: op, Argument: "name", Value: fmt.Sprintf("%.80q", name),
		Allowed: fmt.Sprintf("at most %d lower-case letters and digits, beginning with a letter; single dots, dashes and "+
			"underscores may join parts", maxName)}
}

// Register adds a value. An invalid or repeated name returns an error that matches backend.ErrInvalid, and changes
// nothing.
func (r *Registry[T]) Register(name string, value T) error {
	op := "register " + r.kind
	if err := CheckName(op, name); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.values[name]; taken {
		return &backend.ArgumentError{Op: op, Argument: "name", Value: fmt.Sprintf("%q", name),
			Allowed: "a name that is not registered yet"}
	}
	r.names = append(r.names, name)
	r.values[name] = value
	return nil
}

// Lookup returns the value with this name.
func (r *Registry[T]) Lookup(name string) (T, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	value, ok := r.values[name]
	return value, ok
}

// Names lists the names in order of registration.
func (r *Registry[T]) Names() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Clone(r.names)
}

// Remove undoes Register, for tests.
func (r *Registry[T]) Remove(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.values, name)
	r.names = slices.DeleteFunc(r.names, func(other string) bool { return other == name })
}
