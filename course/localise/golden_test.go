package localise_test

import (
	"testing"

	"codeberg.org/sbinet/npyio/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/internal/golden"
)

// goldenLines reads the lines of a file.
func goldenLines(t *testing.T, file *npz.Reader, name string) lines {
	t.Helper()
	return lines{center: coursetest.Vectors(golden.Array[float32](t, file, name+"/center")),
		arclen: golden.Array[float32](t, file, name+"/arclen"), length: golden.Array[float32](t, file, name+"/length"),
		count: golden.Array[int32](t, file, name+"/count")}
}

// drive locates the agents of a file in each step, and compares the frames with the output of the reference system. It
// returns how many segments differ because rounding decides (docs/spec/course.md, section 13, V and M).
func drive(t *testing.T, file *npz.Reader, l lines, name string, window int) (flips int) {
	t.Helper()
	device := coursetest.OpenCPU(t)
	envs := len(l.count)
	localiser := newLocaliser(t, device, l, 1, window)
	all := coursetest.Vectors(golden.Array[float32](t, file, "input/position"))
	resets := golden.Array[int32](t, file, "input/reset_before_step")
	want := frames{s: golden.Array[float32](t, file, name+"/s"), n: golden.Array[float32](t, file, name+"/n"),
		up: golden.Array[float32](t, file, name+"/n_up"), segment: golden.Array[int32](t, file, name+"/segment")}
	position, mask := coursetest.Upload(t, device, all[:envs]), coursetest.Upload(t, device, resets[:envs])
	for k := range len(all) / envs {
		low, high := k*envs, (k+1)*envs
		require.NoError(t, position.Write(t.Context(), all[low:high]))
		require.NoError(t, mask.Write(t.Context(), resets[low:high]))
		require.NoError(t, localiser.Reset(t.Context(), mask))
		require.NoError(t, localiser.LocateAt(t.Context(), position))
		got := framesOf(t, localiser)
		for e := range envs {
			if got.segment[e] != want.segment[low+e] {
				flips++
				continue
			}
			for column, pair := range map[string][2]float32{"s": {want.s[low+e], got.s[e]}, "n": {want.n[low+e], got.n[e]},
				"n_up": {want.up[low+e], got.up[e]}} {
				coursetest.Close(t, column, pair[:1], pair[1:], 1e-5)
			}
		}
	}
	return flips
}

// TestGolden compares frames with the output of the reference system, on its tracks and lines.
func TestGolden(t *testing.T) {
	file := golden.Open(t, "course_segments.npz")
	tracks := goldenLines(t, file, "track")
	for name, window := range map[string]int{"localize_cold": 0, "localize_warm2": 2, "localize_warm8": 8} {
		assert.Zero(t, drive(t, file, tracks, name, window), "%s: segments that differ", name)
	}
	file = golden.Open(t, "course_gates_posts.npz")
	assert.Zero(t, drive(t, file, goldenLines(t, file, "line"), "frame", 0), "segments that differ")

	file = golden.Open(t, "degenerate.npz")
	device, few := coursetest.OpenCPU(t), goldenLines(t, file, "input")
	localiser := newLocaliser(t, device, few, 1, 0)
	position := coursetest.Upload(t, device, coursetest.Vectors(golden.Array[float32](t, file, "input/position")))
	require.NoError(t, localiser.LocateAt(t.Context(), position))
	got := framesOf(t, localiser)
	assert.Equal(t, golden.Array[int32](t, file, "localize/segment"), got.segment)
	for name, values := range map[string][]float32{"s": got.s, "n": got.n, "n_up": got.up} {
		coursetest.Close(t, name, golden.Array[float32](t, file, "localize/"+name), values, 1e-5)
	}
}
