package inflation_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/inflation"
	"github.com/trackgen-go/trackgen/kernels/variation"
	"github.com/trackgen-go/trackgen/track"
)

// road is what the kernels make of one loop.
type road struct {
	outer, center, inner, tangent, normal []kernel.Vec3
	arclen                                []float32
	length, winding                       float32
	reason, valid, count                  int32
}

// build inflates and validates one loop of points with room for stride points.
func build(t *testing.T, points []kernel.Vec2, stride int, needed, checkBorders int32, minHalfWidth float32) road {
	t.Helper()
	device, err := backend.Open("cpu", backend.Debug(true))
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	var owned []interface{ Close() error }
	defer func() {
		for _, o := range owned {
			require.NoError(t, o.Close())
		}
	}()
	floats := func(n int) exec.Array[float32] { return array[float32](t, device, n, &owned) }
	integers := func(n int) exec.Array[int32] { return array[int32](t, device, n, &owned) }
	vectors := func(n int) exec.Array[kernel.Vec3] { return array[kernel.Vec3](t, device, n, &owned) }

	relaxed := array[kernel.Vec2](t, device, stride, &owned)
	require.NoError(t, relaxed.Write(t.Context(), append(append([]kernel.Vec2(nil), points...),
		make([]kernel.Vec2, stride-len(points))...)))
	count, need := integers(1), integers(1)
	require.NoError(t, count.Write(t.Context(), []int32{int32(len(points))}))
	require.NoError(t, need.Write(t.Context(), []int32{needed}))
	loop := array[kernel.Vec2](t, device, stride, &owned)
	outer, center, inner, tangent, normal := vectors(stride), vectors(stride), vectors(stride), vectors(stride),
		vectors(stride)
	arclen, length, winding := floats(stride), floats(1), floats(1)
	reason, valid := integers(1), integers(1)

	active := integers(2)
	require.NoError(t, active.Write(t.Context(), []int32{1, 0}))
	lc, err := exec.For(context.Background(), device)
	require.NoError(t, err)
	const halfWidth, z = 0.1, 1.5
	size := floats(variation.Lengths)
	require.NoError(t, size.Write(context.Background(), []float32{variation.HalfWidth: halfWidth,
		variation.Thickness: 0.098}))
	sides := array[kernel.Vec2](t, device, 1, &owned)
	require.NoError(t, sides.Write(context.Background(), []kernel.Vec2{kernel.V2(halfWidth, halfWidth)}))
	right, left, height := floats(stride), floats(stride), floats(stride)
	inflation.Even(lc, 1, inflation.EvenArgs{
		Active: active, MaxPoints: int32(stride), Again: 1, PerPoint: 0, PerEnv: 0, Point: relaxed, Sides: sides,
		Turned: integers(1), Count: count, Loop: loop, WidthRight: right, WidthLeft: left, Arclen: arclen, Length: length,
	})
	inflation.Level(lc, 1, active, int32(stride), z, height)
	inflation.Inflate(lc, 1, inflation.InflateArgs{
		Active: active, MaxPoints: int32(stride), Exact: 0, Hills: 0, Banked: 0, Factor: 0, Limit: 0, Transition: 0,
		Loop: loop, WidthRight: right, WidthLeft: left, Height: height, Count: count,
		Perimeter: floats(1), Mean: floats(1), Bank: floats(1),
		Outer: outer, Center: center, Inner: inner, Tangent: tangent, Normal: normal, Winding: winding,
	})
	inflation.Validate(lc, 1, inflation.ValidateArgs{
		Active: active, MaxPoints: int32(stride), PerEnv: 0, Size: size, MinHalfWidth: minHalfWidth,
		TurningTolerance: 0.1, CheckBorders: checkBorders, Hills: 0, Steep: integers(1), Loop: loop, Outer: outer,
		Inner: inner, Length: length, Count: count, Needed: need,
		Turn: floats(stride), Bent: floats(stride), Gap: floats(stride), Crossed: integers(stride), Reason: reason,
		Valid: valid,
	})
	require.NoError(t, lc.Err())
	return road{
		outer: values(t, outer), center: values(t, center), inner: values(t, inner), tangent: values(t, tangent),
		normal: values(t, normal),
		arclen: values(t, arclen), length: values(t, length)[0], winding: values(t, winding)[0],
		reason: values(t, reason)[0], valid: values(t, valid)[0], count: values(t, count)[0],
	}
}

