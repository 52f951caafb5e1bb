//go:build cgo && (linux || darwin)

package vulkan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
)

// emitAffine launches x = factor*x + term as a generated launcher would.
func emitAffine(lc *exec.LaunchContext, x exec.Array[int32], factor, term int32) {
	l := lc.Prepare(affineDef, x.Len())
	exec.Bind(l, x)
	l.Int32(factor)
	l.Int32(term)
	l.Launch()
}

// Eager bounded loops and skips are lowered to device conditionals (decision D3): the device ends the loop without the
// host.
func TestExecEagerConditionals(t *testing.T) {
	d := openTest(t, backend.Options{})
	active, err := exec.FromSlice(d, []int32{-3}) // counts up and ends the loop at 0
	require.NoError(t, err)
	defer func() { require.NoError(t, active.Close()) }()
	x, err := exec.FromSlice(d, []int32{0, 10})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close()) }()
	lc, err := exec.For(t.Context(), d)
	require.NoError(t, err)

	exec.BoundedLoop(lc, 50, func(lc *exec.LaunchContext, _ int) {
		emitAffine(lc, x, 1, 1)
		emitAffine(lc, active, 1, 1)
	}, exec.LoopOptions{Active: active})
	require.True(t, exec.SkipUnless(lc, active, func(lc *exec.LaunchContext) { emitAffine(lc, x, 1, 100) }))
	exec.Fill(lc, active, -2)
	exec.Repeat(lc, 9, active, func(lc *exec.LaunchContext) {
		emitAffine(lc, x, 1, 1000)
		emitAffine(lc, active, 1, 1)
		require.True(t, exec.SkipUnless(lc, active, func(lc *exec.LaunchContext) { emitAffine(lc, x, 1, 10_000) }))
	})
	require.NoError(t, lc.Err())
	values, err := x.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int32{12_003, 12_013}, values)
}
