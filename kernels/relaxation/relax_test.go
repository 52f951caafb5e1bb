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

// relax runs one of the two variants over the loops, one per env, and returns the relaxed points and the dropped count.
func relax(
	t require.TestingT, device backend.Device, s settings, loops [][]kernel.Vec2, large bool,
) ([]kernel.Vec2, int32) {
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
		weights[i] = 1.2
	}
	point := must(exec.FromSlice(device, flat))
	count := must(exec.FromSlice(device, counts))
	omega := must(exec.FromSlice(device, weights))
	relaxed := must(exec.NewArray[kernel.Vec2](device, total))
	dropped := must(exec.NewArray[int32](device, 1))
	defer func() {
		require.NoError(t, firstError(point.Close(), count.Close(), omega.Close(), relaxed.Close(), dropped.Close()))
	}()
	active := must(exec.FromSlice(device, everyone(envs)))
	defer func() { require.NoError(t, active.Close()) }()
	lc, err := exec.For(context.Background(), device)
	require.NoError(t, err)
	size := must(exec.FromSlice(device, []float32{variation.HalfWidth: 0.1, variation.Target: 0.23,
		variation.Reach: 0.345, variation.MinRadius: 0.115, variation.Thickness: 0}))
	defer func() { require.NoError(t, size.Close()) }()
	if large {
		boxes := envs * ((int(s.stride) + relaxation.BlockSize - 1) / relaxation.BlockSize)
		x := must(exec.NewArray[kernel.Vec2](device, 2*total))
		pull := must(exec.NewArray[kernel.Vec2](device, total))
		edge := must(exec.NewArray[float32](device, total))
		closeBeads := must(exec.NewArray[int32](device, total*int(s.slots)))
		closeCount := must(exec.NewArray[int32](device, total))
		boxLo := must(exec.NewArray[kernel.Vec2](device, boxes))
		boxHi := must(exec.NewArray[kernel.Vec2](device, boxes))
		defer func() {
			require.NoError(t, firstError(x.Close(), pull.Close(), edge.Close(), closeBeads.Close(), closeCount.Close(),
				boxLo.Close(), boxHi.Close()))
		}()
		relaxation.RelaxLarge(lc, envs, relaxation.RelaxLargeArgs{
			Active: active, Stride: s.stride, Point: point, Count: count, PerEnv: 0, Size: size,
			Band: s.band, Sweeps: s.sweeps, Refresh: s.refresh, Slots: s.slots,
			FirstAccelerated: s.accelerated, SmoothPasses: s.smooth, SpacingSweeps: s.spacings,
			WeightSeparation: 1, WeightSpacing: 1, WeightBend: 1.5, Gamma: 0.9, Omega: omega,
			X: x, Pull: pull, Edge: edge, CloseBeads: closeBeads, CloseCount: closeCount, BoxLo: boxLo,
			BoxHi: boxHi, Relaxed: relaxed, Dropped: dropped,
		})
	} else {
		relaxation.Relax(lc, envs, relaxation.RelaxArgs{
			Active: active, Stride: s.stride, Point: point, Count: count, PerEnv: 0, Size: size,
			Band: s.band, Sweeps: s.sweeps, Refresh: s.refresh, Slots: s.slots,
			FirstAccelerated: s.accelerated, SmoothPasses: s.smooth, SpacingSweeps: s.spacings,
			WeightSeparation: 1, WeightSpacing: 1, WeightBend: 1.5, Gamma: 0.9, Omega: omega, Relaxed: relaxed, Dropped: dropped,
		})
	}
	require.NoError(t, lc.Err())
	return must(relaxed.Read(context.Background())), must(dropped.Read(context.Background()))[0]
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

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
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

func TestLargeEqualsShared(t *testing.T) {
	device := must(backend.Open("cpu"))
	defer device.Close()
	rapid.Check(t, func(t *rapid.T) {
		s := settings{
			stride:      int32(rapid.IntRange(1, relaxation.MaxPoints).Draw(t, "stride")),
			band:        int32(rapid.IntRange(0, 3).Draw(t, "band")),
			sweeps:      int32(rapid.IntRange(1, 30).Draw(t, "sweeps")),
			refresh:     int32(rapid.IntRange(1, 10).Draw(t, "refresh")),
			slots:       int32(rapid.IntRange(0, relaxation.MaxSlots).Draw(t, "slots")),
			accelerated: int32(rapid.IntRange(1, 30).Draw(t, "accelerated")),
			smooth:      int32(rapid.IntRange(0, 2).Draw(t, "smooth")),
			spacings:    int32(rapid.IntRange(0, 3).Draw(t, "spacings")),
		}
		loops := make([][]kernel.Vec2, rapid.IntRange(1, 3).Draw(t, "envs"))
		for e := range loops {
			loops[e] = loop(t, rapid.IntRange(0, int(s.stride)).Draw(t, "points"))
		}
		shared, sharedDropped := relax(t, device, s, loops, false)
		large, largeDropped := relax(t, device, s, loops, true)
		require.Equal(t, bits(shared), bits(large))
		require.Equal(t, sharedDropped, largeDropped)
	})
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
		[][]kernel.Vec2{points}, false)
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
		[][]kernel.Vec2{points}, false)
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
