package command

import (
	"io"

	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/export/parquet"
)

// target is a file to write, with its format.
type target struct {
	path   string
	format format
	arrays []export.NPZOption // of an .npz file
}

// create creates the file for a batch of the given shape.
func (t target) create(shape export.Shape, metadata export.Metadata) (export.BatchWriter, error) {
	switch t.format {
	case formatNPZ:
		return export.NewNPZWriter(t.path, shape, metadata, t.arrays...)
	case formatCSV:
		return export.Create(t.path, func(w io.Writer) (export.Encoder, error) { return export.NewPointsCSV(w, shape) })
	case formatJSON:
		return export.Create(t.path, func(w io.Writer) (export.Encoder,
			error) {
			return export.NewTracksJSON(w, shape, metadata)
		})
	case formatParquet:
		return export.Create(t.path, func(w io.Writer) (export.Encoder,
			error) {
			return parquet.NewEncoder(w, shape, metadata)
		})
	default:
		return newPicture(t, metadata, shape.Envs), nil
	}
}

// circuitCell returns the cell size for pictures of circuits, in pixels. It is larger than for generated tracks,
// because circuits are long compared to the width of their road.
func circuitCell(envs int) int {
	if envs == 1 {
		return 900
	}
	return 420
}