func array[T kernel.Element](t *testing.T, device backend.Device, n int,
	owned *[]interface{ Close() error }) exec.Array[T] {
	t.Helper()
	a, err := exec.NewArray[T](device, n)
	require.NoError(t, err)
	*owned = append(*owned, a)
	return a
}

func values[T kernel.Element](t *testing.T, a exec.Array[T]) []T {
	t.Helper()
	v, err := a.Read(t.Context())
	require.NoError(t, err)
	return v
}

// circle is counter-clockwise; a negative radius makes it clockwise.
func circle(n int, radius float64) []kernel.Vec2 {
	points := make([]kernel.Vec2, n)
	for i := range points {
		angle := 2 * math.Pi * float64(i) / float64(n)
		points[i] = kernel.V2(float32(math.Abs(radius)*math.Cos(angle)), float32(radius*math.Sin(angle)))
	}
	return points
}

func TestCircularRoad(t *testing.T) {
	const n, stride = 64, 70
	for _, radius := range []float64{1, -1} {
		r := build(t, circle(n, radius), stride, n, 1, 0)
		assert.Equal(t, int32(1), r.valid)
		assert.Equal(t, int32(0), r.reason)
		assert.Equal(t, float32(radius), r.winding)
		assert.InDelta(t, 2*math.Pi, r.length, 1e-2)
		for i := range n {
			assert.InDelta(t, 1.1, math.Hypot(float64(r.outer[i].X), float64(r.outer[i].Y)), 1e-3)
			assert.InDelta(t, 0.9, math.Hypot(float64(r.inner[i].X), float64(r.inner[i].Y)), 1e-3)
			assert.InDelta(t, float64(r.length)*float64(i)/n, r.arclen[i], 1e-5)
			assert.InDelta(t, 1, r.tangent[i].Len(), 1e-6)
			assert.Equal(t, kernel.V3(-r.tangent[i].Y, r.tangent[i].X, 0), r.normal[i])
			assert.Equal(t, float32(1.5), r.center[i].Z)
		}
		for i := n; i < stride; i++ {
			for _, p := range []kernel.Vec3{r.outer[i], r.center[i], r.inner[i]} {
				assert.Equal(t, uint32(kernel.NaNBits), math.Float32bits(p.X))
				assert.Equal(t, float32(1.5), p.Z)
			}
			assert.Equal(t, uint32(kernel.NaNBits), math.Float32bits(r.arclen[i]))
			assert.Equal(t, uint32(kernel.NaNBits), math.Float32bits(r.tangent[i].Z))
		}
	}
}

// Each test of docs/spec/pipeline.md, section 8, fails on its own.
func TestReasons(t *testing.T) {
	eight := make([]kernel.Vec2, 80) // crosses itself once and turns by nothing in total
	for i := range eight {
		angle := 2 * math.Pi * (float64(i) + 0.5) / 80
		eight[i] = kernel.V2(float32(2*math.Sin(angle)), float32(math.Sin(2*angle)))
	}
	var hairpin []kernel.Vec2 // two straights 0.12 apart, joined by wide loops at the ends
	for i := range 30 {
		hairpin = append(hairpin, kernel.V2(float32(i)*0.06, -0.06))
	}
	for i := range 21 {
		angle := -2.7 + 5.4*float64(i)/20
		hairpin = append(hairpin, kernel.V2(float32(2.05+0.3*math.Cos(angle)), float32(0.3*math.Sin(angle))))
	}
	for i := range 30 {
		hairpin = append(hairpin, kernel.V2(float32(29-i)*0.06, 0.06))
	}
	for i := range 21 {
		angle := math.Pi - 2.7 + 5.4*float64(i)/20
		hairpin = append(hairpin, kernel.V2(float32(-0.3+0.3*math.Cos(angle)), float32(0.3*math.Sin(angle))))
	}

	has := func(r road, bit track.Reason) bool { return track.Reason(r.reason)&bit != 0 && r.valid == 0 }
	assert.Equal(t, track.ReasonEmpty, track.Reason(build(t, nil, 8, 0, 0, 0).reason))
	assert.Equal(t, track.ReasonTruncated, track.Reason(build(t, circle(64, 1), 64, 65, 0, 0).reason))
	assert.True(t, has(build(t, eight, 80, 80, 0, 0), track.ReasonTurning))
	assert.True(t, has(build(t, eight, 80, 80, 0, 0), track.ReasonSeparation))
	assert.True(t, has(build(t, eight, 80, 80, 1, 0), track.ReasonBorderCrossing))
	assert.False(t, has(build(t, eight, 80, 80, 0, 0), track.ReasonBorderCrossing), "only on request")
	assert.Equal(t, track.ReasonWidth, track.Reason(build(t, circle(64, 1), 64, 64, 0, 0.1).reason))
	assert.Equal(t, track.ReasonCurvature, track.Reason(build(t, circle(24, 0.097), 24, 24, 0,
		0).reason)&^track.ReasonSeparation)
	assert.True(t, has(build(t, hairpin, 102, 102, 0, 0), track.ReasonSeparation))
	assert.Equal(t, int32(0), build(t, circle(1, 1), 8, 1, 1, 0).valid, "a single point")
}

