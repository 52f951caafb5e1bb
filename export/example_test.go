package export_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"path/filepath"

	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/track"
)

// Write a file of 100 tracks in chunks of 40 and read it back whole.
func ExampleNewNPZWriter() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "tracks.npz")

	ctx := context.Background()
	w, err := export.NewNPZWriter(path, export.Shape{Envs: 100, NMax: 384}, export.Metadata{Version: "v1.0.0"})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort() // does nothing after Commit
	for first := 0; first < 100; first += 40 {
		if err := w.Append(ctx, track.NewBatch(min(40, 100-first), 384)); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Commit(ctx); err != nil {
		log.Fatal(err)
	}

	batch, metadata, err := export.ReadNPZ(path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(batch.Envs, batch.NMax, metadata.Version)
	// Output: 100 384 v1.0.0
}

func ExampleSummarize() {
	batch := track.NewBatch(4, 8)
	batch.Valid = []int32{1, 1, 0, 1}
	batch.Length = []float32{5, 4, 0, 6}
	batch.Reason[2] = track.ReasonCurvature
	summary, err := export.Summarize(batch)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(summary.Valid, "of", summary.Envs, "valid, mean length", summary.Length.Mean, summary.Reasons)
	// Output: 3 of 4 valid, mean length 5 [{curvature 1}]
}

func ExampleCreate() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "tracks.csv")

	ctx := context.Background()
	batch := track.NewBatch(2, 8)
	batch.Seed = []int32{7, 8}
	w, err := export.Create(path, func(w io.Writer) (export.Encoder, error) {
		return export.NewSummaryCSV(w, export.ShapeOf(batch))
	})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort()
	if err := w.Append(ctx, batch); err != nil {
		log.Fatal(err)
	}
	if err := w.Commit(ctx); err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(text))
	// Output:
	// env,seed,epoch,valid,reason,count,length,winding,candidate,component
	// 0,7,0,0,unknown,0,0,0,0,0
	// 1,8,0,0,unknown,0,0,0,0,0
}

// zipFiles writes the files of a map into an archive.
type zipFiles struct{ *zip.Writer }

// WriteFile implements export.MapFiles.
func (z zipFiles) WriteFile(name string, write func(io.Writer) error) error {
	w, err := z.Create(name)
	if err != nil {
		return err
	}
	return write(w)
}

// Write the map of a ring of radius 5 m into an archive in memory: no file is needed.
func ExampleWriteOccupancyMap() {
	ring := func(radius float64) (points []export.Point) {
		for i := range 64 {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / 64)
			points = append(points, export.Point{X: radius * cos, Y: radius * sin})
		}
		return points
	}
	road := &export.Road{Winding: 1, Center: ring(5), Right: ring(6), Left: ring(4)}
	var archive bytes.Buffer
	files := zipFiles{zip.NewWriter(&archive)}
	if err := export.WriteOccupancyMap(files, "Ring_map", road, export.OccupancyMap{Resolution: 0.1}); err != nil {
		log.Fatal(err)
	}
	if err := files.Close(); err != nil {
		log.Fatal(err)
	}
	written, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	if err != nil {
		log.Fatal(err)
	}
	for _, file := range written.File {
		fmt.Println(file.Name)
	}
	// Output:
	// Ring_map.png
	// Ring_centerline.csv
	// Ring_map.yaml
}
