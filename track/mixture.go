package track

import "github.com/trackgen-go/trackgen/generation"

// Mixed is the Generator of a configuration whose envs draw their loops with the components of Config.Mix.
const Mixed = generation.Mixed

// Component is one kind of first loop in a mixed batch; Config.NewComponent makes one.
type Component struct {
	// Weight is the weight of the component in the draw: its probability is the weight over the sum of all weights. A
	// number > 0 and <= 1000000.
	Weight float64
	// FirstLoop has all settings of the first loop. The first loop of the configuration itself has no effect in a mixed
	// batch; everything after the first loop is the same for all components.
	FirstLoop
}

// NewComponent returns a component with the given generator and all other settings of the first loop of c. The caller
// may then change them:
//
//	round := config.NewComponent(2, track.Polar)
//	round.Polar.RadialJitter = 0
//	config.Generator, config.Mix = track.Mixed, []track.Component{config.NewComponent(1, track.Bezier), round}
func (c Config) NewComponent(weight float64, generator string) Component {
	component := Component{Weight: weight, FirstLoop: c.FirstLoop}
	component.Generator = generator
	return component
}

// Components returns the configuration of each component of a mixed batch: an env with component k has the track that a
// batch of the k-th of these configurations gives it. It is nil without Mix.
func (c Config) Components() []Config {
	var list []Config
	for _, component := range c.Mix {
		single := c
		single.Mix, single.FirstLoop = nil, component.FirstLoop
		list = append(list, single)
	}
	return list
}

// checkComponents validates the fields of every component against one another. c is resolved.
func (c Config) checkComponents() []error {
	var wrong []error
	shared := make(map[string]bool) // reported fields; further errors for them differ in wording alone
	for k, component := range c.Components() {
		for _, err := range component.checkLoop() {
			if f, ok := FieldNamed(err.Field); ok && f.Shared() {
				if shared[err.Field] {
					continue
				}
				shared[err.Field] = true
			} else {
				err.Field = generation.InComponent(k, err.Field)
			}
			wrong = append(wrong, err)
		}
	}
	return wrong
}
