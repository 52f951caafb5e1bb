package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// page is a page of a file as its header declares it.
type page struct {
	stored, decoded int64 // bytes in the file, and of the values
	values          int64
	levels          int64 // bytes of levels before the values that are never compressed (DATA_PAGE_V2)
	uncompressed    bool  // although the column has a codec (DATA_PAGE_V2)
}

// widestWindow is the largest window of a zstd frame, in bytes: that of the strongest level of the reference program.
const widestWindow = 128 << 20

// checkCompressed checks that the content of a page has the declared size when it is decompressed. The reader of the
// library believes what a compressed block says of itself, up to gigabytes. It also doubles its memory until a block of
// LZ4 fits, and loses pages of that codec where it does so (parquet-go 0.32), so such files are refused.
func checkCompressed(data io.ReaderAt, codec format.CompressionCodec, start int64, p page) error {
	if codec == format.Uncompressed || p.uncompressed {
		return nil
	}
	if p.levels < 0 || p.levels > p.stored || p.levels > p.decoded {
		return errors.New("the header of a page is damaged")
	}
	block := make([]byte, p.stored-p.levels)
	if _, err := data.ReadAt(block, start+p.levels); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if len(block) == 0 && p.decoded == p.levels {
		return nil
	}
	if err := checkBlock(codec, block, p.decoded-p.levels); err != nil {
		return fmt.Errorf("a page compressed with %v is damaged: %w", codec, err)
	}
	return nil
}

// checkBlock returns an error if a compressed block does not have the given size when it is decompressed.
func checkBlock(codec format.CompressionCodec, block []byte, size int64) error {
	switch codec {
	case format.Snappy:
		n, err := snappy.DecodedLen(block)
		if err := wrongSize(int64(n), size, err); err != nil {
			return err
		}
		_, err = snappy.Decode(make([]byte, size), block)
		return err
	case format.Zstd:
		return checkStream(func(r io.Reader) (io.Reader, error) {
			decoder, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(widestWindow))
			if err != nil {
				return nil, err
			}
			return decoder.IOReadCloser(), nil
		}, block, size)
	case format.Gzip:
		return checkStream(func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }, block, size)
	case format.Brotli:
		return checkStream(func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil }, block, size)
	}
	return errors.New("must be compressed with SNAPPY, GZIP, BROTLI or ZSTD, or not at all")
}

// checkStream decompresses a block by a reader, up to the size that it should have.
func checkStream(open func(io.Reader) (io.Reader, error), block []byte, size int64) (err error) {
	reader, err := open(bytes.NewReader(block))
	if err != nil {
		return err
	}
	if closer, ok := reader.(io.Closer); ok {
		defer func() { err = errors.Join(err, closer.Close()) }()
	}
	n, err := io.Copy(io.Discard, io.LimitReader(reader, size+1))
	return wrongSize(n, size, err)
}

func wrongSize(n, size int64, err error) error {
	if err == nil && n != size {
		err = fmt.Errorf("it has at least %d bytes: expected %d", n, size)
	}
	return err
}
