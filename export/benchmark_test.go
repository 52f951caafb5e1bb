package export

import (
	"context"
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/gate"
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
	level, hilly := benchmarkBatch(), benchmarkBatch()
	courses := gate.NewBatch(512, 18)
	for e := range hilly.Envs {
		raise(hilly, e, wave)
		ringOfGates(courses, e, 18, 1, 0.1, wave)
	}
	for _, picture := range []struct {
		name  string
		write func(io.Writer, Picture) error
	}{
		{"level/svg", func(w io.Writer, p Picture) error { return WriteSVG(w, level, p) }},
		{"level/png", func(w io.Writer, p Picture) error { return WritePNG(w, level, p) }},
		{"hills/svg", func(w io.Writer, p Picture) error { return WriteSVG(w, hilly, p) }},
		{"hills/png", func(w io.Writer, p Picture) error { return WritePNG(w, hilly, p) }},
		{"gates/svg", func(w io.Writer, p Picture) error { return WriteGatesSVG(w, courses, p) }},
		{"gates/png", func(w io.Writer, p Picture) error { return WriteGatesPNG(w, courses, p) }},
	} {
		for _, view := range Views() {
			bench.Run(picture.name+"/"+string(view), func(bench *testing.B) {
				for bench.Loop() {
					require.NoError(bench, picture.write(io.Discard, Picture{View: view, CellSize: DefaultCellSize}))
				}
			})
		}
	}
}
