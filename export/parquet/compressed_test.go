package parquet

import (
	"bytes"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"
)

// A block must have the declared size when it is decompressed, whatever it says of itself.
func TestCompressedBlocks(t *testing.T) {
	const size = 10_000
	content := bytes.Repeat([]byte("tracks and "), size)[:size]
	codecs := []compress.Codec{&parquet.Snappy, &parquet.Zstd, &parquet.Gzip, &parquet.Brotli}
	for _, codec := range codecs {
		block, err := codec.Encode(nil, content)
		require.NoError(t, err)
		id := codec.CompressionCodec()
		require.NoError(t, checkBlock(id, block, size), id)
		require.Error(t, checkBlock(id, block, size-1), "%v: a block that takes more than was declared", id)
		require.Error(t, checkBlock(id, block, size+1), "%v: a block that takes less than was declared", id)
		require.Error(t, checkBlock(id, block[:len(block)/2], size), "%v: half a block", id)
		for i := range block { // nothing panics, and nothing takes gigabytes
			damaged := bytes.Clone(block)
			damaged[i] ^= 0x41
			_ = checkBlock(id, damaged, size)
		}
		page := page{stored: int64(len(block)), decoded: size}
		require.NoError(t, checkCompressed(bytes.NewReader(block), id, 0, page))
		page.levels = page.stored + 1
		require.ErrorContains(t, checkCompressed(bytes.NewReader(block), id, 0, page), "the header of a page is damaged")
		page.uncompressed = true
		require.NoError(t, checkCompressed(bytes.NewReader(block), id, 0, page), "DATA_PAGE_V2 that is not compressed")
	}
	require.ErrorContains(t, checkBlock(format.Lz4Raw, content, size),
		"must be compressed with SNAPPY, GZIP, BROTLI or ZSTD")
}
