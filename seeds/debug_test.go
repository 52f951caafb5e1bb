package seeds_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/seeding"
	"github.com/trackgen-go/trackgen/seeds"
)

// everyKernel launches every kernel of package seeding, with duplicate and unknown ids too, and returns all results.
func everyKernel(t *testing.T, device backend.Device) (ints [][]int32, floats [][]float32, quats []kernel.Quat) {
	const envs, per = 40, 6
	s, r := newState(t, device, envs, seeds.Options{Base: -20}), newPerEnv(t, device, envs, seeds.Options{Base: 3})
	mask := make([]int32, envs)
	ids := make([]int32, envs)
	for e := range envs {
		mask[e] = int32(e % 3)
		ids[e] = int32(e*e%(envs+3)) - 1
	}
	masks, idsArray := newArray(t, device, mask...), newArray(t, device, ids...)
	flag, out := newArray(t, device, int32(0)), newArray(t, device, make([]int32, envs)...)
	i, n, p := newArray(t, device, make([]int32, envs*per)...), newArray(t, device, make([]int32, envs*per)...),
		newArray(t, device, make([]int32, envs*per)...)
	u, v, w := newArray(t, device, make([]float32, envs*per)...), newArray(t, device, make([]float32, envs*per)...),
		newArray(t, device, make([]float32, envs*per)...)
	q := newArray(t, device, make([]kernel.Quat, envs*per)...)
	do(t, device, func(lc *exec.LaunchContext) {
		s.Advance(lc)
		s.AdvanceMasked(lc, masks)
		s.Effective(lc, out)
		s.SetIDs(lc, idsArray, masks)
		s.Advance(lc)
		s.ResetEpochMasked(lc, masks)
		s.Advance(lc)
		s.EffectiveMasked(lc, out, masks)
		seeds.AnySet(lc, masks, flag)
		samples := seeds.Samples{Rows: 2, Columns: 3, IDs: idsArray}
		r.SetSeedsIDs(lc, idsArray, masks)
		r.Uniform(lc, u, -1, 1, samples)
		r.Normal(lc, v, 0, 1, samples)
		r.SignFloat(lc, w, samples)
		r.Integer(lc, i, 0, 100, samples)
		r.SignInt(lc, n, samples)
		r.Poisson(lc, p, 15, samples)
		r.Poisson(lc, p, 2, seeds.Samples{Rows: per})
		r.Quaternion(lc, q, samples)
	})
	for _, a := range []exec.Array[int32]{s.Seed(), s.Epoch(), r.Seed(), out, flag, i, n, p} {
		ints = append(ints, read(t, a))
	}
	for _, a := range []exec.Array[float32]{u, v, w} {
		floats = append(floats, read(t, a))
	}
	return ints, floats, read(t, q)
}

// In debug mode every launch runs the instrumented twin, which detects races, bad indices and bad divisions. It must
// find none, and the results must have the same bits.
func TestKernelsInDebugMode(t *testing.T) {
	for _, def := range seeding.Defs {
		require.NotNil(t, def.Twin, def.Name)
	}
	ints, floats, quats := everyKernel(t, openCPU(t, backend.Workers(1)))
	for seed := range uint64(3) {
		debugInts, debugFloats, debugQuats := everyKernel(t, openCPU(t, backend.Debug(true), backend.DebugSeed(seed)))
		assert.Equal(t, ints, debugInts)
		assert.Equal(t, floats, debugFloats)
		assert.Equal(t, quats, debugQuats)
	}
}
