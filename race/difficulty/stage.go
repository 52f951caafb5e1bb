package difficulty

import (
	"strconv"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernels/difficulty"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// stage labels the tracks of the active envs.
func stage(c Config, s Source, l *Labels) exec.Stage {
	return pipeline.StageFunc("difficulty", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		envs, points := b.Envs(), s.Curvature.Len()/b.Envs()
		return func(lc *exec.LaunchContext) {
			difficulty.Measure(lc, envs, difficulty.MeasureArgs{
				Active: a.Active.Array(), Number: int32(envs), MaxPoints: int32(points),
				Slow: float32(c.SlowRadius), Medium: float32(c.MediumRadius), Fast: float32(c.FastRadius),
				Least: float32(c.LeastTurn), Hairpin: float32(c.HairpinTurn), HalfCar: float32(c.CarWidth / 2),
				Bends: s.Curvature, Arclen: s.Arclen, Length: s.Length, Count: s.Count, Fastest: s.Speed, Time: s.LapTime,
				Road: s.TrackLength, Right: s.WidthRight, Left: s.WidthLeft,
				Floats: l.packed.Floats, Integers: l.packed.Integers,
			})
		}, a.Err
	})
}

// number formats a number of a message.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
