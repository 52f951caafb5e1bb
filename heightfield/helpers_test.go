package heightfield_test

import (
	"context"
	"hash/fnv"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

func openCPU(t testing.TB, options ...backend.Option) backend.Device {
	t.Helper()
	device, err := backend.Open("cpu", options...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	return device
}

// hilly is a configuration of tracks with heights.
func hilly(envs int) track.Config {
	return tracktest.Config(track.Bezier, envs, func(c *track.Config) {
		c.Elevation.Profile, c.Elevation.Min, c.Elevation.Max = "random_walk", -0.3, 0.3
		c.Elevation.MaxStep = 0.4
	})
}

// tracksOf generates a batch.
func tracksOf(t testing.TB, device backend.Device, c track.Config, with ...track.Option) *track.Batch {
	t.Helper()
	g, err := track.NewGenerator(device, c, with...)
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	batch, err := g.Track().Batch(context.Background())
	require.NoError(t, err)
	return batch
}

// configOf returns a configuration of grids.
func configOf(resolution int, mode string) heightfield.Config {
	c := heightfield.DefaultConfig()
	c.Resolution, c.Blend.Mode = resolution, mode
	return c
}

// bake bakes the grids of a batch.
func bake(t testing.TB, device backend.Device, tracks *track.Batch, c heightfield.Config) *heightfield.Grid {
	t.Helper()
	grid, err := heightfield.Bake(context.Background(), device, tracks, c)
	require.NoError(t, err)
	return grid
}

// bitsOf returns a hash of all bits of each env.
func bitsOf(g *heightfield.Grid) []uint64 {
	list := make([]uint64, g.Envs)
	for e := range list {
		h := fnv.New64a()
		values := append([]float32{g.Low[e].X, g.Low[e].Y, g.High[e].X, g.High[e].Y}, g.Of(e)...)
		for _, v := range values {
			b := math.Float32bits(v)
			h.Write([]byte{byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24)})
		}
		list[e] = h.Sum64()
	}
	return list
}

// batchOf makes a batch of tracks from points. The borders are those of a road of the given half width, to the left
// and right of the way to the next point.
func batchOf(half float32, lines ...[]kernel.Vec3) *track.Batch {
	b := &track.Batch{Envs: len(lines)}
	for _, line := range lines {
		b.NMax = max(b.NMax, len(line))
	}
	nan := kernel.V3(kernel.NaN(), kernel.NaN(), 0)
	for _, line := range lines {
		for i := range b.NMax {
			outer, center, inner := nan, nan, nan
			if i < len(line) {
				center = line[i]
				next := line[(i+1)%len(line)]
				side := kernel.V2(next.Y-center.Y, center.X-next.X)
				if length := side.Len(); length > 0 {
					side = side.Scale(half / length)
				}
				outer = kernel.V3(center.X+side.X, center.Y+side.Y, center.Z)
				inner = kernel.V3(center.X-side.X, center.Y-side.Y, center.Z)
			}
			b.Outer, b.Center, b.Inner = append(b.Outer, outer), append(b.Center, center), append(b.Inner, inner)
		}
		b.Count = append(b.Count, int32(len(line)))
		b.Valid = append(b.Valid, 1)
	}
	return b
}
