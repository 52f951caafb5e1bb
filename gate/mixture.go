package gate

import "github.com/trackgen-go/trackgen/generation"

// Mixed is the Generator of a configuration whose envs draw their control points with the components of Config.Mix.
const Mixed = generation.Mixed

// Component is one kind of control points in a mixed batch; Config.NewComponent makes one.
type Component struct {
	// Weight is the weight of the component in the draw: its probability is the weight over the sum of all weights. A
	// number > 0 and <= 1000000.
	Weight float64
	// Source has all settings of the control points. The Source of the configuration itself has no effect in a mixed
	// batch; everything after the control points and their order is the same for all components.
	Source
}

// NewComponent returns a component with the given generator and all other settings of the control points of c. The
// caller may then change them.
func (c Config) NewComponent(weight float64, generator string) Component {
	component := Component{Weight: weight, Source: c.Source}
	component.Generator = generator
	return component
}

// Components returns the configuration of each component of a mixed batch: an env with component k has the course that
// a batch of the k-th of these configurations gives it. It is nil without Mix.
func (c Config) Components() []Config {
	var list []Config
	for _, component := range c.Mix {
		single := c
		single.Mix, single.Source = nil, component.Source
		list = append(list, single)
	}
	return list
}

// kinds returns the resolved configuration of each component of a batch; one that is not mixed has one.
func (c Config) kinds() []Config {
	if c.Generator != Mixed {
		return []Config{c.Resolved()}
	}
	list := c.Components()
	for k := range list {
		list[k] = list[k].Resolved()
	}
	return list
}

// weights returns the weights of the components.
func (c Config) weights() []float64 {
	weights := make([]float64, len(c.Mix))
	for k, component := range c.Mix {
		weights[k] = component.Weight
	}
	return weights
}
