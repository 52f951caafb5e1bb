package generation

import (
	"fmt"
	"math"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/selection"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// Outputs of the stage of Components, [E] each.
const (
	ComponentOutput = "component"       // the component with which an env was made
	GivenOutput     = "given_component" // the component that is given for the env, or a number that names none
)

// Limits of mixed batches.
const (
	MaxComponents = 64
	MaxWeight     = 1e6
)

const (
	// drawComponent as a given component names none: the env draws its component.
	drawComponent = -1

	// weightSteps is the resolution of probabilities: a draw is a multiple of 2^-24.
	weightSteps = 1 << 24
)

// Thresholds returns an upper bound for each component of a mixed batch with the given weights: a draw from [0, 1)
// selects the first component whose bound is above it. The bounds are the cumulative weights over the total weight,
// rounded to multiples of 2^-24.
func Thresholds(weights []float64) []float32 {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	list := make([]float32, len(weights))
	sum := 0.0
	for k, w := range weights {
		sum += w
		list[k] = float32(math.Round(sum/total*weightSteps) / weightSteps)
	}
	if len(list) > 0 {
		list[len(list)-1] = 1
	}
	return list
}

// Components chooses the component of every active env of a mixed batch. It comes before the candidates, so all
// candidates of an env have the same component. The shares of the components are therefore given by their weights and
// do not depend on their yields.
func Components(weights []float64) exec.Stage {
	return pipeline.StageFunc("component", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		given, component := allocate.Output[int32](a, GivenOutput, 1), allocate.Output[int32](a, ComponentOutput, 1)
		threshold := allocate.Staged(a, Thresholds(weights))
		allocate.Write(a, given, slices.Repeat([]int32{drawComponent}, b.Envs()))
		envs, effective := b.Envs(), b.Seed()
		return func(lc *exec.LaunchContext) {
			selection.ChooseComponent(lc, envs, a.Active.Array(), effective, given, threshold, component)
		}, a.Err
	})
}

// Shared is an output that the stages of all components of a mixed batch write, each for its own envs.
type Shared struct {
	Name    string
	Allowed string // what a stage must write, in messages
	// Allocate makes the output of the stage that is being built, and returns what gives it to the stage of a component.
	Allocate func(a *allocate.Allocator) func(*pipeline.Builder) error
}

// SharedOutput describes an output of n elements per env.
func SharedOutput[T kernel.Element](name string, n int, allowed string) Shared {
	return Shared{Name: name, Allowed: allowed, Allocate: func(a *allocate.Allocator) func(*pipeline.Builder) error {
		array := allocate.Output[T](a, name, n)
		return func(part *pipeline.Builder) error { return pipeline.Provide(part, name, array) }
	}}
}

// Mixture does the work of every active env with the stage of its component. Each of these stages works on its own
// list of envs, and all of them write the same outputs.
func Mixture(id string, components []exec.Stage, outputs ...Shared) exec.Stage {
	class := exec.Static
	for _, stage := range components {
		if stage != nil {
			class = max(class, stage.Class())
		}
	}
	return pipeline.StageFunc(id, class, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		stride := b.Envs() + 1
		component := allocate.Input[int32](a, ComponentOutput)
		provide := make([]func(*pipeline.Builder) error, len(outputs))
		for i, output := range outputs {
			provide[i] = output.Allocate(a)
		}
		lists := allocate.Scratch[int32](a, len(components)*stride)
		parts := make([]exec.Enqueue, len(components))
		// The length of each list; the zero array for a part that is not worth skipping.
		flags := make([]exec.Array[int32], len(components))
		for k, stage := range components {
			list := allocate.Part(a, lists, k*stride, (k+1)*stride)
			if stage != nil && stage.Class() != exec.Static {
				flags[k] = allocate.Part(a, list, 0, 1)
			}
			program := componentProgram(a, stage, outputs, provide)
			if a.Err != nil {
				return nil, fmt.Errorf("mix[%d]: %w", k, a.Err)
			}
			parts[k] = func(lc *exec.LaunchContext) { program.EnqueueEnvs(lc, list) }
		}
		return func(lc *exec.LaunchContext) {
			selection.Split(lc, len(parts), int32(stride), a.Active.Array(), component, lists)
			for k, part := range parts {
				if flags[k].IsZero() {
					part(lc)
				} else {
					exec.SkipUnless(lc, flags[k], part)
				}
			}
		}, a.Err
	})
}

// componentProgram builds the stage of a component, which writes into the given outputs.
func componentProgram(a *allocate.Allocator, stage exec.Stage, outputs []Shared,
	provide []func(*pipeline.Builder) error) *pipeline.Program {
	return allocate.Try(a, func() (*pipeline.Program, error) {
		builder, err := pipeline.Nested(a.Builder, pipeline.NestedOptions{Active: a.Active, Apart: true})
		if err != nil {
			return nil, err
		}
		for _, give := range provide {
			if err := give(builder); err != nil {
				return nil, err
			}
		}
		program, err := buildParts(builder, stage)
		for _, output := range outputs {
			if err == nil && !builder.Written(output.Name) {
				err = &backend.ArgumentError{Op: fmt.Sprintf("build stage %q", stage.ID()), Argument: "output " + output.Name,
					Value: "missing", Allowed: output.Allowed}
			}
		}
		return program, err
	})
}
