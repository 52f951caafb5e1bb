package gate

import (
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/gate"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
	"github.com/trackgen-go/trackgen/track"
)

// alongStageID names the stage that places gates along tracks.
const alongStageID = "along"

// Outputs of the stage that places gates along tracks.
const (
	openingOutput = "opening" // [E*G_max] width of each gate before the factor of gate.size_range
	flawsOutput   = "flaws"   // [E] ReasonTrack for a track that is not valid, else 0
)

// line holds the arrays of tracks along which gates stand.
type line struct {
	points                int // N_max
	center                exec.Array[kernel.Vec3]
	arclen, length        exec.Array[float32]
	widthRight, widthLeft exec.Array[float32] // zero arrays if the widths are not known
	count, valid          exec.Array[int32]
	seed, epoch           exec.Array[int32]
}

func lineOf(t *track.Track) line {
	return line{points: t.NMax, center: t.Center, arclen: t.Arclen, length: t.Length, widthRight: t.WidthRight,
		widthLeft: t.WidthLeft, count: t.Count, valid: t.Valid, seed: t.Seed, epoch: t.Epoch}
}

// orScratch returns an array, or new memory of n elements per env in place of the zero array.
func orScratch[T kernel.Element](a *allocate.Allocator, array exec.Array[T], n int) exec.Array[T] {
	if array.IsZero() {
		return allocate.PerEnv[T](a, n)
	}
	return array
}

// alongStage places gates along a line. A line without arrays, as in checkAlongLoops, gets memory of its own.
func alongStage(c Config, l line) exec.Stage {
	return pipeline.StageFunc(alongStageID, exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		envs, room, hasWidths := b.Envs(), c.Output.MaxGates, allocate.Bit(!l.widthRight.IsZero() && !l.widthLeft.IsZero())
		center, count, valid := orScratch(a, l.center, l.points), orScratch(a, l.count, 1), orScratch(a, l.valid, 1)
		arclen, length := orScratch(a, l.arclen, l.points), orScratch(a, l.length, 1)
		widthRight, widthLeft := l.widthRight, l.widthLeft
		if hasWidths == 0 {
			widthRight, widthLeft = allocate.Staged(a, []float32{0}), allocate.Staged(a, []float32{0})
		}
		drawn, flaws := allocate.Output[int32](a, drawnOutput, 1), allocate.Output[int32](a, flawsOutput, 1)
		position := allocate.Output[kernel.Vec3](a, "position", room)
		opening := allocate.Output[float32](a, openingOutput, room)
		return func(lc *exec.LaunchContext) {
			gate.Along(lc, envs, gate.AlongArgs{
				Active: a.Active.Array(), TrackCount: count, TrackValid: valid, Stride: int32(l.points), Center: center,
				Arclen: arclen, Length: length, HasWidths: hasWidths, WidthRight: widthRight, WidthLeft: widthLeft,
				MaxGates: int32(room), Spacing: float32(c.Along.Spacing), Width: float32(c.Gate.Width),
				RoadFraction: float32(c.Along.RoadFraction), NeedsValid: allocate.Bit(!c.Along.AnyTrack),
				Drawn: drawn, Flaws: flaws, Position: position, Opening: opening,
			})
		}, a.Err
	})
}
