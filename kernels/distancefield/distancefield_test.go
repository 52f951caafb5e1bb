package distancefield

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/heightfield"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// loop returns a closed line of n points around the origin, which may have repeated points, points with whole
// coordinates, and hostile ones.
func loop(r *rand.Rand, n int, radius float32, hostile bool) []kernel.Vec3 {
	line := make([]kernel.Vec3, n)
	for i := range line {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		d := radius * (0.8 + 0.4*r.Float32())
		line[i] = kernel.V3(d*float32(cos), d*float32(sin), r.Float32())
		switch {
		case r.IntN(4) == 0:
			line[i] = kernel.V3(float32(r.IntN(9)-4)*0.25, float32(r.IntN(9)-4)*0.25, 0)
		case r.IntN(6) == 0 && i > 0:
			line[i] = line[i-1]
		case r.IntN(9) == 0 && i > 0:
			line[i].Y = line[i-1].Y
		case hostile && r.IntN(20) == 0:
			bad := []float32{kernel.NaN(), kernel.Inf(), -kernel.Inf(), 1e20, 1e-40, -1e17}
			line[i].Y = bad[r.IntN(len(bad))]
		}
	}
	return line
}

// baked bakes the field of one env, with the index, on a CPU.
func baked(t *testing.T, device backend.Device, inner, outer []kernel.Vec3, side int32, padding float32) field {
	t.Helper()
	n := int32(len(outer))
	room := max(n, 3)
	grow := func(line []kernel.Vec3) exec.Array[kernel.Vec3] {
		return array(t, device, append(slices.Clone(line), make([]kernel.Vec3, room-n)...))
	}
	in, out, count := grow(inner), grow(outer), array(t, device, []int32{n})
	active, work := array(t, device, []int32{1, 0}), array(t, device, []int32{heightfield.TilesOf(side, TileSide)})
	index := array(t, device, make([]kernel.Quat, Lines*polyline.Size(room)))
	low, high := array(t, device, make([]kernel.Vec2, 1)), array(t, device, make([]kernel.Vec2, 1))
	phi, boundary := array(t, device, make([]float32, side*side)), array(t, device, make([]int32, side*side))
	require.NoError(t, device.Load(slices.Concat(Defs, polyline.Defs)...))
	lc, err := exec.For(t.Context(), device)
	require.NoError(t, err)
	for line, point := range map[int32]exec.Array[kernel.Vec3]{Inner: in, Outer: out} {
		polyline.Build(lc, 1, polyline.BuildArgs{Active: active, MaxPoints: room, Lines: Lines, Line: line, Point: point,
			Count: count, Index: index})
	}
	Corners(lc, 1, CornersArgs{Active: active, MaxPoints: room, Padding: padding, Outer: out, Count: count, Low: low,
		High: high})
	Bake(lc, int(heightfield.TilesOf(side, TileSide)), BakeArgs{Work: work, Active: active, MaxPoints: room, Side: side,
		Index: index, Low: low, High: high, Phi: phi, Boundary: boundary})
	require.NoError(t, lc.Err())
	return field{low: read(t, low)[0], high: read(t, high)[0], side: int(side), phi: read(t, phi),
		boundary: read(t, boundary)}
}

func array[T kernel.Element](t *testing.T, device backend.Device, values []T) exec.Array[T] {
	t.Helper()
	a, err := exec.FromSlice(device, values)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return a
}

func read[T kernel.Element](t *testing.T, a exec.Array[T]) []T {
	t.Helper()
	values, err := a.Read(t.Context())
	require.NoError(t, err)
	return values
}

// bits returns the bits of numbers.
func bits(values ...float32) []uint32 {
	list := make([]uint32, len(values))
	for i, v := range values {
		list[i] = math.Float32bits(v)
	}
	return list
}

