package relaxation_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
	"github.com/trackgen-go/trackgen/kernels/variation"
)

// settings are the parameters of one relaxation.
type settings struct {
	stride                        int32
	band, sweeps, refresh, slots  int32
	accelerated, smooth, spacings int32
}

// variant is one of the kernels.
type variant int

const (
	small variant = iota
	shared
	large
)

// relax runs a variant over the loops, one per env, and returns the relaxed points and the dropped count.
func relax(
	t require.TestingT, device backend.Device, s settings, loops [][]kernel.Vec2, v variant,
) ([]kernel.Vec2, int32) {
	var arrays []interface{ Close() error }
	defer func() {
		for _, a := range arrays {
			require.NoError(t, a.Close())
		}
	}()
	envs := len(loops)
	total := envs * int(s.stride)
	flat := make([]kernel.Vec2, total)
	counts := make([]int32, envs)
	for e, loop := range loops {
		copy(flat[e*int(s.stride):], loop)
		counts[e] = int32(len(loop))
	}
	weights := make([]float32, s.sweeps)
	for i := range weights {
		weights[i] = testOmega
	}
	args := relaxation.RelaxArgs{
		Active: given(device, &arrays, everyone(envs)), Stride: s.stride, Point: given(device, &arrays, flat),
		Count: given(device, &arrays, counts), PerEnv: 0,
		Size: given(device, &arrays, []float32{variation.HalfWidth: testHalfWidth, variation.Target: testTarget,
			variation.Reach: testReach, variation.MinRadius: testMinRadius, variation.Thickness: 0}),
		Band: s.band, Sweeps: s.sweeps, Refresh: s.refresh, Slots: s.slots,
		FirstAccelerated: s.accelerated, SmoothPasses: s.smooth, SpacingSweeps: s.spacings,
		WeightSeparation: 1, WeightSpacing: 1, WeightBend: testBending, Gamma: testGamma,
		Omega:   given(device, &arrays, weights),
		Relaxed: given(device, &arrays, make([]kernel.Vec2, total)), Dropped: given(device, &arrays, []int32{0}),
	}
	lc, err := exec.For(context.Background(), device)
	require.NoError(t, err)
	switch v {
	case small:
		relaxation.RelaxSmall(lc, envs, relaxation.RelaxSmallArgs(args))
	case shared:
		relaxation.Relax(lc, envs, args)
	case large:
		boxes := envs * ((int(s.stride) + relaxation.BlockSize - 1) / relaxation.BlockSize)
		relaxation.RelaxLarge(lc, envs, relaxation.RelaxLargeArgs{
			Active: args.Active, Stride: args.Stride, Point: args.Point, Count: args.Count, PerEnv: args.PerEnv,
			Size: args.Size, Band: args.Band, Sweeps: args.Sweeps, Refresh: args.Refresh, Slots: args.Slots,
			FirstAccelerated: args.FirstAccelerated, SmoothPasses: args.SmoothPasses, SpacingSweeps: args.SpacingSweeps,
			WeightSeparation: args.WeightSeparation, WeightSpacing: args.WeightSpacing, WeightBend: args.WeightBend,
			Gamma: args.Gamma, Omega: args.Omega,
			X:          given(device, &arrays, make([]kernel.Vec2, 2*total)),
			Pull:       given(device, &arrays, make([]kernel.Vec2, total)),
			Edge:       given(device, &arrays, make([]float32, total)),
			CloseBeads: given(device, &arrays, make([]int32, max(1, total*int(s.slots)))),
			CloseCount: given(device, &arrays, make([]int32, total)),
			BoxLo:      given(device, &arrays, make([]kernel.Vec2, boxes)),
			BoxHi:      given(device, &arrays, make([]kernel.Vec2, boxes)),
			Relaxed:    args.Relaxed, Dropped: args.Dropped,
		})
	}
	require.NoError(t, lc.Err())
	return must(args.Relaxed.Read(context.Background())), must(args.Dropped.Read(context.Background()))[0]
}

// given returns an array with the values, and notes it among those to close.
func given[T kernel.Element](device backend.Device, arrays *[]interface{ Close() error }, values []T) exec.Array[T] {
	array := must(exec.FromSlice(device, values))
	*arrays = append(*arrays, array)
	return array
}

