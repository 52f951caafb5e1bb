package exec

import (
	"fmt"
	"slices"
	"sync"

	"github.com/trackgen-go/trackgen/kernel"
)

// Identity tells arrays apart: two arrays have the same identity if and only if they are the same range of the same
// memory. Identities are comparable.
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

// Input is an array and the name by which a component knows it.
type Input struct {
	Name     string
	Identity Identity
}

// InputOf returns the Input of a under name.
func InputOf[T kernel.Element](name string, a Array[T]) Input {
	return Input{Name: name, Identity: a.Identity()}
}

// Bindings notices when an input of a component is replaced after it was recorded: the graph keeps reading the old
// array (R97). A component embeds or holds one, calls Bind from each of its binding entry points, and calls Recorded
// from each hot method. The zero Bindings works. All methods are safe for concurrent use.
type Bindings struct {
	// Component is the name of the component in warnings.
	Component string
	// Warn receives warnings; nil is LogWarning.
	Warn WarnFunc

	mutex sync.Mutex
	bound map[string]*binding
}

// binding is the current array of one input.
type binding struct {
	identity Identity
	recorded bool // a hot method that reads the input was recorded into a capture
}

// Bind makes inputs the current ones. It warns once per call if it replaces a recorded input by another array. Binding
// the same array again is silent; the sequence A, B, A warns twice.
func (b *Bindings) Bind(inputs ...Input) {
	if names := b.replace(inputs); len(names) > 0 {
		warn := b.Warn
		if warn == nil {
			warn = LogWarning
		}
		warn(RebindAfterCaptureWarning{Component: b.Component, Inputs: names})
	}
}

// replace makes inputs the current ones and returns the names of those that were recorded with another array.
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

// Recorded notes that a hot method emitted work through lc that reads the named inputs, or all inputs if none is named.
// It has an effect only while lc's stream is being captured. It allocates nothing.
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

// RebindAfterCaptureWarning says that inputs of a component were replaced after a capture had recorded reads of the old
// arrays.
type RebindAfterCaptureWarning struct {
	Component string
	Inputs    []string
}

// Warning says what happens and how to avoid it.
func (w RebindAfterCaptureWarning) Warning() string {
	return fmt.Sprintf("%s: inputs %q were bound to other arrays after a capture had recorded the old ones: its graph "+
		"keeps reading the old arrays; capture again, or copy into the arrays that are bound",
		componentLabel(w.Component), w.Inputs)
}

func componentLabel(name string) string {
	if name == "" {
		return "the component"
	}
	return fmt.Sprintf("component %q", name)
}