// The search through the index gives the bits of the scan, for tracks of few and of many points, with repeated points,
// with cells that are level with points, and with points that are no numbers.
func TestBakeAgainstTheScan(t *testing.T) {
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	r := rand.New(rand.NewPCG(1, 74))
	inside := 0
	for round := range 400 {
		n := []int{0, 2, 3, 4, 5, 8, 9, 17, 84, 200}[r.IntN(10)]
		hostile := round%3 == 0
		inner, outer := loop(r, n, 0.6, hostile), loop(r, n, 1, hostile && round%2 == 0)
		padding := float32(r.IntN(2)) * 0.25
		side := int32(8 + r.IntN(30))
		want := referenceField(inner, outer, int(side), padding)
		got := baked(t, device, inner, outer, side, padding)
		require.Equal(t, bits(want.low.X, want.low.Y, want.high.X, want.high.Y),
			bits(got.low.X, got.low.Y, got.high.X, got.high.Y), "round %d: corners", round)
		require.Equal(t, want.boundary, got.boundary, "round %d, %d points", round, n)
		require.Equal(t, bits(want.phi...), bits(got.phi...), "round %d, %d points", round, n)
		for _, d := range got.phi {
			if d > 0 {
				inside++
			}
		}
	}
	assert.Greater(t, inside, 1000)
}

func TestQueryAgainstTheRule(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 75))
	out, in := 0, 0
	for round := range 300 {
		n := []int{2, 3, 40}[r.IntN(3)]
		f := referenceField(loop(r, n, 0.6, false), loop(r, n, 1, false), 8+r.IntN(9), 0)
		for range 200 {
			number := func() float32 {
				switch r.IntN(30) {
				case 0:
					return kernel.NaN()
				case 1:
					return 1e20
				case 2:
					return kernel.Inf()
				}
				return r.Float32()*3 - 1.5
			}
			p, h := kernel.V3(number(), number(), number()), kernel.V2(r.Float32()*0.2, float32(r.IntN(2))*0.1)
			q := kernel.Quat{Z: r.Float32(), W: r.Float32()}
			switch r.IntN(8) {
			case 0:
				q = kernel.Quat{X: number(), Y: number(), Z: number(), W: number()}
			case 1:
				q = kernel.Quat{W: 1}
			}
			want := f.query(p, q, h)
			integers, floats, vectors := make([]int32, 2), make([]float32, 1), make([]kernel.Vec2, 2)
			query(0, 1, 1, int32(f.side), []kernel.Vec3{p}, []kernel.Quat{q}, []kernel.Vec2{h}, f.phi, f.boundary,
				[]kernel.Vec2{f.low}, []kernel.Vec2{f.high}, integers, floats, vectors)
			require.Equal(t, []int32{want.oob, want.boundary}, integers, "round %d: %v %v %v", round, p, q, h)
			require.Equal(t, same(want.distance, want.nearest, want.normal), same(floats[0], vectors[Nearest], vectors[Normal]),
				"round %d: %v %v %v", round, p, q, h)
			for _, v := range []float32{floats[0], vectors[0].X, vectors[0].Y, vectors[1].X, vectors[1].Y} {
				require.True(t, v == v || math.Float32bits(v) == kernel.NaNBits)
			}
			out += int(want.oob)
			in += 1 - int(want.oob)
		}
	}
	assert.Greater(t, out, 1000)
	assert.Greater(t, in, 1000)
}

// same returns the bits of numbers, with one NaN.
func same(distance float32, vectors ...kernel.Vec2) []uint32 {
	list := []float32{distance}
	for _, v := range vectors {
		list = append(list, v.X, v.Y)
	}
	for i, v := range list {
		if v != v {
			list[i] = kernel.NaN()
		}
	}
	return bits(list...)
}

// BenchmarkScan is the field of a track by a scan of all segments, to compare with the baking in course/collision.
func BenchmarkScan(b *testing.B) {
	const side = 64
	for _, n := range []int{63, 503} {
		b.Run(fmt.Sprintf("%d points", n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			inner, outer := loop(r, n, 0.8, false), loop(r, n, 1, false)
			for b.Loop() {
				referenceField(inner, outer, side, 0)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/side/side, "ns/cell")
		})
	}
}
