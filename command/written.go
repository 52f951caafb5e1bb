package command

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/export"
)

// writtenFiles are the files that a run writes, of tracks or of gate courses.
type writtenFiles[B any] struct {
	files   []target
	writers []export.WriterOf[B]
}

// createAll creates the files. After an error it returns those that it has created, for abort.
func createAll[B any](files []target, create func(target) (export.WriterOf[B], error)) (*writtenFiles[B], error) {
	w := &writtenFiles[B]{files: files}
	for _, file := range files {
		writer, err := create(file)
		if err != nil {
			return w, err
		}
		w.writers = append(w.writers, writer)
	}
	return w, nil
}

// add appends a chunk to every file.
func (w *writtenFiles[B]) add(ctx context.Context, chunk B) error {
	for _, writer := range w.writers {
		if err := writer.Append(ctx, chunk); err != nil {
			return err
		}
	}
	return nil
}

// commit completes the files.
func (w *writtenFiles[B]) commit(ctx context.Context, bar *progress) error {
	for i, writer := range w.writers {
		bar.Do("writing " + w.files[i].path)
		if err := writer.Commit(ctx); err != nil {
			return err
		}
	}
	return nil
}

// abort removes the files that are not complete.
func (w *writtenFiles[B]) abort() error {
	var failed []error
	for _, writer := range w.writers {
		failed = append(failed, writer.Abort())
	}
	return errors.Join(failed...)
}

// pathsOf returns the names of the files.
func pathsOf(files []target) []string {
	paths := []string{}
	for _, file := range files {
		paths = append(paths, file.path)
	}
	return paths
}

// probe returns an error of the input if one of the files cannot be written.
func probe(files []target) error {
	for _, file := range files {
		if err := export.Probe(file.path); err != nil {
			return badInput(err)
		}
	}
	return nil
}
