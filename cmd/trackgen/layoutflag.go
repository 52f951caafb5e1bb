package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen/export/parquet"
)

// layoutFlags are the flags for the columns of a Parquet file of tracks.
type layoutFlags struct {
	compression, precision string
	columns                []string
}

// layoutNames are the names of the flags, which are those of the fields of a LayoutError.
var layoutNames = []string{"compression", "precision", "columns"}

// layoutError returns an error of the input for a wrong layout, by the name of its flag.
func layoutError(err error) error {
	var wrong *parquet.LayoutError
	if errors.As(err, &wrong) {
		return badInputf("--%s is %q: must be %s", wrong.Field, wrong.Value, wrong.Allowed)
	}
	return err
}

func (f *layoutFlags) register(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&f.compression, "compression", "",
		"`method` that compresses Parquet: snappy, zstd or none (default snappy)")
	flags.StringVar(&f.precision, "precision", "",
		"`precision` of the points in Parquet: single, every bit, or half, float16 (default single)")
	flags.StringSliceVar(&f.columns, "columns", nil, "`names` of the columns of points in Parquet: "+
		strings.Join(parquet.PointColumns(), ", ")+" (default all that the tracks have)")
	completeFlag(command, "compression", string(parquet.Snappy), string(parquet.Zstandard),
		string(parquet.Uncompressed))
	completeFlag(command, "precision", string(parquet.Single), string(parquet.Half))
	completeFlag(command, "columns", parquet.PointColumns()...)
}

// layout returns the layout that the flags request.
func (f *layoutFlags) layout() parquet.Layout {
	return parquet.Layout{
		Compression: parquet.Compression(f.compression), Precision: parquet.Precision(f.precision), Columns: f.columns,
	}
}