// everyone lists all envs.
func everyone(envs int) []int32 {
	list := make([]int32, envs+1)
	list[0] = int32(envs)
	for e := range envs {
		list[e+1] = int32(e)
	}
	return list
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// loop draws a wavy loop of n points, some of them crowded.
func loop(t *rapid.T, n int) []kernel.Vec2 {
	points := make([]kernel.Vec2, n)
	size := rapid.Float64Range(0.05, 1.5).Draw(t, "size")
	wave := rapid.Float64Range(0, 0.9).Draw(t, "wave")
	lobes := float64(rapid.IntRange(1, 7).Draw(t, "lobes"))
	for i := range points {
		angle := 2 * math.Pi * float64(i) / float64(n)
		radius := size * (1 + wave*math.Sin(lobes*angle))
		points[i] = kernel.V2(float32(radius*math.Cos(angle)), float32(radius*math.Sin(angle)))
	}
	return points
}

// hardCoordinates make ties of distances with the target and the reach, overflows and numbers that are none.
var hardCoordinates = []float32{0, float32(math.Copysign(0, -1)), testTarget, testReach, -testTarget, 0x1p-149, 1e-10,
	1e19, -math.MaxFloat32, float32(math.Inf(1)), kernel.NaN()}

// hard draws a loop of n points of hard coordinates, or one with a few of them.
func hard(t *rapid.T, n int) []kernel.Vec2 {
	points := loop(t, n)
	few := rapid.SampledFrom([]float64{0.02, 0.2, 1}).Draw(t, "part")
	finite := rapid.SampledFrom([]int{5, 7, len(hardCoordinates)}).Draw(t, "kinds")
	for i := range points {
		if rapid.Float64Range(0, 1).Draw(t, "which") < few {
			points[i].X = rapid.SampledFrom(hardCoordinates[:finite]).Draw(t, "x")
			points[i].Y = rapid.SampledFrom(hardCoordinates[:finite]).Draw(t, "y")
		}
	}
	return points
}

// drawSettings draws what a relaxation may be told.
func drawSettings(t *rapid.T, stride int) settings {
	return settings{
		stride:      int32(stride),
		band:        int32(rapid.IntRange(-1, 3).Draw(t, "band")),
		sweeps:      int32(rapid.IntRange(1, 30).Draw(t, "sweeps")),
		refresh:     int32(rapid.IntRange(1, 10).Draw(t, "refresh")),
		slots:       int32(rapid.IntRange(0, relaxation.MaxSlots).Draw(t, "slots")),
		accelerated: int32(rapid.IntRange(1, 30).Draw(t, "accelerated")),
		smooth:      int32(rapid.IntRange(0, 2).Draw(t, "smooth")),
		spacings:    int32(rapid.IntRange(0, 3).Draw(t, "spacings")),
	}
}

// requireReference runs the loops by every variant that takes as many points: all give what the reference gives.
func requireReference(t require.TestingT, device backend.Device, s settings, loops [][]kernel.Vec2) {
	want := make([]kernel.Vec2, len(loops)*int(s.stride))
	dropped := int32(0)
	for e, loop := range loops {
		relaxed, more := relaxByReference(s, loop)
		copy(want[e*int(s.stride):], relaxed)
		dropped += more
	}
	for v, most := range map[variant]int32{
		small: relaxation.MaxPointsSmall, shared: relaxation.MaxPoints, large: math.MaxInt32,
	} {
		if s.stride > most {
			continue
		}
		got, count := relax(t, device, s, loops, v)
		require.Equal(t, bits(want), bits(got), "variant %d", v)
		require.Equal(t, dropped, count, "variant %d: dropped", v)
	}
}

func TestVariantsEqualReference(t *testing.T) {
	device := openCPU(t)
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int{3, relaxation.MaxPointsSmall, relaxation.MaxPoints}).Draw(t, "most")
		s := drawSettings(t, rapid.IntRange(1, most).Draw(t, "stride"))
		loops := make([][]kernel.Vec2, rapid.IntRange(1, 3).Draw(t, "envs"))
		shape := rapid.SampledFrom([]func(*rapid.T, int) []kernel.Vec2{loop, hard}).Draw(t, "shape")
		for e := range loops {
			loops[e] = shape(t, rapid.IntRange(0, int(s.stride)).Draw(t, "points"))
		}
		requireReference(t, device, s, loops)
	})
}

