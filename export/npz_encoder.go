package export

import (
	"archive/zip"
	"context"
	"io"

	"github.com/trackgen-go/trackgen/track"
)

// npzEncoder implements Encoder.
type npzEncoder struct {
	archive *npzArchive
	w       io.Writer
}

// NewNPZ writes an .npz file to w, for example to an HTTP response. It keeps all arrays in memory until Finish, which
// writes the file; NewNPZWriter keeps them on the disk. It sets metadata.Config.NumEnvs to shape.Envs.
func NewNPZ(w io.Writer, shape Shape, metadata Metadata, options ...NPZOption) (Encoder, error) {
	archive, err := newNPZArchive(shape, metadata.forShape(shape), options)
	if err != nil {
		return nil, err
	}
	archive.spool = new(spoolMemory)
	return &npzEncoder{archive, w}, nil
}

// Append implements Encoder.
func (e *npzEncoder) Append(ctx context.Context, chunk *track.Batch) error {
	return e.archive.add(ctx, chunk)
}

// Finish implements Encoder.
func (e *npzEncoder) Finish() error {
	ctx := context.Background()
	if err := e.archive.complete(ctx); err != nil {
		return err
	}
	if e.archive.method != zip.Store {
		var size counter
		if err := e.archive.assemble(ctx, &size); err != nil {
			return err
		}
		if !e.archive.readable(int64(size)) {
			e.archive.method = zip.Store
		}
	}
	return e.archive.assemble(ctx, e.w)
}

// counter counts the bytes that are written to it.
type counter int64

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// spoolMemory is a spool in memory.
type spoolMemory struct{ bytes []byte }

// WriteAt implements io.WriterAt.
func (s *spoolMemory) WriteAt(p []byte, offset int64) (int, error) {
	if missing := offset + int64(len(p)) - int64(len(s.bytes)); missing > 0 {
		s.bytes = append(s.bytes, make([]byte, missing)...)
	}
	return copy(s.bytes[offset:], p), nil
}

// ReadAt implements io.ReaderAt.
func (s *spoolMemory) ReadAt(p []byte, offset int64) (int, error) {
	n := copy(p, s.bytes[min(offset, int64(len(s.bytes))):])
	if n < len(p) {
		return n, io.ErrUnexpectedEOF
	}
	return n, nil
}
