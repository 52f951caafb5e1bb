package heightfield_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// cornersOf returns the corners of the grid of an env as C-20 has them.
func cornersOf(b *track.Batch, e int, padding float32) (low, high kernel.Vec2) {
	n := int(b.Count[e])
	if n < 3 {
		return kernel.V2(-1, -1), kernel.V2(1, 1)
	}
	first := b.Outer[e*b.NMax]
	low, high = kernel.V2(first.X, first.Y), kernel.V2(first.X, first.Y)
	for _, p := range b.Outer[e*b.NMax : e*b.NMax+n] {
		low, high = kernel.V2(min(low.X, p.X), min(low.Y, p.Y)), kernel.V2(max(high.X, p.X), max(high.Y, p.Y))
	}
	if padding == 0 {
		padding = float32(0.1) * max(high.X-low.X, high.Y-low.Y)
	}
	return kernel.V2(low.X-padding, low.Y-padding), kernel.V2(high.X+padding, high.Y+padding)
}

// nearestOf searches all segments of an env for the one nearest to a point, as C-21 says, and returns the squared
// distance and the height.
func nearestOf(b *track.Batch, e int, p kernel.Vec2) (squared, height float32) {
	n := int(b.Count[e])
	line := b.Center[e*b.NMax : e*b.NMax+n]
	squared = float32(math.Inf(1))
	for i, from := range line {
		to := line[(i+1)%n]
		a, d := kernel.V2(from.X, from.Y), kernel.V2(to.X-from.X, to.Y-from.Y)
		u := kernel.Clamp(p.Sub(a).Dot(d)/max(d.Dot(d), 1e-12), 0, 1)
		away := p.Sub(kernel.V2(a.X+float32(d.X*u), a.Y+float32(d.Y*u)))
		if s := away.Dot(away); s < squared {
			squared, height = s, from.Z+float32((to.Z-from.Z)*u)
		}
	}
	return squared, height
}

// referenceOf bakes grids with a test of every segment for every cell.
func referenceOf(b *track.Batch, c heightfield.Config) *heightfield.Grid {
	g := &heightfield.Grid{Envs: b.Envs, Resolution: c.Resolution}
	for e := range b.Envs {
		low, high := cornersOf(b, e, float32(c.Padding))
		g.Low, g.High = append(g.Low, low), append(g.High, high)
		for y := range c.Resolution {
			for x := range c.Resolution {
				z := kernel.NaN()
				if b.Valid[e] != 0 && b.Count[e] >= 3 {
					_, z = nearestOf(b, e, kernel.V2(
						low.X+float32((float32(x)+0.5)/float32(c.Resolution)*(high.X-low.X)),
						low.Y+float32((float32(y)+0.5)/float32(c.Resolution)*(high.Y-low.Y))))
				}
				g.Height = append(g.Height, z)
			}
		}
	}
	return g
}

type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// requireSame compares every bit of two batches of grids.
func requireSame(t tester, want, got *heightfield.Grid) {
	t.Helper()
	for e := range want.Envs {
		if want.Low[e] != got.Low[e] || want.High[e] != got.High[e] {
			t.Fatalf("env %d: corners %v %v, want %v %v", e, got.Low[e], got.High[e], want.Low[e], want.High[e])
		}
	}
	for i := range want.Height {
		if w, g := math.Float32bits(want.Height[i]), math.Float32bits(got.Height[i]); w != g {
			t.Fatalf("cell %d: %v (%#x), want %v (%#x)", i, got.Height[i], g, want.Height[i], w)
		}
	}
}

// The search with boxes has the bits of a search through all segments, on tracks of every generator.
func TestNearestHasTheBitsOfAFullSearch(t *testing.T) {
	device := openCPU(t)
	for _, generator := range []string{track.Bezier, track.Hull, track.Polar, track.Voronoi, track.Checkpoint} {
		tracks := hilly(4)
		tracks.Generator = generator
		batch := tracksOf(t, device, tracks)
		batch.Valid[2] = 0
		for _, c := range []heightfield.Config{configOf(33, heightfield.Nearest), {Resolution: 8, Padding: 2.5,
			Blend: heightfield.BlendConfig{Mode: heightfield.Nearest}}} {
			t.Run(fmt.Sprint(generator, c.Resolution), func(t *testing.T) {
				requireSame(t, referenceOf(batch, c), bake(t, device, batch, c))
			})
		}
	}
}

