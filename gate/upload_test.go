package gate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
)

// A batch comes back from the device as it was, and what stands for 0 where it is absent becomes 0.
func TestUpload(t *testing.T) {
	device := openCPU(t)
	generator, err := gate.NewGenerator(device, configOf(gate.Polar, 5), gate.WithSeed(3))
	require.NoError(t, err)
	defer func() { require.NoError(t, generator.Close()) }()
	batch, err := generator.Sequence().Batch(t.Context())
	require.NoError(t, err)
	upload := func(b *gate.Batch) *gate.Batch {
		courses, err := gate.Upload(t.Context(), device, b)
		require.NoError(t, err)
		defer func() { require.NoError(t, courses.Close()) }()
		back, err := courses.Batch(t.Context())
		require.NoError(t, err)
		return back
	}
	words := func(b *gate.Batch) (words []byte) {
		for _, c := range gate.Schema.Host(&b.HostColumns) {
			words = c.AppendWords(words, 0, c.Len())
		}
		return words
	}
	assert.Equal(t, words(batch), words(upload(batch)))

	batch.Seed, batch.Reason = nil, nil
	back := upload(batch)
	assert.Equal(t, make([]int32, 5), back.Seed)
	assert.Equal(t, make([]gate.Reason, 5), back.Reason)
	assert.Equal(t, batch.Count, back.Count)
}

func TestUploadRefusesWrongBatches(t *testing.T) {
	device := openCPU(t)
	for want, change := range map[string]func(b *gate.Batch){
		"gate: upload: batch.Envs is 0: must be 1 to 16777216":      func(b *gate.Batch) { b.Envs = 0 },
		"gate: upload: batch.MaxGates is -1: must be 1 to 65536":    func(b *gate.Batch) { b.MaxGates = -1 },
		"gate: upload: length of batch.position is 7: must be 16":   func(b *gate.Batch) { b.Position = b.Position[:7] },
		"gate: upload: length of batch.count is 0: must be 2":       func(b *gate.Batch) { b.Count = nil },
		"gate: upload: length of batch.seed is 3: must be 2":        func(b *gate.Batch) { b.Seed = make([]int32, 3) },
		"gate: upload: length of batch.position is 16: must be 800": func(b *gate.Batch) { b.Envs = 100 },
	} {
		b := gate.NewBatch(2, 8)
		change(b)
		_, err := gate.Upload(t.Context(), device, b)
		assert.EqualError(t, err, want)
		assert.ErrorIs(t, err, backend.ErrInvalid)
	}
	_, err := gate.Upload(t.Context(), device, nil)
	assert.ErrorIs(t, err, backend.ErrInvalid)
	_, err = gate.Upload(t.Context(), nil, gate.NewBatch(1, 8))
	assert.ErrorIs(t, err, backend.ErrInvalid)

	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	require.NoError(t, stream.BeginCapture())
	lc, err := exec.For(t.Context(), device, exec.OnStream(stream))
	require.NoError(t, err)
	_, err = gate.Upload(exec.With(t.Context(), lc), device, gate.NewBatch(1, 8))
	assert.ErrorIs(t, err, exec.ErrCapture)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	require.NoError(t, graph.Close())
}
