package gate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/gate"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
	"github.com/trackgen-go/trackgen/track"
)

// setCurve gives a configuration of tracks the settings of the curve.
func (c Config) setCurve(t *track.Config) {
	for _, f := range fields.Documented() {
		if of, ok := track.FieldNamed(f.Name); ok && f.Group() == curveGroup {
			_ = of.Set(t, f.Value(c)) // the types are equal: see curveFields
		}
	}
}

// curveSpec returns the generator of tracks whose loop is the curve of repulsive, and its configuration.
func (c Config) curveSpec() (track.Spec, track.Config) {
	spec, _ := track.SpecNamed(track.Repulsive)
	config := c.trackConfig()
	config.Generator = track.Repulsive
	return spec, config.Resolved()
}

// curveStride returns the number of elements per env in the longest array of curveStage.
func curveStride(c Config) int {
	spec, config := c.curveSpec()
	return max(spec.Stride(config), config.Output.LoopPoints)
}

// curveStage grows the curves, as the generator of tracks does, and places the control points along them.
func curveStage(c Config, room int) exec.Stage {
	spec, config := c.curveSpec()
	grow := spec.Stage(config)
	return pipeline.StageFunc("points", grow.Class(), func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		curves := generation.Nested(a, pipeline.NestedOptions{Apart: true}, grow)
		loop := allocate.ArrayOf[kernel.Vec2](a, curves, track.LoopOutput)
		envs, seed, points := b.Envs(), b.Seed(), config.Output.LoopPoints
		end := allocate.PerEnv[float32](a, points)
		count, point := pointOutputs(a, room)
		low, high := int32(c.Repulsive.MinCount), int32(c.Repulsive.MaxCount)
		return func(lc *exec.LaunchContext) {
			curves.Enqueue(lc)
			gate.Spread(lc, envs, gate.SpreadArgs{
				Active: a.Active.Array(), Seed: seed, MinCount: low, MaxCount: high, LoopPoints: int32(points),
				Stride: int32(room), Loop: loop, End: end, Count: count, Point: point,
			})
		}, a.Err
	})
}

// checkCurve validates the settings of repulsive against one another.
func (c Config) checkCurve() (wrong []*ConfigError) {
	if c.Repulsive.MaxCount < c.Repulsive.MinCount {
		wrong = append(wrong, &ConfigError{Field: "repulsive.max_count", Value: fmt.Sprint(c.Repulsive.MaxCount),
			Allowed: fmt.Sprintf("at least repulsive.min_count (%d)", c.Repulsive.MinCount)})
	}
	_, config := c.curveSpec()
	joined, ok := config.Validate().(interface{ Unwrap() []error })
	if !ok {
		return wrong
	}
	for _, err := range joined.Unwrap() {
		var one *ConfigError
		if errors.As(err, &one) && strings.HasPrefix(one.Field, curveGroup+".") {
			wrong = append(wrong, one)
		}
	}
	return wrong
}