// A line that is not finite has no points: every array is padding, whose NaN has one bit pattern, and no sum is NaN.
func TestLinesThatAreNotFinite(t *testing.T) {
	const n, stride = 64, 70
	computed := math.Float32frombits(0xffc12345) // a NaN other than that of the padding
	for name, spoil := range map[string]func(points []kernel.Vec2){
		"NaN":          func(points []kernel.Vec2) { points[10].Y = computed },
		"infinite":     func(points []kernel.Vec2) { points[n-1].X = kernel.Inf() },
		"first point":  func(points []kernel.Vec2) { points[0].Y = -kernel.Inf() },
		"long edge":    func(points []kernel.Vec2) { points[0].X, points[1].X = math.MaxFloat32, -math.MaxFloat32 },
		"long line":    func(points []kernel.Vec2) { points[5].X = 0.6e12 },
		"all NaN":      func(points []kernel.Vec2) { fill(points, kernel.V2(computed, computed)) },
		"all infinite": func(points []kernel.Vec2) { fill(points, kernel.V2(kernel.Inf(), 0)) },
		"all far away": func(points []kernel.Vec2) { fill(points, kernel.V2(0, -1.1e12)) },
	} {
		points := circle(n, 1)
		spoil(points)
		r := build(t, points, stride, n, 1, 0)
		assert.Equal(t, track.ReasonNotFinite, track.Reason(r.reason), name)
		assert.Equal(t, [2]int32{}, [2]int32{r.valid, r.count}, name)
		assert.Equal(t, [2]uint32{}, [2]uint32{math.Float32bits(r.length), math.Float32bits(r.winding)}, name)
		for i := range stride {
			for _, p := range []kernel.Vec3{r.outer[i], r.center[i], r.inner[i]} {
				assert.Equal(t, [3]uint32{kernel.NaNBits, kernel.NaNBits, math.Float32bits(1.5)}, bits(p), name)
			}
			for _, v := range []kernel.Vec3{r.tangent[i], r.normal[i], kernel.V3(r.arclen[i], r.arclen[i], r.arclen[i])} {
				assert.Equal(t, [3]uint32{kernel.NaNBits, kernel.NaNBits, kernel.NaNBits}, bits(v), name)
			}
		}
	}
	single := build(t, []kernel.Vec2{kernel.V2(kernel.Inf(), 0)}, 8, 1, 0, 0)
	assert.Equal(t, track.ReasonNotFinite, track.Reason(single.reason), "a single point")
	large := circle(n, 1e10)
	assert.Zero(t, track.Reason(build(t, large, n, n, 0, 0).reason)&track.ReasonNotFinite, "a large line is finite")
}

func fill(points []kernel.Vec2, p kernel.Vec2) {
	for i := range points {
		points[i] = p
	}
}

func bits(v kernel.Vec3) [3]uint32 {
	return [3]uint32{math.Float32bits(v.X), math.Float32bits(v.Y), math.Float32bits(v.Z)}
}

// The reasons of the kernel are those that package track publishes.
func TestReasonsMatch(t *testing.T) {
	for kernelReason, published := range map[int]track.Reason{
		inflation.ReasonEmpty: track.ReasonEmpty, inflation.ReasonTruncated: track.ReasonTruncated,
		inflation.ReasonTurning: track.ReasonTurning, inflation.ReasonNotFinite: track.ReasonNotFinite,
		inflation.ReasonWidth: track.ReasonWidth, inflation.ReasonCurvature: track.ReasonCurvature,
		inflation.ReasonSeparation: track.ReasonSeparation, inflation.ReasonBorderCrossing: track.ReasonBorderCrossing,
	} {
		assert.Equal(t, track.Reason(kernelReason), published)
	}
}
