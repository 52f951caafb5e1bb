package export

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/track"
)

// NPZWriter writes a batch to an .npz file; NewNPZWriter returns one. It must not be used by several goroutines at the
// same time.
//
// The chunks go to a second temporary file beside the first, and Commit copies that file into the archive. Memory stays
// constant. Until Commit, the second file takes as much disk space as all arrays without Tight and Compressed.
type NPZWriter struct {
	archive *npzArchive
	file    *AtomicFile
	spool   temporary
	err     error
	closed  bool
}

// NewNPZWriter creates an .npz file for a batch of the given shape. It sets metadata.Config.NumEnvs to shape.Envs.
func NewNPZWriter(target string, shape Shape, metadata Metadata, options ...NPZOption) (*NPZWriter, error) {
	archive, err := newNPZArchive(shape, metadata.forShape(shape), options)
	if err != nil {
		return nil, err
	}
	return newArchiveWriter(target, archive)
}

// newArchiveWriter creates the file of an archive.
func newArchiveWriter(target string, archive *npzArchive) (_ *NPZWriter, err error) {
	w := &NPZWriter{archive: archive}
	if w.file, err = CreateAtomic(target); err != nil {
		return nil, err
	}
	if w.spool, err = begin(w.file.folder, newFile); err != nil {
		return nil, errors.Join(writeError(target, err), w.file.Abort())
	}
	archive.spool = spoolFile{w.spool, target}
	return w, nil
}

// spoolFile reports errors under the name of the target.
type spoolFile struct {
	temporary
	target string
}

// WriteAt implements io.WriterAt.
func (s spoolFile) WriteAt(p []byte, offset int64) (int, error) {
	n, err := s.file.WriteAt(p, offset)
	if err != nil {
		err = writeError(s.target, err)
	}
	return n, err
}

// ReadAt implements io.ReaderAt.
func (s spoolFile) ReadAt(p []byte, offset int64) (int, error) {
	n, err := s.file.ReadAt(p, offset)
	if err != nil {
		err = fmt.Errorf("reading a temporary file of %q: %w", s.target, reason(err))
	}
	return n, err
}

// Append implements BatchWriter.
func (w *NPZWriter) Append(ctx context.Context, chunk *track.Batch) error {
	return w.add(func() error { return w.archive.add(ctx, chunk) })
}

// add adds a chunk unless there was an error before.
func (w *NPZWriter) add(store func() error) error {
	if w.err == nil && w.closed {
		w.err = errors.New("export: the file is already complete or removed")
	}
	if w.err == nil {
		w.err = store()
	}
	return w.err
}

// Commit implements BatchWriter.
func (w *NPZWriter) Commit(ctx context.Context) error {
	if w.err == nil && w.closed {
		w.err = errors.New("export: the file is already complete or removed")
	}
	if w.err == nil {
		w.err = w.archive.complete(ctx)
	}
	if w.err == nil {
		w.err = w.assemble(ctx)
	}
	if w.err != nil {
		return errors.Join(w.err, w.Abort())
	}
	w.closed = true
	if err := w.removeSpool(); err != nil {
		return errors.Join(err, w.file.Abort())
	}
	return w.file.Commit()
}

// Abort implements BatchWriter.
func (w *NPZWriter) Abort() error {
	if w.closed {
		return nil
	}
	w.closed = true
	return errors.Join(w.removeSpool(), w.file.Abort())
}

func (w *NPZWriter) removeSpool() error {
	if err := errors.Join(w.spool.file.Close(), end([]string{w.spool.path}, w.spool.remove)); err != nil {
		return fmt.Errorf("removing a temporary file of %q: %w", w.file.target, err)
	}
	return nil
}

// assemble writes the archive. If OpenNPZ would refuse it, it writes the archive again without compression.
func (w *NPZWriter) assemble(ctx context.Context) error {
	if err := w.archive.assemble(ctx, w.file); err != nil || w.archive.method == zip.Store {
		return err
	}
	size, err := w.file.size()
	if err != nil || w.archive.readable(size) {
		return err
	}
	if err := w.file.restart(); err != nil {
		return err
	}
	w.archive.method = zip.Store
	return w.archive.assemble(ctx, w.file)
}
