package config

// Kind is a kind of configuration: its fields, and how the components of a mixed batch differ in some of them. What
// reads and writes configurations of several kinds needs nothing else: files, arguments, metadata.
type Kind[C any] struct {
	*Table[C]

	// Generators lists the generators that a component may name.
	Generators func() []string
	// Resolve fills in the fields that are derived from others.
	Resolve func(C) C
	// Components returns the configuration of each component; nil if there are none.
	Components func(C) []C
	// Weights returns the weight of each component.
	Weights func(C) []float64
	// SetComponents replaces the components by those that have the given weights and, of the given configurations, the
	// fields that are not Shared.
	SetComponents func(c *C, weights []float64, singles []C)
}
