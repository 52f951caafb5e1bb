package props_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"codeberg.org/sbinet/npyio/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/props"
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
func goldenSource(t *testing.T, device backend.Device, file *npz.Reader, group string) props.Source {
	t.Helper()
	return props.Source{
		Outer: coursetest.Upload(t, device, vectors(t, file, group+"/outer")),
		Inner: coursetest.Upload(t, device, vectors(t, file, group+"/inner")),
		Count: coursetest.Upload(t, device, golden.Array[int32](t, file, group+"/count")),
		Valid: coursetest.Upload(t, device, golden.Array[int32](t, file, group+"/valid")),
	}
}

// requireGolden compares props with those of a file, whose rows are those of the longest env alone. Angles and
// directions may differ by tolerance, because they depend on the library of functions.
func requireGolden(t *testing.T, file *npz.Reader, group string, got *props.HostProps) {
	t.Helper()
	require.Equal(t, golden.Array[int32](t, file, group+"/count"), got.Count)
	require.Equal(t, golden.Array[int32](t, file, group+"/truncated"), got.Truncated)
	position, tangent := vectors(t, file, group+"/position"), golden.Array[float32](t, file, group+"/tangent")
	yaw, length := golden.Array[float32](t, file, group+"/yaw"), golden.Array[float32](t, file, group+"/length")
	step := golden.Array[float32](t, file, group+"/step")
	rows := len(yaw) / got.Envs
	same := func(a, b float32) bool { return a == b || kernel.IsNaN(a) && kernel.IsNaN(b) }
	for e := range got.Envs {
		require.True(t, same(step[e], got.Step[e]), "step of env %d", e)
		for k := range got.MaxProps {
			from, to := e*rows+k, e*got.MaxProps+k
			if k >= rows {
				require.True(t, kernel.IsNaN(got.Length[to]))
				continue
			}
			a, b := position[from], got.Position[to]
			require.True(t, same(a.X, b.X) && same(a.Y, b.Y) && same(a.Z, b.Z), "position %d of env %d", k, e)
			require.True(t, same(length[from], got.Length[to]), "length %d of env %d", k, e)
			require.True(t, same(tangent[2*from], got.Tangent[to].X) && same(tangent[2*from+1], got.Tangent[to].Y),
				"tangent %d of env %d", k, e)
			if !same(yaw[from], got.Yaw[to]) {
				require.InDelta(t, 0, math.Remainder(float64(yaw[from])-float64(got.Yaw[to]), 2*math.Pi), 5e-7,
					"yaw %d of env %d", k, e)
			}
		}
	}
}

// TestGolden compares props with the output of the reference system, from the tracks of the reference system.
func TestGolden(t *testing.T) {
	file := golden.Open(t, "utilities_flat.npz")
	device, cases := coursetest.OpenCPU(t), 0
	source := goldenSource(t, device, file, "track")
	for _, key := range file.Keys() {
		name, isConfig := strings.CutSuffix(key, "/config.npy")
		if !isConfig || !strings.HasPrefix(name, "props/") {
			continue
		}
		cases++
		t.Run(strings.TrimPrefix(name, "props/"), func(t *testing.T) {
			var text string
			require.NoError(t, file.Read(key, &text))
			var c struct {
				Spacing        float64
				Boundary, Mode string
				Max            int `json:"max_props"`
			}
			require.NoError(t, json.Unmarshal([]byte(text), &c))
			settings := props.Config{Spacing: c.Spacing, Boundary: c.Boundary, Mode: c.Mode, MaxProps: c.Max}
			requireGolden(t, file, name, read(t, newSampler(t, device, source, settings)))
		})
	}
	assert.Equal(t, 6, cases)
}

// TestGoldenDegenerate compares props of tracks of few points and of tracks that are not valid.
func TestGoldenDegenerate(t *testing.T) {
	file, device := golden.Open(t, "degenerate.npz"), coursetest.OpenCPU(t)
	c := props.DefaultConfig()
	c.Spacing = 0.3
	requireGolden(t, file, "props", read(t, newSampler(t, device, goldenSource(t, device, file, "input"), c)))
}
