package progress_test

import (
	"context"
	"testing"

	"codeberg.org/sbinet/npyio/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/course/progress"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/internal/golden"
	"github.com/trackgen-go/trackgen/kernel"
)

// goldenSet reads the checkpoints of a file: those of tracks, or gates.
func goldenSet(t *testing.T, file *npz.Reader, group, forward, half string) *checkpoints.HostSet {
	t.Helper()
	vectors := func(name string) []kernel.Vec3 {
		return coursetest.Vectors(golden.Array[float32](t, file, group+"/"+name))
	}
	h := &checkpoints.HostSet{}
	h.Position, h.Left, h.Right, h.Forward = vectors("position"), vectors("left"), vectors("right"), vectors(forward)
	h.UpHalf = golden.Array[float32](t, file, group+"/"+half)
	h.Count = golden.Array[int32](t, file, group+"/count")
	h.Envs = len(h.Count)
	h.MaxCheckpoints = len(h.Position) / h.Envs
	return h
}

// goldenEvents compares events with one step of a file.
func goldenEvents(t *testing.T, file map[string][]int32, distance []float32, step int, got *progress.HostEvents) {
	t.Helper()
	envs := len(got.Passed)
	for _, c := range progress.EventSchema.Host(got) {
		if want := file[c.Name]; want != nil {
			require.Equal(t, want[step*envs:(step+1)*envs], c.Integers(), "%s in step %d", c.Name, step)
		}
	}
	coursetest.SameBits(t, "dist_to_next", distance[step*envs:(step+1)*envs], got.DistToNext)
}

// TestGolden drives the cars of the reference system past its checkpoints. Every integer is equal: no step of these
// files is so near to a plane or to the end of an opening that rounding decides.
func TestGolden(t *testing.T) {
	for name, set := range map[string][3]string{
		"course_segments.npz":    {"checkpoints", "tangent", "up_half"},
		"course_gates_posts.npz": {"gates", "forward", "half_size"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, device, file := context.Background(), coursetest.OpenCPU(t), golden.Open(t, name)
			source := goldenSet(t, file, set[0], set[1], set[2])
			tracker := newTracker(t, device, upload(t, device, source), 1)
			events := map[string][]int32{}
			for _, c := range progress.EventSchema.Columns() {
				if c.Type == kernel.Int32 && c.Name != "place" {
					events[c.Name] = golden.Array[int32](t, file, "events/"+c.Name)
				}
			}
			assert.Len(t, events, 7)
			distance := golden.Array[float32](t, file, "events/dist_to_next")
			for i, d := range distance {
				if kernel.IsNaN(d) {
					distance[i] = kernel.NaN()
				}
			}
			way := coursetest.Vectors(golden.Array[float32](t, file, "input/position"))
			resets := golden.Array[int32](t, file, "input/reset_before_step")
			position := coursetest.Upload(t, device, way[:source.Envs])
			mask := coursetest.Upload(t, device, resets[:source.Envs])
			require.NoError(t, tracker.Bind(position))
			for step := range len(way) / source.Envs {
				at, to := step*source.Envs, (step+1)*source.Envs
				require.NoError(t, mask.Write(ctx, resets[at:to]))
				require.NoError(t, tracker.Reset(ctx, mask))
				require.NoError(t, position.Write(ctx, way[at:to]))
				_, err := tracker.Update(ctx)
				require.NoError(t, err)
				got, _ := read(t, tracker)
				goldenEvents(t, events, distance, step, got)
			}
		})
	}
}

// TestGoldenDegenerate makes one update on tracks of few points and on tracks that are not valid.
func TestGoldenDegenerate(t *testing.T) {
	device, file := coursetest.OpenCPU(t), golden.Open(t, "degenerate.npz")
	tracker := newTracker(t, device, upload(t, device, goldenSet(t, file, "checkpoints", "tangent", "up_half")), 1)
	position := coursetest.Upload(t, device, coursetest.Vectors(golden.Array[float32](t, file, "input/position")))
	_, err := tracker.UpdateAt(context.Background(), position)
	require.NoError(t, err)
	events := map[string][]int32{}
	for _, c := range progress.EventSchema.Columns() {
		if c.Type == kernel.Int32 && c.Name != "place" {
			events[c.Name] = golden.Array[int32](t, file, "events/"+c.Name)
		}
	}
	distance := golden.Array[float32](t, file, "events/dist_to_next")
	for i, d := range distance {
		if kernel.IsNaN(d) {
			distance[i] = kernel.NaN()
		}
	}
	got, _ := read(t, tracker)
	goldenEvents(t, events, distance, 0, got)
}
