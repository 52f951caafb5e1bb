package export

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/track"
)

// unevenBatch returns four tracks of 5, 0, 9 and 7 points, with room for 20. All values are
// distinct.
func unevenBatch() *track.Batch {
	b := newBatch(4, 20)
	b.WidthLeft = make([]float32, 4*20)
	copy(b.Count, []int32{5, 0, 9, 7})
	for e := range b.Envs {
		b.Seed[e], b.Length[e] = int32(100+e), float32(e)+0.5
		for i := range int(b.Count[e]) {
			k := e*b.NMax + i
			b.Center[k].X, b.Outer[k].Y, b.Inner[k].Z = float32(k), float32(k)+0.25, float32(k)+0.75
			b.Arclen[k], b.WidthLeft[k] = float32(2*k), float32(3*k)
		}
	}
	return b
}

// An array that is cut to the longest track has the rows of the whole array, cut, and fits the names and shapes of the
// other arrays. It does not depend on the chunks.
func TestNPZTight(t *testing.T) {
	b := unevenBatch()
	for name, options := range map[string][]NPZOption{
		"stored": {Tight()}, "deflated": {Compressed(), Tight()},
		"with descriptors": {Tight(), func(w *npzArchive) { w.stream64 = 200 }},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeNPZ(t, b, []int{4}, options...)
			got, metadata, err := ReadNPZ(path)
			require.NoError(t, err)
			require.Equal(t, 9, got.NMax)
			require.Equal(t, sampleMetadata().Config.Output.MaxPoints, metadata.Config.Output.MaxPoints)
			for i, c := range track.Schema.Host(&got.HostColumns) {
				whole := track.Schema.Host(&b.HostColumns)[i]
				if c.Per != column.Point {
					assert.Equal(t, whole.AppendWords(nil, 0, 4), c.AppendWords(nil, 0, 4), c.Name)
					continue
				}
				for e := range 4 {
					row, cut := e*whole.Stride(20), e*c.Stride(9)
					assert.Equal(t, whole.AppendWords(nil, row, row+c.Stride(9)),
						c.AppendWords(nil, cut, cut+c.Stride(9)), "%s of env %d", c.Name, e)
				}
			}
			for _, chunks := range [][]int{{1, 1, 1, 1}, {3, 0, 1}} {
				assert.Equal(t, readFile(t, path), readFile(t, writeNPZ(t, b, chunks, options...)), chunks)
			}
		})
	}
}

// A batch without padding is the same file with Tight as without, and a batch without points has room for one.
func TestNPZTightLimits(t *testing.T) {
	full := unevenBatch()
	full.Count[1] = 20
	assert.Equal(t, readFile(t, writeNPZ(t, full, []int{4})), readFile(t, writeNPZ(t, full, []int{4}, Tight())))

	empty := newBatch(3, 8)
	got, _, err := ReadNPZ(writeNPZ(t, empty, []int{3}, Tight()))
	require.NoError(t, err)
	assert.Equal(t, Shape{Envs: 3, NMax: 1}, ShapeOf(got))
}

// The rows of each piece are cut one by one, also in a batch of many pieces. Cancellation stops that pass.
func TestNPZTightInPieces(t *testing.T) {
	const envs, room = 90, 2048 // a row of vectors takes 24 KiB: 42 rows make a piece
	b := newBatch(envs, room)
	for e := range envs {
		b.Count[e] = int32(1 + e%5)
		for i := range int(b.Count[e]) {
			b.Center[e*room+i].Y = float32(1000*e + i)
		}
	}
	path := filepath.Join(t.TempDir(), "tracks.npz")
	w, err := NewNPZWriter(path, ShapeOf(b), Metadata{}, Tight())
	require.NoError(t, err)
	require.NoError(t, w.Append(t.Context(), b))
	require.NoError(t, w.Commit(t.Context()))
	r, err := OpenNPZ(path)
	require.NoError(t, err)
	defer r.Close()
	for first := 0; ; {
		chunk, err := r.Read(t.Context(), 7)
		if errors.Is(err, io.EOF) {
			assert.Equal(t, envs, first)
			break
		}
		require.NoError(t, err)
		for e := range chunk.Envs {
			for i := range int(chunk.Count[e]) {
				require.InDelta(t, 1000*(first+e)+i, chunk.Center[e*5+i].Y, 0)
			}
		}
		first += chunk.Envs
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Less(t, info.Size(), int64(envs*5*100+8000))

	w, err = NewNPZWriter(path, ShapeOf(b), Metadata{}, Tight())
	require.NoError(t, err)
	require.NoError(t, w.Append(t.Context(), b))
	stopped, stop := context.WithCancel(t.Context())
	stop()
	assert.ErrorIs(t, w.Commit(stopped), context.Canceled)
}
