package checkpoints_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/course/internal/resample/resampletest"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// referenceOf places the checkpoints of lines one after the other, as C-53 says.
func referenceOf(lines [][]kernel.Vec3, spacing float32, room int) sampled {
	s := sampled{HostSet: &checkpoints.HostSet{Envs: len(lines), MaxCheckpoints: room}}
	for _, line := range lines {
		outer, inner := make([]kernel.Vec3, len(line)), make([]kernel.Vec3, len(line))
		for i, p := range line {
			outer[i], inner[i] = resampletest.Outer(p), resampletest.Inner(p)
		}
		scan := resampletest.ScanOf(line, spacing, room)
		for k := range room {
			position, left, right := resampletest.Nowhere(), resampletest.Nowhere(), resampletest.Nowhere()
			forward, half := resampletest.Nowhere(), kernel.NaN()
			if k < scan.Items {
				i, part := scan.At(k)
				position, left = resampletest.PointAt(line, i, part), resampletest.PointAt(inner, i, part)
				right, half = resampletest.PointAt(outer, i, part), 1e30
				way := line[(i+1)%len(line)].Sub(line[i])
				if length := way.Len(); length < 1e-12 {
					forward = kernel.Vec3{}
				} else {
					forward = kernel.V3(way.X/length, way.Y/length, way.Z/length)
				}
			}
			s.Position, s.Left, s.Right = append(s.Position, position), append(s.Left, left), append(s.Right, right)
			s.Forward, s.UpHalf = append(s.Forward, forward), append(s.UpHalf, half)
		}
		s.Count, s.step = append(s.Count, int32(scan.Items)), append(s.step, scan.Step)
		s.truncated = append(s.truncated, map[bool]int32{true: 1}[scan.Truncated])
	}
	return s
}

// Every bit is that of the rules, for lines that are hard to resample and for steps that end on their points.
func TestCheckpointsFollowTheRules(t *testing.T) {
	device, lines := coursetest.OpenCPU(t), resampletest.Lines()
	source := sourceOf(t, device, lines)
	for _, spacing := range []float64{1, 0.5, 0.3, 0.1, 2.6, 7, 1e6} {
		for _, room := range []int{3, 8, 40} {
			t.Run(fmt.Sprint(spacing, " ", room), func(t *testing.T) {
				got := read(t, newSampler(t, device, source, checkpoints.Config{Spacing: spacing, MaxCheckpoints: room}))
				want := referenceOf(lines, float32(spacing), room)
				require.Equal(t, bitsOf(want), bitsOf(got))
			})
		}
	}
}

// A number of checkpoints between two whole ones is rounded to the nearest, half to the upper one.
func TestNumbersAreRounded(t *testing.T) {
	device := coursetest.OpenCPU(t)
	line := []kernel.Vec3{{}, {X: 1}, {X: 1, Y: 1}, {Y: 1}}
	source := sourceOf(t, device, [][]kernel.Vec3{line})
	for spacing, want := range map[float64]int32{0.8: 5, 4.0 / 4.5: 5, 0.9: 4, 4.0 / 5.5: 6, 0.75: 5, 1.6: 3, 4: 3} {
		got := read(t, newSampler(t, device, source, checkpoints.Config{Spacing: spacing, MaxCheckpoints: 9}))
		require.Equal(t, []int32{want}, got.Count, "spacing %v", spacing)
	}
}

// A line with a NaN gets 3 checkpoints, all at its first point, and every NaN has the same bits (C-50).
func TestLinesWithNaN(t *testing.T) {
	device, odd := coursetest.OpenCPU(t), math.Float32frombits(0xffc12345)
	line := []kernel.Vec3{{X: 1, Y: 2}, {X: 3, Y: 2}, {X: 3, Y: odd}, {X: 1, Y: 4}}
	far := []kernel.Vec3{{X: 1}, {X: kernel.Inf()}, {X: kernel.Inf(), Y: 2}}
	got := read(t, newSampler(t, device, sourceOf(t, device, [][]kernel.Vec3{line, far, {{X: odd}, {}, {}}}), settings))
	require.Equal(t, []int32{3, 3, 3}, got.Count)
	require.Equal(t, []int32{0, 0, 0}, got.truncated)
	bits := []uint32{math.Float32bits(got.step[0]), math.Float32bits(got.step[1]), math.Float32bits(got.step[2])}
	require.Equal(t, []uint32{kernel.NaNBits, kernel.NaNBits, kernel.NaNBits}, bits)
	for k := range 3 {
		require.Equal(t, line[0], got.Position[k])
		require.Equal(t, kernel.NaNBits, math.Float32bits(got.Position[2*settings.MaxCheckpoints+k].X))
		require.Equal(t, kernel.NaNBits, math.Float32bits(got.Left[2*settings.MaxCheckpoints+k].X))
	}
}

// The room that a sampler derives is one and a half times that of the longest valid track, and at least 3 (C-54).
func TestRoomIsDerived(t *testing.T) {
	device := coursetest.OpenCPU(t)
	square := func(side float32) []kernel.Vec3 { return []kernel.Vec3{{}, {X: side}, {X: side, Y: side}, {Y: side}} }
	source := sourceOf(t, device, [][]kernel.Vec3{square(1), square(2), square(50), square(60)[:2]})
	require.NoError(t, source.Valid.Write(t.Context(), []int32{1, 2, 0, 1}))
	for spacing, want := range map[float64]int{1: 12, 0.7: 18, 100: 3} {
		s := newSampler(t, device, source, checkpoints.Config{Spacing: spacing})
		require.Equal(t, want, s.Set().MaxCheckpoints)
		require.Equal(t, checkpoints.Config{Spacing: spacing, MaxCheckpoints: want}, s.Config())
		require.Positive(t, s.Bytes())
	}
	_, err := checkpoints.NewSampler(device, source, checkpoints.Config{Spacing: 1e-5})
	require.ErrorContains(t, err,
		"spacing is 1e-05: must be large enough for at most 65536 items on the longest line, of length 8")
	require.NoError(t, source.Valid.Write(t.Context(), []int32{0, 0, 0, 1}))
	_, err = checkpoints.NewSampler(device, source, checkpoints.Config{Spacing: 1})
	require.ErrorContains(t, err,
		"checkpoints: new sampler: max_checkpoints is 0: must be given, because no track is valid to derive it from")
}
