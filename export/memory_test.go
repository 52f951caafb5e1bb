package export

import (
	"context"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestChunksTakeFlatMemory writes a batch of 200 chunks with every writer and checks that the total of all allocations
// is far less than the size of the batch.
func TestChunksTakeFlatMemory(t *testing.T) {
	const chunks = 200
	chunk := newBatch(10, 100)
	for e := range chunk.Envs {
		setTrack(chunk, e, 100, 0.1, circle(0.5))
	}
	size := int64(chunks*chunk.Envs) * int64(len(words(chunk))/chunk.Envs)
	for name, create := range writers {
		w, err := create(filepath.Join(t.TempDir(), "out"), Shape{Envs: chunks * chunk.Envs, NMax: chunk.NMax})
		require.NoError(t, err)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range chunks {
			require.NoError(t, w.Append(context.Background(), chunk))
		}
		require.NoError(t, w.Commit(context.Background()))
		runtime.ReadMemStats(&after)
		require.Less(t, int64(after.TotalAlloc-before.TotalAlloc), size/2, name)
	}
}
