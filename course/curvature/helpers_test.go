package curvature_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/course/curvature"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// lines are closed lines in host memory.
type lines struct {
	points []kernel.Vec3 // [E, N_max]
	count  []int32
}

func (l lines) upload(t testing.TB, device backend.Device) curvature.Source {
	t.Helper()
	return curvature.Source{Center: coursetest.Upload(t, device, l.points), Count: coursetest.Upload(t, device, l.count)}
}

// measure measures the curvature of lines.
func measure(t testing.TB, device backend.Device, l lines, window int) []float32 {
	t.Helper()
	estimator, err := curvature.New(device, l.upload(t, device), curvature.Config{Window: window})
	require.NoError(t, err)
	defer func() { require.NoError(t, estimator.Close()) }()
	require.NoError(t, estimator.Refresh(t.Context()))
	batch, err := estimator.Curvature().Read(t.Context())
	require.NoError(t, err)
	return batch.Curvature
}

// curvatureOf is the curvature of lines as C-85 has it.
func curvatureOf(l lines, window int) []float32 {
	most := len(l.points) / len(l.count)
	var all []float32
	for e, count := range l.count {
		points := l.points[e*most:][:max(0, min(int(count), most))]
		n := len(points)
		if n < 3 {
			n = 0
		}
		raw := make([]float32, n)
		for i := range raw {
			raw[i] = bendAt(points, i)
		}
		for i := range most {
			switch {
			case i >= n:
				all = append(all, kernel.NaN())
			case window == 0:
				all = append(all, coursetest.OneNaN(raw[i]))
			default:
				sum, span := float32(0), min(2*window+1, n)
				for k := range span {
					sum += raw[((i-window+k)%n+n)%n]
				}
				all = append(all, coursetest.OneNaN(sum/float32(span)))
			}
		}
	}
	return all
}

// bendAt is the curvature of a closed line at point i, before the mean.
func bendAt(points []kernel.Vec3, i int) float32 {
	n := len(points)
	a, b, c := points[(i+n-1)%n], points[i], points[(i+1)%n]
	x1, y1, z1, x2, y2, z2 := b.X-a.X, b.Y-a.Y, b.Z-a.Z, c.X-b.X, c.Y-b.Y, c.Z-b.Z
	cross := float32(x1*y2) - float32(y1*x2)
	dot := float32(x1*x2) + float32(y1*y2) + float32(z1*z2)
	first := kernel.Sqrt(float32(x1*x1) + float32(y1*y1) + float32(z1*z1))
	second := kernel.Sqrt(float32(x2*x2) + float32(y2*y2) + float32(z2*z2))
	mean := float32(0.5 * (first + second))
	if !(mean > 1e-9) {
		mean = 1e-9
	}
	return kernel.Atan2(cross, dot) / mean
}
