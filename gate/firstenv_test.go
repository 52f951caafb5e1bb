package gate_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
)

// A batch that is made in parts has the courses of the whole batch, also where gates lie in one place (C-35).
func TestPartsOfABatch(t *testing.T) {
	const envs, part = 9, 3
	ctx, device := context.Background(), openCPU(t)
	for _, candidates := range []int{1, 3} {
		c := configurations()["together"]
		c.NumEnvs, c.Candidates = envs, candidates
		c.Gate.Width = 0.05 // some courses cross, so that candidates are drawn
		whole := bitsOf(generate(t, device, c))
		c.NumEnvs = part
		g, err := gate.NewGenerator(device, c, gate.WithSeed(part), gate.WithFirstEnv(part))
		require.NoError(t, err)
		defer func() { require.NoError(t, g.Close()) }()
		assert.Equal(t, whole[part:2*part], bitsOf(batchOf(t, g)), "the option")

		for _, first := range []int{6, 0, 3} {
			require.NoError(t, g.SetSeeds(ctx, []int32{int32(first), int32(first + 1), int32(first + 2)}))
			require.NoError(t, g.SetFirstEnv(ctx, first))
			_, err = g.Generate(ctx)
			require.NoError(t, err)
			assert.Equal(t, whole[first:first+part], bitsOf(batchOf(t, g)), "first env %d", first)
		}
		mask, err := exec.FromSlice(device, []int32{1, 0, 1})
		require.NoError(t, err)
		defer func() { require.NoError(t, mask.Close()) }()
		_, err = g.Regenerate(ctx, mask, gate.SameEpoch())
		require.NoError(t, err)
		assert.Equal(t, whole[part:2*part], bitsOf(batchOf(t, g)), "regeneration keeps the number")
	}
}

func TestFirstEnvIsChecked(t *testing.T) {
	ctx, device := context.Background(), openCPU(t)
	c := configOf(gate.Bezier, 3)
	g, err := gate.NewGenerator(device, c)
	require.NoError(t, err)
	for _, first := range []int{-1, math.MaxInt32 - 2, math.MinInt, math.MaxInt} {
		_, err := gate.NewGenerator(device, c, gate.WithFirstEnv(first))
		for _, err := range []error{err, g.SetFirstEnv(ctx, first)} {
			var wrong *backend.ArgumentError
			require.ErrorAs(t, err, &wrong)
			assert.Equal(t, "first env", wrong.Argument)
			assert.Equal(t, first, wrong.Value)
			assert.Contains(t, wrong.Allowed, "0 to 2147483644")
		}
	}
	require.NoError(t, g.SetFirstEnv(ctx, math.MaxInt32-3))
	require.NoError(t, g.Close())
	require.ErrorIs(t, g.SetFirstEnv(ctx, 0), backend.ErrClosed)
	var none *gate.Generator
	require.ErrorIs(t, none.SetFirstEnv(ctx, 0), backend.ErrInvalid)
}
