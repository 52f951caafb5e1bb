package export

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

var nan = float32(math.NaN())

// newBatch returns a batch of empty tracks, padded with NaN.
func newBatch(envs, nMax int) *track.Batch {
	b := track.NewBatch(envs, nMax)
	for _, array := range [][]kernel.Vec3{b.Outer, b.Center, b.Inner, b.Tangent, b.Normal} {
		for i := range array {
			array[i] = kernel.V3(nan, nan, nan)
		}
	}
	for i := range b.Arclen {
		b.Arclen[i] = nan
	}
	return b
}

// curve returns the point of the centreline at u in [0, 1).
type curve func(u float64) (x, y float64)

func circle(radius float64) curve {
	return func(u float64) (float64, float64) {
		return radius * math.Cos(2*math.Pi*u), radius * math.Sin(2*math.Pi*u)
	}
}

// wavy returns a circle with a varying radius, run clockwise.
func wavy(radius, depth float64, waves int, phase float64) curve {
	return func(u float64) (float64, float64) {
		angle := -2 * math.Pi * u
		r := radius * (1 + depth*math.Sin(float64(waves)*angle+phase) + depth/2*math.Cos(2*angle-phase))
		return r * math.Cos(angle), 0.8 * r * math.Sin(angle)
	}
}

// lemniscate returns a curve that crosses itself.
func lemniscate(size float64) curve {
	return func(u float64) (float64, float64) {
		s, c := math.Sincos(2 * math.Pi * u)
		return size * c / (1 + s*s), 1.4 * size * s * c / (1 + s*s)
	}
}

// setTrack stores a track of n points along the curve in env e.
func setTrack(b *track.Batch, e, n int, halfWidth float64, at curve) {
	const h = 1e-5
	area, length := 0.0, 0.0
	for i := range n {
		u := float64(i) / float64(n)
		x, y := at(u)
		x1, y1 := at(u + h)
		x0, y0 := at(u - h)
		d := math.Hypot(x1-x0, y1-y0)
		tx, ty := (x1-x0)/d, (y1-y0)/d
		k := e*b.NMax + i
		b.Center[k] = kernel.V3(float32(x), float32(y), 0)
		b.Tangent[k] = kernel.V3(float32(tx), float32(ty), 0)
		b.Normal[k] = kernel.V3(float32(-ty), float32(tx), 0)
		b.Inner[k] = kernel.V3(float32(x-halfWidth*ty), float32(y+halfWidth*tx), 0)
		b.Outer[k] = kernel.V3(float32(x+halfWidth*ty), float32(y-halfWidth*tx), 0)
		b.Arclen[k] = float32(length)
		nx, ny := at(float64(i+1) / float64(n))
		length += math.Hypot(nx-x, ny-y)
		area += x*ny - nx*y
	}
	b.Count[e], b.Valid[e], b.Length[e] = int32(n), 1, float32(length)
	b.Winding[e] = 1
	if area < 0 {
		b.Winding[e] = -1
		for i := range n {
			k := e*b.NMax + i
			b.Inner[k], b.Outer[k] = b.Outer[k], b.Inner[k]
		}
	}
}

func invalidate(b *track.Batch, e int, reason track.Reason) { b.Valid[e], b.Reason[e] = 0, reason }

// sampleBatch holds tracks of every kind: valid, invalid, empty, with numbers that are not finite, and with a full row.
func sampleBatch() *track.Batch {
	b := newBatch(7, 96)
	setTrack(b, 0, 64, 0.1, circle(0.5))
	setTrack(b, 1, 90, 0.1, wavy(0.5, 0.15, 3, 0.4))
	setTrack(b, 2, 80, 0.1, lemniscate(0.6))
	invalidate(b, 2, track.ReasonTurning|track.ReasonSeparation)
	invalidate(b, 3, track.ReasonEmpty)
	setTrack(b, 4, 50, 0.1, circle(0.4))
	b.Center[4*b.NMax+3].X = nan
	b.Outer[4*b.NMax+7].Y = float32(math.Inf(1))
	b.Arclen[4*b.NMax+9] = math.Float32frombits(0x7fc01234)
	b.Length[4] = float32(math.Inf(-1))
	invalidate(b, 4, track.ReasonNotFinite)
	setTrack(b, 5, 96, 0.05, wavy(0.6, 0.2, 5, 1))
	setTrack(b, 6, 40, 0.1, circle(0.05))
	invalidate(b, 6, track.ReasonCurvature)
	for e := range b.Envs {
		b.Seed[e], b.Epoch[e] = int32(1234+e), int32(e/5)
		b.Candidate[e], b.Component[e] = int32(e%3), int32(e/3)
	}
	b.Seed[1], b.Seed[2] = math.MinInt32, math.MaxInt32
	return b
}

// slice returns envs lo to hi-1 as a separate batch.
func slice(b *track.Batch, lo, hi int) *track.Batch {
	out := new(track.Batch)
	for e := lo; e < hi; e++ {
		if err := out.Append(b, e); err != nil {
			panic(err)
		}
	}
	if out.NMax == 0 {
		return newBatch(0, b.NMax)
	}
	return out
}

// words returns the bytes of all columns of a batch.
func words(b *track.Batch) []byte {
	var out []byte
	for _, c := range track.Schema.Host(&b.HostColumns) {
		out = c.AppendWords(out, 0, c.Len())
	}
	return out
}

func sampleMetadata() Metadata {
	config := tracktest.Config(track.Polar, 1, func(c *track.Config) {
		c.Road.HalfWidth = 0.125
		c.Bezier.HandleLength = 0.0
		c.Bezier.ScaleRange = track.Range{Min: 0.5, Max: 2}
	})
	return Metadata{Version: "v0.0.0-test", Device: "cpu", Config: config.Resolved()}
}

// writeNPZ writes b in chunks with the given numbers of envs and returns the path.
func writeNPZ(t testing.TB, b *track.Batch, chunks []int, options ...NPZOption) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tracks.npz")
	w, err := NewNPZWriter(path, ShapeOf(b), sampleMetadata(), options...)
	require.NoError(t, err)
	appendChunks(t, w, b, chunks)
	require.NoError(t, w.Commit(context.Background()))
	require.NoError(t, w.Abort())
	return path
}

type appender interface {
	Append(context.Context, *track.Batch) error
}

func appendChunks(t testing.TB, w appender, b *track.Batch, chunks []int) {
	t.Helper()
	lo := 0
	for _, n := range chunks {
		require.NoError(t, w.Append(context.Background(), slice(b, lo, lo+n)))
		lo += n
	}
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return data
}

// requireFiles checks that a folder holds exactly the given files, including hidden ones.
func requireFiles(t testing.TB, folder string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	have := []string{}
	for _, entry := range entries {
		have = append(have, entry.Name())
	}
	require.ElementsMatch(t, names, have)
}
