package speed_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/course/curvature"
	"github.com/trackgen-go/trackgen/course/speed"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// lines are closed lines in host memory.
type lines struct {
	center         []kernel.Vec3 // [E, N_max]
	arclen, length []float32     // [E, N_max], [E]
	count          []int32       // [E]
	curvature      []float32     // [E, N_max]; nil is that of center
}

func (l lines) upload(t testing.TB, device backend.Device) speed.Source {
	t.Helper()
	s := speed.Source{Arclen: coursetest.Upload(t, device, l.arclen), Length: coursetest.Upload(t, device, l.length),
		Count: coursetest.Upload(t, device, l.count)}
	if l.curvature != nil {
		s.Curvature = coursetest.Upload(t, device, l.curvature)
	} else {
		s.Center = coursetest.Upload(t, device, l.center)
	}
	return s
}

// withCurvature gives lines the curvature that package curvature measures.
func (l lines) withCurvature(t testing.TB, device backend.Device, window int) lines {
	t.Helper()
	source := curvature.Source{Center: coursetest.Upload(t, device, l.center),
		Count: coursetest.Upload(t, device, l.count)}
	estimator, err := curvature.New(device, source, curvature.Config{Window: window})
	require.NoError(t, err)
	defer func() { require.NoError(t, estimator.Close()) }()
	require.NoError(t, estimator.Refresh(t.Context()))
	l.curvature = coursetest.Download(t, estimator.Curvature().Curvature)
	return l
}

// plan computes the profiles of lines.
func plan(t testing.TB, device backend.Device, l lines, c speed.Config) *speed.Batch {
	t.Helper()
	planner, err := speed.New(device, l.upload(t, device), c)
	require.NoError(t, err)
	defer func() { require.NoError(t, planner.Close()) }()
	require.NoError(t, planner.Refresh(t.Context()))
	batch, err := planner.Profile().Read(t.Context())
	require.NoError(t, err)
	return batch
}

// speedOf is the profiles of lines with a curvature as C-86 has them.
func speedOf(l lines, c speed.Config) []float32 {
	lateral, most := float32(c.LateralAcceleration), float32(c.MaxSpeed)
	stride := len(l.arclen) / len(l.count)
	var all []float32
	for e, count := range l.count {
		n := min(int(count), stride)
		if n < 3 {
			n = 0
		}
		v, step := make([]float32, n), make([]float32, n)
		for i := range v {
			k := float32(math.Abs(float64(l.curvature[e*stride+i])))
			v[i] = most
			if k > 1e-9 {
				v[i] = min(kernel.Sqrt(lateral/k), most)
			}
			end := l.length[e]
			if i+1 < n {
				end = l.arclen[e*stride+i+1]
			}
			step[i] = end - l.arclen[e*stride+i]
		}
		for range 2 {
			for i := range n {
				limit(&v[(i+1)%n], v[i], float32(2*float32(c.Acceleration)), step[i])
			}
			for i := n - 1; i >= 0; i-- {
				limit(&v[i], v[(i+1)%n], float32(2*float32(c.Braking)), step[i])
			}
		}
		for range stride - n {
			v = append(v, kernel.NaN())
		}
		all = append(all, v...)
	}
	return all
}

// limit lowers v to the speed that can be reached after a step from another speed, with half the acceleration.
func limit(v *float32, from, twice, step float32) {
	if reached := kernel.Sqrt(float32(from*from) + float32(twice*step)); reached < *v {
		*v = reached
	}
}
