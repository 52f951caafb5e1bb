package collision_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/internal/golden"
	"github.com/trackgen-go/trackgen/kernel"
)

// atVertex reports whether a point is within 1e-5 of a point of the borders (class V of the notes on rounding).
func atVertex(p kernel.Vec2, lines ...[]kernel.Vec3) bool {
	for _, line := range lines {
		for _, v := range line {
			if plan(v).Sub(p).Len() < 1e-5 {
				return true
			}
		}
	}
	return false
}

// TestGoldenBorders drives the boxes of the reference system along its tracks.
func TestGoldenBorders(t *testing.T) {
	reference, device := golden.Open(t, "course_segments.npz"), coursetest.OpenCPU(t, backend.Workers(1))
	numbers := func(name string) []float32 { return golden.Array[float32](t, reference, name) }
	integers := func(name string) []int32 { return golden.Array[int32](t, reference, name) }
	r := &roads{outer: vec3s(t, numbers("track/outer")), center: vec3s(t, numbers("track/center")),
		inner: vec3s(t, numbers("track/inner")), count: integers("track/count")}
	r.stride = len(r.center) / len(r.count)
	position, turn := vec3s(t, numbers("input/box_position")), quats(numbers("input/orientation"))
	half := vec2s(numbers("input/half_extents"))
	oob, boundary, distance := integers("contacts/oob"), integers("contacts/boundary"), numbers("contacts/distance")
	nearest, normal := vec2s(numbers("contacts/nearest")), vec2s(numbers("contacts/normal"))
	n := len(half)
	b := bordersOf(t, device, r.source(t, device), collision.BordersConfig{Boxes: 2})
	inputs := boxInputsOf(t, device, boxScene{position[:n], turn[:n], half})
	steps, paused, vertices, grazed := len(position)/n, 0, 0, 0
	for k := range steps {
		low, high := k*n, (k+1)*n
		inputs.write(boxScene{position[low:high], turn[low:high], half})
		got := answersOf(t, b, inputs)
		require.Equal(t, oob[low:high], got.OutOfBounds, "step %d", k)
		for i := range n {
			at := low + i
			if kernel.IsNaN(distance[at]) {
				paused++
				require.True(t, kernel.IsNaN(got.Distance[i]) && kernel.IsNaN(got.Nearest[i].Y) && kernel.IsNaN(got.Normal[i].X))
				require.Equal(t, boundary[at], got.Boundary[i])
				continue
			}
			require.InDelta(t, distance[at], got.Distance[i], 2e-6, "step %d, box %d", k, i)
			if boundary[at] == got.Boundary[i] && nearest[at].Sub(got.Nearest[i]).Len() < 1e-5 &&
				normal[at].Sub(got.Normal[i]).Len() < 1e-4 {
				continue
			}
			env := i / 2 * r.stride
			end := env + int(r.count[i/2])
			if atVertex(got.Nearest[i], r.inner[env:end], r.outer[env:end]) {
				require.Equal(t, boundary[at], got.Boundary[i], "step %d, box %d", k, i)
				require.InDelta(t, 0, nearest[at].Sub(got.Nearest[i]).Len(), 1e-5, "step %d, box %d", k, i)
				vertices++
				continue
			}
			grazed++ // X: another segment is the first of those that the box crosses
			require.Equal(t, []int32{1, 1}, []int32{oob[at], got.OutOfBounds[i]}, "step %d, box %d: %v, not %v %v %v", k, i,
				contactAt(got, i), boundary[at], nearest[at], normal[at])
		}
	}
	t.Logf("%d boxes, %d of them paused; the normal of %d is that of the other segment at a vertex, %d graze a segment",
		steps*n, paused, vertices, grazed)
	assert.Equal(t, 3200, steps*n)
	assert.LessOrEqual(t, vertices, 29)
	assert.Zero(t, grazed)
}

// TestGoldenDegenerateBorders asks about tracks of few points, one of which is marked invalid.
func TestGoldenDegenerateBorders(t *testing.T) {
	reference, device := golden.Open(t, "degenerate.npz"), coursetest.OpenCPU(t, backend.Workers(1))
	numbers := func(name string) []float32 { return golden.Array[float32](t, reference, name) }
	r := &roads{outer: vec3s(t, numbers("input/outer")), center: vec3s(t, numbers("input/center")),
		inner: vec3s(t, numbers("input/inner")), count: golden.Array[int32](t, reference, "input/count")}
	s := boxScene{position: vec3s(t, numbers("input/position"))}
	for range s.position {
		s.turn, s.half = append(s.turn, kernel.Quat{W: 1}), append(s.half, kernel.V2(0.02, 0.02))
	}
	got := answersOf(t, bordersOf(t, device, r.source(t, device), collision.BordersConfig{}), boxInputsOf(t, device, s))
	require.Equal(t, golden.Array[int32](t, reference, "segments/oob"), got.OutOfBounds)
	require.Equal(t, golden.Array[int32](t, reference, "segments/boundary"), got.Boundary)
	check := func(name string, tolerance float64, got ...float32) {
		want := numbers("segments/" + name)
		require.Len(t, got, len(want))
		for i := range want {
			if want[i] != want[i] {
				require.Equal(t, math.Float32bits(kernel.NaN()), math.Float32bits(got[i]), "%s %d", name, i)
			} else {
				require.InDelta(t, want[i], got[i], tolerance, "%s %d", name, i)
			}
		}
	}
	check("distance", 2e-6, got.Distance...)
	check("nearest", 1e-5, pairs(got.Nearest)...)
	check("normal", 1e-4, pairs(got.Normal)...)
}

func pairs(list []kernel.Vec2) (numbers []float32) {
	for _, p := range list {
		numbers = append(numbers, p.X, p.Y)
	}
	return numbers
}
