package seeds_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/golden"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/seeds"
)

// TestGoldenDraws makes the calls of the sampler of the reference system, for 8 envs with the seeds 1234 to 1241, in
// their order. Each call begins where the one before has left the streams, so equal values show that the states are
// equal too. Elementary functions may differ in the last bits.
func TestGoldenDraws(t *testing.T) { // docs/spec/pipeline.md, section 1
	reference := golden.Open(t, "rng.npz")
	const envs = 8
	device := openCPU(t)
	r := newPerEnv(t, device, envs, seeds.Options{Values: []int32{1234, 1235, 1236, 1237, 1238, 1239, 1240, 1241}})
	ids := newArray(t, device, int32(1), 5)

	floats := func(name string, within float64, draw func(lc *exec.LaunchContext, out exec.Array[float32])) {
		want := golden.Array[float32](t, reference, name)
		out := newArray(t, device, repeat[float32](0, len(want))...)
		do(t, device, func(lc *exec.LaunchContext) { draw(lc, out) })
		for i, got := range read(t, out) {
			assert.InDelta(t, want[i], got, within, "%s, sample %d", name, i)
		}
	}
	integers := func(name string, draw func(lc *exec.LaunchContext, out exec.Array[int32])) {
		want := golden.Array[int32](t, reference, name)
		out := newArray(t, device, repeat[int32](0, len(want))...)
		do(t, device, func(lc *exec.LaunchContext) { draw(lc, out) })
		assert.Equal(t, want, read(t, out), name)
	}
	row, grid := seeds.Samples{Columns: 4}, seeds.Samples{Rows: 2, Columns: 3}
	uniform := func(low, high float32, samples seeds.Samples) func(*exec.LaunchContext, exec.Array[float32]) {
		return func(lc *exec.LaunchContext, out exec.Array[float32]) { r.Uniform(lc, out, low, high, samples) }
	}
	floats("uniform_0_1_s4", 0, uniform(0, 1, row))
	floats("uniform_m2_3_s4_second", 1e-6, uniform(-2, 3, row))
	floats("uniform_s2x3", 1e-6, uniform(0, 1, grid))
	integers("integer_0_10_s4", func(lc *exec.LaunchContext, out exec.Array[int32]) { r.Integer(lc, out, 0, 10, row) })
	floats("normal_0_1_s4", 2e-6, func(lc *exec.LaunchContext, out exec.Array[float32]) { r.Normal(lc, out, 0, 1, row) })
	floats("normal_1_2_s2x3", 4e-6, func(lc *exec.LaunchContext, out exec.Array[float32]) {
		r.Normal(lc, out, 1, 2, grid)
	})
	integers("poisson_3_s4", func(lc *exec.LaunchContext, out exec.Array[int32]) { r.Poisson(lc, out, 3, row) })
	floats("sign_float_s4", 0, func(lc *exec.LaunchContext, out exec.Array[float32]) { r.SignFloat(lc, out, row) })

	// Quaternions are drawn in another way here (docs/spec/differences.md), but take as much of the streams.
	want := golden.Array[float32](t, reference, "quaternion_s2")
	quaternions := newArray(t, device, repeat(kernel.Quat{}, len(want)/4)...)
	do(t, device, func(lc *exec.LaunchContext) { r.Quaternion(lc, quaternions, seeds.Samples{Columns: 2}) })
	for i, q := range read(t, quaternions) {
		assert.InDelta(t, 1, norm(q.X, q.Y, q.Z, q.W), 1e-6)
		assert.Less(t, norm(want[4*i:4*i+4]...), 0.9999, "the reference's are no unit quaternions")
	}
	floats("uniform_ids_1_5_s3", 0, uniform(0, 1, seeds.Samples{Columns: 3, IDs: ids}))
	floats("uniform_scalar_shape1", 1e-6, uniform(0, 1, seeds.Samples{}))
}

func norm(v ...float32) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}
