// Package pipeline builds producers from stages.
//
// A stage is one step of a generation. Its Build allocates everything that the step needs and returns the function that
// emits its work. A Builder gives it the device, the envs and their seeds, and the arrays of earlier stages by name:
//
//	square := pipeline.StageFunc("square", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
//		active, err := pipeline.Active(b)                          // the envs to work on
//		x, err := pipeline.Input[float32](b, "x")                  // an earlier stage's
//		y, err := pipeline.Output[float32](b, "y", 1)              // one number per env, for later stages and the caller
//		...
//		return func(lc *exec.LaunchContext) { kernels.Square(lc, b.Envs(), active.Array(), x, y) }, nil
//	})
//
// A Program is an ordered list of built stages. It is captured as a whole unless it has HOST stages, which cut it into
// segments. Its RunnerOptions and Segments pass this to the GraphRunner that runs it.
//
//	builder, err := pipeline.NewBuilder(device, envs)
//	program, err := builder.Build(pipeline.SeedStage(state), first, square)
//	runner, err := exec.NewGraphRunner(device, program.RunnerOptions("squares"))
//	_, err = runner.Run(ctx, program.Enqueue, exec.RunOptions{})
//	y, err := pipeline.ArrayOf[float32](program, "y")
//
// A stage may have parts, which are stages themselves: see Nested. Parts can work on fewer envs than the stage, or run
// several times.
//
// Presets are lists of stages that are registered by name: the first stages of a program, or all of them.
package pipeline
