package track_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// A Reader reads what Batch reads, with more tracks than before, with fewer, and of a generator without some columns.
func TestReader(t *testing.T) {
	d := open(t)
	var reader track.Reader
	for _, envs := range []int{3, 9, 2} {
		for _, name := range []string{track.Bezier, track.Polar} {
			g, err := track.NewGenerator(d, tracktest.Config(name, envs))
			require.NoError(t, err)
			want, err := g.Track().Batch(t.Context())
			require.NoError(t, err)
			got, err := reader.Read(t.Context(), g.Track())
			require.NoError(t, err)
			require.Equal(t, want.Count, got.Count)
			require.Equal(t, words(want), words(got))
			kept := new(track.Batch)
			require.NoError(t, kept.Append(got, 0))
			require.NoError(t, g.SetEpoch(t.Context(), 1))
			_, err = g.Generate(t.Context())
			require.NoError(t, err)
			again, err := reader.Read(t.Context(), g.Track())
			require.NoError(t, err)
			require.NotEqual(t, kept.Center[0], again.Center[0], "the next epoch")
			require.Same(t, &got.Center[0], &again.Center[0], "the same memory")
			require.NoError(t, g.Close())
		}
	}
	require.NoError(t, reader.Close())
	require.NoError(t, reader.Close())
}

func TestReaderRefuses(t *testing.T) {
	d, other := open(t), open(t)
	g, err := track.NewGenerator(d, tracktest.Config(track.Bezier, 2))
	require.NoError(t, err)
	elsewhere, err := track.NewGenerator(other, tracktest.Config(track.Bezier, 2))
	require.NoError(t, err)
	var reader track.Reader
	_, err = reader.Read(t.Context(), g.Track())
	require.NoError(t, err)
	_, err = reader.Read(t.Context(), elsewhere.Track())
	require.ErrorIs(t, err, exec.ErrDeviceMismatch)
	require.NoError(t, g.Close())
	_, err = reader.Read(t.Context(), g.Track())
	require.ErrorIs(t, err, exec.ErrClosed)
	require.NoError(t, reader.Close())
	_, err = reader.Read(t.Context(), elsewhere.Track())
	require.NoError(t, err, "a Reader can be used again after Close, on another device")
	require.NoError(t, reader.Close())
	require.NoError(t, elsewhere.Close())
}

// words returns the bits of all columns of a batch.
func words(b *track.Batch) (bits []byte) {
	for _, c := range track.Schema.Host(&b.HostColumns) {
		bits = c.AppendWords(bits, 0, c.Len())
	}
	return bits
}
