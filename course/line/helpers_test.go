package line_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// hilly is a configuration of gate courses with heights, some of which are not valid.
func hilly(envs int) gate.Config {
	c := gate.DefaultConfig()
	c.NumEnvs, c.Gate.Width = envs, 0.1
	c.Elevation.Profile, c.Elevation.Min, c.Elevation.Max, c.Elevation.NoiseAmplitude = "noise", -0.4, 0.4, 0.5
	return c
}

// configOf returns a configuration of lines.
func configOf(samples int) line.Config { return line.Config{SamplesPerGate: samples} }

// courses are the gates from which lines are drawn, in host memory.
type courses struct {
	gates        []kernel.Vec3 // [E, G_max]
	count, valid []int32
}

func (c courses) upload(t testing.TB, device backend.Device) line.Source {
	t.Helper()
	return line.Source{Position: coursetest.Upload(t, device, c.gates), Count: coursetest.Upload(t, device, c.count),
		Valid: coursetest.Upload(t, device, c.valid)}
}

// coursesOf returns the gates of a batch.
func coursesOf(b *gate.Batch) courses { return courses{b.Position, b.Count, b.Valid} }

// draw draws the lines of courses.
func draw(t testing.TB, device backend.Device, c courses, samples int) *line.Batch {
	t.Helper()
	sampler, err := line.New(device, c.upload(t, device), configOf(samples))
	require.NoError(t, err)
	defer func() { require.NoError(t, sampler.Close()) }()
	require.NoError(t, sampler.Refresh(context.Background()))
	lines, err := sampler.Line().Read(context.Background())
	require.NoError(t, err)
	return lines
}

// linesOf are the lines of courses as C-40 and C-41 have them.
func linesOf(c courses, samples int) *line.Batch {
	envs := len(c.count)
	most := len(c.gates) / envs
	l := &line.Batch{Envs: envs, NMax: most * samples}
	nan := kernel.NaN()
	for e := range envs {
		gates := c.gates[e*most:][:max(0, min(int(c.count[e]), most))]
		if len(gates) < 3 || c.valid[e] == 0 {
			gates = nil
		}
		var points []kernel.Vec3
		for i := range gates {
			for k := range samples {
				points = append(points, splineAt(gates, i, float32(k)/float32(samples)))
			}
		}
		tangents, arclen, length := framesOf(points)
		for range l.NMax - len(points) {
			points, tangents = append(points, kernel.V3(nan, nan, nan)), append(tangents, kernel.V3(nan, nan, nan))
			arclen = append(arclen, nan)
		}
		l.Center, l.Tangent = append(l.Center, points...), append(l.Tangent, tangents...)
		l.Arclen, l.Length = append(l.Arclen, arclen...), append(l.Length, length)
		l.Count = append(l.Count, int32(len(gates)*samples))
		l.Valid = append(l.Valid, int32(min(len(gates), 1)))
	}
	return l
}

// splineAt returns the point at the part u of the way from gate i to the next one.
func splineAt(gates []kernel.Vec3, i int, u float32) kernel.Vec3 {
	n := len(gates)
	at := func(k int) [3]float32 { p := gates[(k+n)%n]; return [3]float32{p.X, p.Y, p.Z} }
	p0, p1, p2, p3 := at(i-1), at(i), at(i+1), at(i+2)
	u2 := float32(u * u)
	u3 := float32(u2 * u)
	var p [3]float32
	for k := range p {
		a, b, c, d := p0[k], p1[k], p2[k], p3[k]
		sum := float32(2*b) + float32((c-a)*u)
		sum += float32((((float32(2*a) - float32(5*b)) + float32(4*c)) - d) * u2)
		sum += float32((((float32(3*b) - a) - float32(3*c)) + d) * u3)
		p[k] = coursetest.OneNaN(float32(sum * 0.5))
	}
	return kernel.V3(p[0], p[1], p[2])
}

// framesOf returns the tangents, arc lengths and length of a closed line in space.
func framesOf(points []kernel.Vec3) (tangents []kernel.Vec3, arclen []float32, length float32) {
	n := len(points)
	long := func(x, y, z float32) float32 {
		return float32(math.Sqrt(float64(float32(x*x) + float32(y*y) + float32(z*z))))
	}
	for i, p := range points {
		before, after := points[(i+n-1)%n], points[(i+1)%n]
		x, y, z := after.X-before.X, after.Y-before.Y, after.Z-before.Z
		size := long(x, y, z)
		if size > 1e-12 {
			unit := kernel.V3(coursetest.OneNaN(x/size), coursetest.OneNaN(y/size), coursetest.OneNaN(z/size))
			tangents = append(tangents, unit)
		} else {
			tangents = append(tangents, kernel.Vec3{})
		}
		arclen = append(arclen, length)
		length = coursetest.OneNaN(length + long(after.X-p.X, after.Y-p.Y, after.Z-p.Z))
	}
	return tangents, arclen, length
}

// requireSame compares every bit of two batches of lines.
func requireSame(t coursetest.Fataler, want, got *line.Batch) {
	t.Helper()
	if want.Envs != got.Envs || want.NMax != got.NMax {
		t.Fatalf("%d lines of %d points, must be %d of %d", got.Envs, got.NMax, want.Envs, want.NMax)
	}
	coursetest.SameBits(t, "center", coursetest.Components(want.Center), coursetest.Components(got.Center))
	coursetest.SameBits(t, "tangent", coursetest.Components(want.Tangent), coursetest.Components(got.Tangent))
	coursetest.SameBits(t, "arclen", want.Arclen, got.Arclen)
	coursetest.SameBits(t, "length", want.Length, got.Length)
	for e := range want.Count {
		if want.Count[e] != got.Count[e] || want.Valid[e] != got.Valid[e] {
			t.Fatalf("env %d: count %d and valid %d, must be %d and %d", e, got.Count[e], got.Valid[e], want.Count[e],
				want.Valid[e])
		}
	}
}
