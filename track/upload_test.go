package track

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
)

// A batch comes back from the device as it was, and what stands for 0 where it is absent becomes 0.
func TestUpload(t *testing.T) {
	device := openCPU(t)
	config := DefaultConfig()
	config.NumEnvs, config.Elevation.Profile, config.Elevation.Max = 5, "uniform", 0.2
	g, err := NewGenerator(device, config, WithSeed(3))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	batch, err := g.Track().Batch(t.Context())
	require.NoError(t, err)
	batch.Names = []string{"a", "b", "c", "", "e"}
	upload := func(b *Batch) *Batch {
		tracks, err := Upload(t.Context(), device, b)
		require.NoError(t, err)
		defer func() { require.NoError(t, tracks.Close()) }()
		back, err := tracks.Batch(t.Context())
		require.NoError(t, err)
		return back
	}
	words := func(b *Batch) (words []byte) {
		for _, c := range Schema.Host(&b.HostColumns) {
			words = c.AppendWords(words, 0, c.Len())
		}
		return words
	}
	back := upload(batch)
	assert.Equal(t, words(batch), words(back))
	assert.Equal(t, batch.Names, back.Names)
	assert.Nil(t, back.Crossings, "unknown before and after")

	batch.Seed, batch.Reason, batch.WidthLeft = nil, nil, nil
	back = upload(batch)
	assert.Equal(t, make([]int32, 5), back.Seed)
	assert.Equal(t, make([]Reason, 5), back.Reason)
	assert.Nil(t, back.WidthLeft)
}

func TestUploadRefusesWrongSizes(t *testing.T) {
	device := openCPU(t)
	for want, change := range map[string]func(b *Batch){
		"track: upload: batch.Envs is 0: must be 1 to 16777216":        func(b *Batch) { b.Envs = 0 },
		"track: upload: batch.NMax is -1: must be 1 to 65536":          func(b *Batch) { b.NMax = -1 },
		"track: upload: length of batch.center is 7: must be 16":       func(b *Batch) { b.Center = b.Center[:7] },
		"track: upload: length of batch.count is 0: must be 2":         func(b *Batch) { b.Count = nil },
		"track: upload: length of batch.width_left is 1: must be 16":   func(b *Batch) { b.WidthLeft = []float32{1} },
		"track: upload: batch.Names is 1: must be 2 names, or none":    func(b *Batch) { b.Names = []string{"a"} },
		"track: upload: length of batch.seed is 3: must be 2":          func(b *Batch) { b.Seed = make([]int32, 3) },
		"track: upload: length of batch.outer is 16: must be 33554432": func(b *Batch) { b.Envs = 1 << 22 },
	} {
		b := NewBatch(2, 8)
		change(b)
		_, err := Upload(t.Context(), device, b)
		assert.EqualError(t, err, want)
		assert.ErrorIs(t, err, backend.ErrInvalid)
	}
	_, err := Upload(t.Context(), device, nil)
	assert.ErrorIs(t, err, backend.ErrInvalid)
	_, err = Upload(t.Context(), nil, NewBatch(1, 8))
	assert.ErrorIs(t, err, backend.ErrInvalid)

	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	require.NoError(t, stream.BeginCapture())
	lc, err := exec.For(t.Context(), device, exec.OnStream(stream))
	require.NoError(t, err)
	_, err = Upload(exec.With(t.Context(), lc), device, NewBatch(1, 8))
	assert.ErrorIs(t, err, exec.ErrCapture)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	require.NoError(t, graph.Close())
}
