package track

import (
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/kernel"
)

// mixedSpec returns the Spec of a mixed batch with these configurations.
func mixedSpec(components []Config) Spec {
	mixed := Spec{
		Stage:    func(c Config) exec.Stage { return mixedStage(c, components) },
		Shortest: func(Config) float64 { return 0 }, // each component is checked separately
		Stride: func(Config) int {
			stride := len(components) + 1 // for the lists
			for _, c := range components {
				stride = max(stride, c.spec().Stride(c))
			}
			return stride
		},
	}
	for _, c := range components {
		mixed.Kernels = append(mixed.Kernels, c.spec().Kernels...)
	}
	return mixed
}

// componentStage chooses the component of every active env.
func componentStage(c Config) exec.Stage { return generation.Components(c.weights()) }

// weights returns the weights of the components.
func (c Config) weights() []float64 {
	weights := make([]float64, len(c.Mix))
	for k, component := range c.Mix {
		weights[k] = component.Weight
	}
	return weights
}

// mixedStage draws the loop of every active env with the stage of its component.
func mixedStage(c Config, components []Config) exec.Stage {
	stages := make([]exec.Stage, len(components))
	for k, c := range components {
		stages[k] = c.loopStage()
	}
	return generation.Mixture("loop", stages,
		generation.SharedOutput[kernel.Vec2](LoopOutput, c.Output.LoopPoints, "output.loop_points points per env"))
}
