package gate

import (
	"context"
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/pipeline"
)

// firstEnvOutput is the array [1] with the number of env 0 in the batch of which a generator makes a part.
const firstEnvOutput = "first_env"

// WithFirstEnv makes env e of the generator env first + e of a batch that is made in parts. The default is 0. Only
// gates that lie in one place depend on it: they are moved apart in directions that follow from the number of the env
// (C-35). Generator.SetFirstEnv changes it.
func WithFirstEnv(first int) Option { return generation.WithFirstEnv(first) }

// provideFirstEnv gives the stages of the generator the number of its env 0.
func (g *Generator) provideFirstEnv(b *pipeline.Builder) (err error) {
	if g.firstEnv, err = exec.Scratch[int32](b, 1); err != nil {
		return err
	}
	return pipeline.Provide(b, firstEnvOutput, g.firstEnv)
}

// checkFirstEnv returns a *backend.ArgumentError if a batch with this first env has numbers that are no int32.
func (c Config) checkFirstEnv(op string, first int) error {
	if most := math.MaxInt32 - c.NumEnvs; first < 0 || first > most {
		return &backend.ArgumentError{Op: op, Argument: "first env", Value: first,
			Allowed: fmt.Sprintf("0 to %d with %d envs", most, c.NumEnvs)}
	}
	return nil
}

// SetFirstEnv makes env e env first + e of a batch that is made in parts, as WithFirstEnv does, from the next
// generation on. It returns a *backend.ArgumentError for a negative number or one that is too large for an int32, and,
// because it waits for its work, exec.ErrCapture inside a capture.
func (g *Generator) SetFirstEnv(ctx context.Context, first int) error {
	const op = "set first env"
	if err := g.core().CheckOpen(op); err != nil {
		return err
	}
	if err := g.config.checkFirstEnv(prefix+op, first); err != nil {
		return err
	}
	return g.core().Emit(ctx, op, func(lc *exec.LaunchContext) { exec.Fill(lc, g.firstEnv, int32(first)) })
}
