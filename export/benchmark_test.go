package export

import (
	"context"
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/track"
)

// benchmarkBatch is as large as a batch of 512 tracks of the default configuration.
func benchmarkBatch() *track.Batch {
	b := newBatch(512, 384)
	for e := range b.Envs {
		setTrack(b, e, 80, 0.1, wavy(0.5, 0.2, 3+e%3, float64(e)))
	}
	return b
}

func BenchmarkWriters(bench *testing.B) {
	b := benchmarkBatch()
	for name, create := range writers {
		bench.Run(name, func(bench *testing.B) {
			target := filepath.Join(bench.TempDir(), "out")
			for bench.Loop() {
				w, err := create(target, ShapeOf(b))
				require.NoError(bench, err)
				require.NoError(bench, w.Append(context.Background(), b))
				require.NoError(bench, w.Commit(context.Background()))
			}
		})
	}
}

func BenchmarkReadNPZ(bench *testing.B) {
	path := writeNPZ(bench, benchmarkBatch(), []int{512})
	for bench.Loop() {
		_, _, err := ReadNPZ(path)
		require.NoError(bench, err)
	}
}

func BenchmarkPictures(bench *testing.B) {
	b := benchmarkBatch()
	bench.Run("svg", func(bench *testing.B) {
		for bench.Loop() {
			require.NoError(bench, WriteSVG(io.Discard, b, Picture{}))
		}
	})
	bench.Run("png", func(bench *testing.B) {
		for bench.Loop() {
			require.NoError(bench, WritePNG(io.Discard, b, Picture{}))
		}
	})
}
