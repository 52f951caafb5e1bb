package measure

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/bench/roofline"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// TestWorkOfKnownKernels counts kernels whose work is known.
func TestWorkOfKnownKernels(t *testing.T) {
	heard := make(map[*kernel.Def]kernel.Work)
	device, err := backend.Open("cpu", backend.Debug(true), backend.Work(func(def *kernel.Def,
		work kernel.Work) {
		heard[def] = work
	}))
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	words, err := exec.NewArray[uint32](device, 8)
	require.NoError(t, err)
	defer words.Close()
	copied, err := exec.NewArray[uint32](device, 20)
	require.NoError(t, err)
	defer copied.Close()
	numbers, err := exec.NewArray[float32](device, 5)
	require.NoError(t, err)
	defer numbers.Close()
	lc, err := exec.For(context.Background(), device)
	require.NoError(t, err)
	roofline.CopyWords(lc, 2, words, copied)
	roofline.MultiplyAdd(lc, 3, 5, 0.5, 1, numbers)
	require.NoError(t, lc.Err())
	assert.Equal(t, map[*kernel.Def]kernel.Work{
		&roofline.CopyWordsDef: {BytesRead: 32, BytesWritten: 32},
		// Eleven sums before, twelve products and sums in each of five steps, and eleven sums after.
		&roofline.MultiplyAddDef: {Operations: 3 * (11 + 5*24 + 11), BytesWritten: 12},
	}, heard)
}

func TestCountWork(t *testing.T) {
	list, stages, err := CountWork(context.Background(), Tracks(tracktest.Config(track.Polar, 1)))
	require.NoError(t, err)
	var names []string
	for _, k := range list {
		names = append(names, k.Kernel[len("github.com/trackgen-go/trackgen/kernels/"):])
		assert.Equal(t, 1, k.Launches, k.Kernel)
		assert.Positive(t, k.Bytes, k.Kernel)
	}
	assert.Equal(t, []string{"selection.key", "centerline.polar", "centerline.space", "relaxation.relax",
		"inflation.even", "inflation.level", "inflation.inflate", "inflation.validate"}, names)
	assert.Zero(t, list[0].Operations, "keys are integers")
	sum := total(list)
	require.Len(t, stages, len(list), "each stage of polar is one launch")
	for i, stage := range stages {
		assert.Equal(t, list[i].Work, stage.Work, stage.Name)
	}
	assert.Greater(t, list[3].Operations, sum.Operations/2, "relaxation is most of the work")
	assert.InDelta(t, sum.Operations/10, sum.Floor(1, roofline.Roofline{BytesPerSecond: 1e30, OperationsPerSecond: 10}),
		1e-6)

	_, _, err = CountWork(context.Background(), Tracks(tracktest.Config("abacus", 1)))
	require.ErrorIs(t, err, track.ErrConfig)
}
