package checkpoints_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"codeberg.org/sbinet/npyio/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/internal/golden"
	"github.com/trackgen-go/trackgen/kernel"
)

// vectors reads an array of points of a file.
func vectors(t *testing.T, file *npz.Reader, name string) []kernel.Vec3 {
	t.Helper()
	list := golden.Array[float32](t, file, name)
	points := make([]kernel.Vec3, len(list)/3)
	for i := range points {
		points[i] = kernel.V3(list[3*i], list[3*i+1], list[3*i+2])
	}
	return points
}

// goldenSource uploads the tracks of a file.
func goldenSource(t *testing.T, device backend.Device, file *npz.Reader, group string) checkpoints.Source {
	t.Helper()
	return checkpoints.Source{
		Outer:  coursetest.Upload(t, device, vectors(t, file, group+"/outer")),
		Center: coursetest.Upload(t, device, vectors(t, file, group+"/center")),
		Inner:  coursetest.Upload(t, device, vectors(t, file, group+"/inner")),
		Count:  coursetest.Upload(t, device, golden.Array[int32](t, file, group+"/count")),
		Valid:  coursetest.Upload(t, device, golden.Array[int32](t, file, group+"/valid")),
	}
}

// goldenSet reads checkpoints. Their rows are those of the longest env alone.
func goldenSet(t *testing.T, file *npz.Reader, group string) sampled {
	t.Helper()
	s := sampled{HostSet: &checkpoints.HostSet{}}
	s.Position, s.Left = vectors(t, file, group+"/position"), vectors(t, file, group+"/left")
	s.Right, s.Forward = vectors(t, file, group+"/right"), vectors(t, file, group+"/tangent")
	s.UpHalf = golden.Array[float32](t, file, group+"/up_half")
	s.Count, s.truncated = golden.Array[int32](t, file, group+"/count"), golden.Array[int32](t, file, group+"/truncated")
	s.step = golden.Array[float32](t, file, group+"/step")
	s.Envs = len(s.Count)
	s.MaxCheckpoints = len(s.Position) / s.Envs
	return s
}

// sameNumber compares two numbers with every bit, where all NaNs are one.
func sameNumber(a, b float32) bool { return a == b || math.IsNaN(float64(a)) && math.IsNaN(float64(b)) }

// requireGolden compares checkpoints. What the library has beyond the rows of the file is NaN.
func requireGolden(t *testing.T, want, got sampled) {
	t.Helper()
	require.Equal(t, want.Count, got.Count)
	require.Equal(t, want.truncated, got.truncated)
	for e := range want.Envs {
		require.True(t, sameNumber(want.step[e], got.step[e]), "step of env %d", e)
		for k := range got.MaxCheckpoints {
			at, to := e*want.MaxCheckpoints+k, e*got.MaxCheckpoints+k
			if k >= want.MaxCheckpoints {
				require.True(t, kernel.IsNaN(got.UpHalf[to]))
				continue
			}
			require.True(t, sameNumber(want.UpHalf[at], got.UpHalf[to]), "up_half %d of env %d", k, e)
			for name, pair := range map[string][2]kernel.Vec3{
				"position": {want.Position[at], got.Position[to]}, "left": {want.Left[at], got.Left[to]},
				"right": {want.Right[at], got.Right[to]}, "forward": {want.Forward[at], got.Forward[to]},
			} {
				a, b := pair[0], pair[1]
				require.True(t, sameNumber(a.X, b.X) && sameNumber(a.Y, b.Y) && sameNumber(a.Z, b.Z),
					"%s %d of env %d: %v, %v", name, k, e, a, b)
			}
		}
	}
}

// TestGolden compares checkpoints with the output of the reference system, from the tracks of the reference system.
func TestGolden(t *testing.T) {
	file := golden.Open(t, "utilities_flat.npz")
	device, cases := coursetest.OpenCPU(t), 0
	source := goldenSource(t, device, file, "track")
	for _, key := range file.Keys() {
		name, isConfig := strings.CutSuffix(key, "/config.npy")
		if !isConfig || !strings.HasPrefix(name, "checkpoints/") {
			continue
		}
		cases++
		t.Run(strings.TrimPrefix(name, "checkpoints/"), func(t *testing.T) {
			var text string
			require.NoError(t, file.Read(key, &text))
			var c struct {
				Spacing float64 `json:"spacing"`
				Max     int     `json:"max_checkpoints"`
			}
			require.NoError(t, json.Unmarshal([]byte(text), &c))
			s := newSampler(t, device, source, checkpoints.Config{Spacing: c.Spacing, MaxCheckpoints: c.Max})
			requireGolden(t, goldenSet(t, file, name), read(t, s))
		})
	}
	assert.Equal(t, 4, cases)
}

// TestGoldenDegenerate compares checkpoints of tracks of few points and of tracks that are not valid.
func TestGoldenDegenerate(t *testing.T) {
	file, device := golden.Open(t, "degenerate.npz"), coursetest.OpenCPU(t)
	s := newSampler(t, device, goldenSource(t, device, file, "input"), checkpoints.Config{Spacing: 0.6})
	requireGolden(t, goldenSet(t, file, "checkpoints"), read(t, s))
}

// TestGoldenCourse compares the checkpoints of the course on which the cars of package progress drive.
func TestGoldenCourse(t *testing.T) {
	file, device := golden.Open(t, "course_segments.npz"), coursetest.OpenCPU(t)
	s := newSampler(t, device, goldenSource(t, device, file, "track"), checkpoints.Config{Spacing: 0.6})
	requireGolden(t, goldenSet(t, file, "checkpoints"), read(t, s))
}
