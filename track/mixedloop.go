package track

import (
	"context"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/selection"
	"github.com/trackgen-go/trackgen/pipeline"
)

const (
	componentOutput = "component"       // [E] the component with which an env was made
	givenOutput     = "given_component" // [E] the component that is given for the env, or a number that names none
)

// drawComponent as a given component names none: the env draws its component.
const drawComponent = -1

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

// componentStage chooses the component of every active env. It comes before the candidates, so all candidates of an env
// have the same component. The shares of the components are therefore given by their weights and do not depend on their
// yields.
func componentStage(c Config) exec.Stage {
	return pipeline.StageFunc("component", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		given, component := output[int32](a, givenOutput, 1), output[int32](a, componentOutput, 1)
		threshold := try(a, func() (exec.Array[float32], error) { return exec.Scratch[float32](b, len(c.Mix)) })
		if a.err == nil {
			a.err = threshold.Write(context.Background(), c.thresholds())
		}
		if a.err == nil {
			a.err = given.Write(context.Background(), everywhere(drawComponent, b.Envs()))
		}
		envs, effective := b.Envs(), b.Seed()
		return func(lc *exec.LaunchContext) {
			selection.ChooseComponent(lc, envs, a.active.Array(), effective, given, threshold, component)
		}, a.err
	})
}

func everywhere(value int32, n int) []int32 {
	values := make([]int32, n)
	for i := range values {
		values[i] = value
	}
	return values
}

// mixedStage draws the loop of every active env with the stage of its component. Each of these stages works on its own
// list of envs, and all of them write into one array.
func mixedStage(c Config, components []Config) exec.Stage {
	class := exec.Static
	stages := make([]exec.Stage, len(components))
	for k, c := range components {
		stages[k] = c.spec().Stage(c)
		if stages[k] != nil {
			class = max(class, stages[k].Class())
		}
	}
	return pipeline.StageFunc("loop", class, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		stride := b.Envs() + 1
		component := input[int32](a, componentOutput)
		loop := output[kernel.Vec2](a, LoopOutput, c.Output.LoopPoints)
		lists := try(a, func() (exec.Array[int32], error) { return exec.Scratch[int32](b, len(components)*stride) })
		parts := make([]exec.Enqueue, len(components))
		flags := make([]exec.Array[int32],
			len(components)) // the length of each list; the zero array for a part that is not worth skipping
		for k, stage := range stages {
			list := try(a, func() (exec.Array[int32], error) { return lists.Slice(k*stride, (k+1)*stride) })
			if stage != nil && stage.Class() != exec.Static {
				flags[k] = try(a, func() (exec.Array[int32], error) { return list.Slice(0, 1) })
			}
			program := componentProgram(a, stage, loop)
			if a.err != nil {
				return nil, fmt.Errorf("mix[%d]: %w", k, a.err)
			}
			parts[k] = func(lc *exec.LaunchContext) { program.EnqueueEnvs(lc, list) }
		}
		return func(lc *exec.LaunchContext) {
			selection.Split(lc, len(parts), int32(stride), a.active.Array(), component, lists)
			for k, part := range parts {
				if flags[k].IsZero() {
					part(lc)
				} else {
					exec.SkipUnless(lc, flags[k], part)
				}
			}
		}, a.err
	})
}

// componentProgram builds the stage of a component, which writes its loops into the array loop.
func componentProgram(a *allocator, stage exec.Stage, loop exec.Array[kernel.Vec2]) *pipeline.Program {
	return try(a, func() (*pipeline.Program, error) {
		builder, err := pipeline.Nested(a.Builder, pipeline.NestedOptions{Active: a.active, Apart: true})
		if err != nil {
			return nil, err
		}
		if err := pipeline.Provide(builder, LoopOutput, loop); err != nil {
			return nil, err
		}
		program, err := buildParts(builder, stage)
		if err == nil && !builder.Written(LoopOutput) {
			err = &backend.ArgumentError{Op: fmt.Sprintf("build stage %q", stage.ID()), Argument: "output " + LoopOutput,
				Value:   "missing",
				Allowed: "output.loop_points points per env"}
		}
		return program, err
	})
}
