package exec

import (
	"fmt"
	"slices"
	"sync"

	"github.com/trackgen-go/trackgen/kernel"
)

// Identity tells arrays apart: two arrays have the same identity exactly if they are the same range of the same memory.
// Identities are comparable.
type Identity struct {
	memory *memory
	offset int // bytes
	bytes  int
}

// Identity returns the identity of a, the zero Identity for the zero Array. It does not keep the device memory open.
func (a Array[T]) Identity() Identity {
	size := int(elementSize[T]())
	return Identity{memory: a.memory, offset: a.offset * size, bytes: a.length * size}
}

// Input is an array under the name that a component knows it by.
type Input struct {
	Name     string
	Identity Identity
}

// InputOf returns the input with that name.
func InputOf[T kernel.Element](name string, a Array[T]) Input {
	return Input{Name: name, Identity: a.Identity()}
}

// Bindings notices that an input of a component is replaced after it was recorded: the graph goes on reading the old one
// (R97). A component embeds or holds one, and calls Bind from each of its binding entry points and Recorded from each hot
// method. The zero Bindings works; all methods may be called from any goroutine.
type Bindings struct {
	// Component labels the component in warnings.
	Component string
	// Warn receives warnings; nil is LogWarning.
	Warn WarnFunc

	mutex sync.Mutex
	bound map[string]*binding
}

// binding is an input in force.
type binding struct {
	identity Identity
	recorded bool // a hot method that reads the input was recorded into a capture
}

// Bind puts inputs in force and warns, at most once, if one that was recorded is replaced by another. Binding the same
// array again is silent; a sequence A, B, A warns twice.
func (b *Bindings) Bind(inputs ...Input) {
	if names := b.replace(inputs); len(names) > 0 {
		warn := b.Warn
		if warn == nil {
			warn = LogWarning
		}
		warn(RebindAfterCaptureWarning{Component: b.Component, Inputs: names})
	}
}

// replace puts inputs in force and returns the names of those that were recorded with another array.
func (b *Bindings) replace(inputs []Input) (names []string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.bound == nil {
		b.bound = make(map[string]*binding)
	}
	for _, input := range inputs {
		current := b.bound[input.Name]
		if current == nil {
			b.bound[input.Name] = &binding{identity: input.Identity}
			continue
		}
		if current.identity == input.Identity {
			continue
		}
		current.identity = input.Identity
		if current.recorded && !slices.Contains(names, input.Name) {
			names = append(names, input.Name)
		}
	}
	return names
}

// Recorded says that a hot method emitted through lc work that reads the named inputs, or all inputs if none is named. It
// matters only while lc's stream is being captured, and allocates nothing.
func (b *Bindings) Recorded(lc *LaunchContext, names ...string) {
	if !lc.Capturing() {
		return
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if len(names) == 0 {
		for _, current := range b.bound {
			current.recorded = true
		}
		return
	}
	for _, name := range names {
		if current := b.bound[name]; current != nil {
			current.recorded = true
		}
	}
}

// RebindAfterCaptureWarning says that inputs of a component were replaced after a capture had recorded a read of the old
// ones.
type RebindAfterCaptureWarning struct {
	Component string
	Inputs    []string
}

// Warning says what happens and what to do about it.
func (w RebindAfterCaptureWarning) Warning() string {
	return fmt.Sprintf("%s: inputs %q were bound to other arrays after a capture had recorded the old ones: its graph goes on "+
		"reading the old arrays; capture again, or copy into the arrays that are bound", componentLabel(w.Component), w.Inputs)
}

func componentLabel(name string) string {
	if name == "" {
		return "the component"
	}
	return fmt.Sprintf("component %q", name)
}