// The bits are also equal for lines that no generator makes: segments without length, that lie on each other, that are
// equally near, or far from the origin.
func TestNearestOfAnyLine(t *testing.T) {
	device := openCPU(t)
	rapid.Check(t, func(t *rapid.T) {
		shift := rapid.SampledFrom([]float32{0, 1, -1000, 1e6}).Draw(t, "shift")
		whole := rapid.Bool().Draw(t, "whole")
		coordinate := rapid.Custom(func(t *rapid.T) float32 {
			if whole {
				return shift + float32(rapid.IntRange(-4, 4).Draw(t, "whole number"))
			}
			return shift + rapid.Float32Range(-2, 2).Draw(t, "number")
		})
		line := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) kernel.Vec3 {
			return kernel.V3(coordinate.Draw(t, "x"), coordinate.Draw(t, "y"), rapid.Float32Range(-1, 1).Draw(t, "z"))
		}), 0, rapid.SampledFrom([]int{2, 9, 80, 600}).Draw(t, "points"))
		lines := [][]kernel.Vec3{line.Draw(t, "line"), line.Draw(t, "other line"), {{X: 1}, {X: 2}, {X: 1, Y: 1}}}
		batch := batchOf(0.1, lines...)
		c := configOf(rapid.IntRange(8, 20).Draw(t, "resolution"), heightfield.Nearest)
		grid, err := heightfield.Bake(t.Context(), device, batch, c)
		if err != nil {
			t.Fatal(err)
		}
		requireSame(t, referenceOf(batch, c), grid)
	})
}

// Of segments that are equally near, the first one counts, also if they are in different boxes: two laps of a square
// whose second lap is higher, and whose laps begin at different places within a box.
func TestTheFirstOfEqualSegments(t *testing.T) {
	const side, lap = 19, 76
	var line []kernel.Vec3
	for i := range 2*lap - 1 {
		k, z := i%lap, float32(i/lap)
		corners := [...]kernel.Vec3{
			{X: float32(k), Z: z}, {X: side, Y: float32(k - side), Z: z},
			{X: float32(3*side - k), Y: side, Z: z}, {Y: float32(4*side - k), Z: z},
		}
		line = append(line, corners[k/side])
	}
	batch := batchOf(0.1, line)
	for _, resolution := range []int{8, 23, 64} {
		c := configOf(resolution, heightfield.Nearest)
		requireSame(t, referenceOf(batch, c), bake(t, openCPU(t), batch, c))
	}
}

// A track that is not valid or has fewer than 3 points has corners, and no heights.
func TestTracksWithoutHeights(t *testing.T) {
	triangle := []kernel.Vec3{{X: 1}, {X: 4, Z: 1}, {X: 1, Y: 2, Z: 2}}
	batch := batchOf(0, triangle, triangle, triangle[:2], nil)
	batch.Valid = []int32{1, 0, 1, 0}
	for _, mode := range []string{heightfield.Nearest, heightfield.Smooth} {
		grid := bake(t, openCPU(t), batch, configOf(8, mode))
		require.Equal(t, []kernel.Vec2{{X: 0.7, Y: -0.3}, {X: 0.7, Y: -0.3}, {X: -1, Y: -1}, {X: -1, Y: -1}}, grid.Low)
		require.Equal(t, []kernel.Vec2{{X: 4.3, Y: 2.3}, {X: 4.3, Y: 2.3}, {X: 1, Y: 1}, {X: 1, Y: 1}}, grid.High)
		for e := range 4 {
			for _, z := range grid.Of(e) {
				require.Equal(t, e == 0, z == z, "env %d has %v", e, z)
				if e > 0 {
					require.Equal(t, uint32(kernel.NaNBits), math.Float32bits(z))
				}
			}
		}
	}
}

// TestKernelsHaveNoRaces runs the instrumented twins, which check every index and detect races.
func TestKernelsHaveNoRaces(t *testing.T) {
	device := openCPU(t, backend.Debug(true))
	batch := tracksOf(t, openCPU(t), hilly(2))
	for _, mode := range []string{heightfield.Nearest, heightfield.Smooth} {
		requireSame(t, bake(t, openCPU(t), batch, configOf(21, mode)), bake(t, device, batch, configOf(21, mode)))
	}
}

// A point of the outer border that is NaN does not decide over the corners of the grid, wherever it is in the row.
func TestCornersWithoutNaN(t *testing.T) {
	nan := kernel.NaN()
	for at := range 4 {
		b := batchOf(0, []kernel.Vec3{{X: -1, Y: -1}, {X: 1, Y: -1}, {X: 1, Y: 1}, {X: -1, Y: 1}})
		b.Outer = []kernel.Vec3{{X: -1, Y: -2}, {X: 3, Y: -2}, {X: 3, Y: 4}, {X: -1, Y: 4}}
		b.Outer[at] = kernel.V3(nan, nan, 0)
		c := configOf(8, heightfield.Nearest)
		c.Padding = 1
		grid := bake(t, openCPU(t), b, c)
		require.Equal(t, kernel.V2(-2, -3), grid.Low[0], "NaN at %d", at)
		require.Equal(t, kernel.V2(4, 5), grid.High[0], "NaN at %d", at)
	}
}
