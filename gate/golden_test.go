package gate_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"codeberg.org/sbinet/npyio/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/golden"
	"github.com/trackgen-go/trackgen/kernel"
)

// goldenSeed is the base seed of the output of the reference system.
const goldenSeed = 1234

// referenceConfig turns a configuration of the reference system, as JSON, into one of this package.
func referenceConfig(t *testing.T, text string, envs int) gate.Config {
	t.Helper()
	c := gate.DefaultConfig()
	c.NumEnvs = envs
	golden.Configure(t, &c, text, gate.FieldOfReference, gate.FieldNamed)
	return c
}

// floats returns the components of vectors.
func floats(vectors []kernel.Vec3) []float32 {
	list := make([]float32, 0, 3*len(vectors))
	for _, v := range vectors {
		list = append(list, v.X, v.Y, v.Z)
	}
	return list
}

// differences returns the differences of two arrays relative to max(1, |want|), in ascending order. NaNs must be in the
// same places.
func differences(t *testing.T, name string, want, got []float32) []float64 {
	t.Helper()
	require.Len(t, got, len(want), name)
	var list []float64
	for i := range want {
		w, g := float64(want[i]), float64(got[i])
		if math.IsNaN(w) || math.IsNaN(g) {
			require.Equal(t, math.IsNaN(w), math.IsNaN(g), "%s[%d]: want %v, got %v", name, i, w, g)
			continue
		}
		list = append(list, math.Abs(w-g)/max(1, math.Abs(w)))
	}
	slices.Sort(list)
	return list
}

// settles reports for each env whether its gates are where small errors do not matter: coincident gates and gates that
// still move in the last sweep amplify rounding errors (docs/spec/course.md, section 13, S).
func settles(t *testing.T, prefix string, want, got []float32, gates int) []bool {
	t.Helper()
	calm := make([]bool, len(want)/gates/3)
	for e := range calm {
		calm[e] = true
		if prefix == "coincident/" {
			list := differences(t, prefix, want[e*gates*3:(e+1)*gates*3], got[e*gates*3:(e+1)*gates*3])
			calm[e] = list[len(list)-1] < 1e-5
		}
	}
	return calm
}

// TestGolden compares courses with the output of the reference system.
func TestGolden(t *testing.T) {
	device := openCPU(t)
	for _, file := range []string{"gates_bezier.npz", "gates_voronoi.npz"} {
		reference := golden.Open(t, file)
		for _, key := range reference.Keys() {
			prefix, isConfig := strings.CutSuffix(key, "config.npy")
			if !isConfig {
				continue
			}
			t.Run(strings.TrimSuffix(file, ".npz")+"/"+strings.TrimSuffix(prefix, "/"), func(t *testing.T) {
				compareGolden(t, device, reference, prefix)
			})
		}
	}
}

func compareGolden(t *testing.T, device backend.Device, reference *npz.Reader, prefix string) {
	var text string
	require.NoError(t, reference.Read(prefix+"config.npy", &text))
	count := golden.Array[int32](t, reference, prefix+"count")
	c := referenceConfig(t, text, len(count))
	b := generate(t, device, c, gate.WithSeed(goldenSeed))
	assert.Equal(t, count, b.Count)
	assert.Equal(t, golden.Array[int32](t, reference, prefix+"valid"), b.Valid)
	assert.Equal(t, golden.Array[int32](t, reference, prefix+"frame_fallbacks"), b.FrameFallbacks)

	position := golden.Array[float32](t, reference, prefix+"position")
	calm := settles(t, prefix, position, floats(b.Position), b.MaxGates)
	unsettled := 0
	for _, c := range calm {
		if !c {
			unsettled++
		}
	}
	assert.LessOrEqual(t, unsettled, 2, "envs that amplify rounding errors")
	only := func(list []float32, components int) []float32 { // the values of the envs that settle
		var kept []float32
		row := components * b.MaxGates
		for e, ok := range calm {
			if ok {
				kept = append(kept, list[e*row:(e+1)*row]...)
			}
		}
		return kept
	}
	largest, turned := 2e-6, 1e-5
	if prefix == "relax_hard/" { // gates still move in the last sweep
		largest, turned = 5e-5, 1e-4
	}
	check := func(name string, got []float32, components int, median, most float64) {
		want := golden.Array[float32](t, reference, prefix+name)
		list := differences(t, name, only(want, components), only(got, components))
		t.Logf("%s: median %.2g, largest %.2g", name, list[len(list)/2], list[len(list)-1])
		assert.LessOrEqual(t, list[len(list)/2], median, "%s: median", name)
		assert.LessOrEqual(t, list[len(list)-1], most, "%s: largest", name)
	}
	check("position", floats(b.Position), 3, 1e-6, largest)
	check("left", floats(b.Left), 3, 1e-6, largest)
	check("right", floats(b.Right), 3, 1e-6, largest)
	check("tangent", floats(b.Tangent), 3, 1e-5, turned)
	check("forward", floats(b.Forward), 3, 1e-5, turned)
	check("half_size", b.HalfSize, 1, 0, 0)
	orientation := golden.Array[float32](t, reference, prefix+"orientation")
	check("orientation", upToSign(orientation, b.Orientation), 4, 1e-5, turned)
}

// upToSign returns the components of quaternions, with the signs for which they are nearest to those of want.
func upToSign(want []float32, quaternions []kernel.Quat) []float32 {
	list := make([]float32, 0, 4*len(quaternions))
	for i, q := range quaternions {
		w := want[4*i : 4*i+4]
		if w[0]*q.X+w[1]*q.Y+w[2]*q.Z+w[3]*q.W < 0 {
			q = kernel.Quat{X: -q.X, Y: -q.Y, Z: -q.Z, W: -q.W}
		}
		list = append(list, q.X, q.Y, q.Z, q.W)
	}
	return list
}
