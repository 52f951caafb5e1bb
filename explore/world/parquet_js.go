package world

import (
	"io"

	"github.com/trackgen-go/trackgen/export"
)

// parquetNote is what the page says about Parquet beside what it holds. The libraries that write it are larger than all
// else of a WebAssembly build.
const parquetNote = " (not in a browser alone: trackgen explore writes it)"

var errNoParquet = refuse("format", "parquet", "another format in a browser alone; trackgen explore writes it")

func newParquet(io.Writer, export.Shape, export.Metadata, export.EncoderOption) (export.Encoder, error) {
	return nil, errNoParquet
}

func newGateParquet(io.Writer, export.Shape, export.GateMetadata, export.EncoderOption) (export.GateEncoder, error) {
	return nil, errNoParquet
}
