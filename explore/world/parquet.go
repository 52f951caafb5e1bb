//go:build !js

package world

import (
	"io"

	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/export/parquet"
)

// parquetNote is what the page says about Parquet beside what it holds.
const parquetNote = ""

func newParquet(to io.Writer, shape export.Shape, metadata export.Metadata,
	numbered export.EncoderOption) (export.Encoder, error) {
	return parquet.NewEncoder(to, shape, metadata, numbered)
}

func newGateParquet(to io.Writer, shape export.Shape, metadata export.GateMetadata,
	numbered export.EncoderOption) (export.GateEncoder, error) {
	return parquet.NewGateEncoder(to, shape, metadata, numbered)
}