// TestCounts relaxes loops of the fewest points, and as many as the variants take, one less and one more. Most are so
// small that points have more close ones than they remember.
func TestCounts(t *testing.T) {
	device := openCPU(t)
	for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 127, 128, 129, 383, 384, 385} {
		for _, size := range []float64{0, 0.2, 0.6} {
			points := make([]kernel.Vec2, n)
			for i := range points {
				angle := 2 * math.Pi * float64(i) / float64(n)
				points[i] = kernel.V2(float32(size*math.Cos(angle)), float32(size*math.Sin(2*angle)))
			}
			s := settings{stride: int32(max(n, 1)), band: 1, sweeps: 12, refresh: 5, slots: 16, accelerated: 4, smooth: 1,
				spacings: 1}
			requireReference(t, device, s, [][]kernel.Vec2{points})
			if _, dropped := relaxByReference(s, points); n > 100 && size < 0.5 {
				require.NotZero(t, dropped)
			}
		}
	}
}

func bits(points []kernel.Vec2) []uint32 {
	var all []uint32
	for _, p := range points {
		all = append(all, math.Float32bits(p.X), math.Float32bits(p.Y))
	}
	return all
}

// A circle that is large enough for its road is a fixed point, but for the smoothing that shrinks it a little.
func TestCircleStays(t *testing.T) {
	device := must(backend.Open("cpu"))
	defer device.Close()
	points := make([]kernel.Vec2, 100)
	for i := range points {
		angle := 2 * math.Pi * float64(i) / 100
		points[i] = kernel.V2(float32(math.Cos(angle)), float32(math.Sin(angle)))
	}
	relaxed, dropped := relax(t, device, settings{stride: 100, sweeps: 50, refresh: 20, slots: 16, accelerated: 50},
		[][]kernel.Vec2{points}, shared)
	assert.Zero(t, dropped)
	for i, p := range relaxed {
		assert.InDelta(t, points[i].X, p.X, 1e-5)
		assert.InDelta(t, points[i].Y, p.Y, 1e-5)
	}
}

// Two parallel straights closer than the target are pushed apart.
func TestCloseStraightsSeparate(t *testing.T) {
	device := must(backend.Open("cpu"))
	defer device.Close()
	var points []kernel.Vec2
	for i := range 40 {
		points = append(points, kernel.V2(float32(i)*0.06, 0))
	}
	for i := range 40 {
		points = append(points, kernel.V2(float32(39-i)*0.06, 0.15))
	}
	relaxed, _ := relax(t, device, settings{stride: 80, sweeps: 50, refresh: 5, slots: 16, accelerated: 50},
		[][]kernel.Vec2{points}, shared)
	assert.Greater(t, relaxed[60].Y-relaxed[20].Y, float32(0.2))
}

func TestBand(t *testing.T) {
	assert.Equal(t, int32(7), relaxation.Band(7, 0.1, 0.06))
	assert.Equal(t, int32(3), relaxation.Band(0, 0.1, 0.06))
	assert.Equal(t, int32(1), relaxation.Band(0, 0.1, 50))
	assert.Equal(t, int32(1), relaxation.Band(0, 0.1, kernel.NaN()))
	assert.Equal(t, int32(1<<24), relaxation.Band(0, 1, 0))
	assert.Equal(t, int32(1), relaxation.Band(0, math.MaxFloat32, 0), "not a finite ratio")
}

func TestApart(t *testing.T) {
	assert.Equal(t, int32(0), relaxation.Apart(3, 3, 10))
	assert.Equal(t, int32(1), relaxation.Apart(9, 0, 10))
	assert.Equal(t, int32(5), relaxation.Apart(0, 5, 10))
	assert.Equal(t, int32(4), relaxation.Apart(7, 1, 10))
}
