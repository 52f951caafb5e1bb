package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/trackgen-go/trackgen/export"
)

// Store holds named objects, each of which appears whole or not at all. Names are paths with slashes. A store may be
// used by several goroutines and processes at once.
type Store interface {
	// Create begins an object. It replaces one of the same name when it is committed.
	Create(ctx context.Context, name string) (Object, error)
	// Open reads an object. The error matches fs.ErrNotExist if there is none.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Where says in messages where an object is.
	Where(name string) string
}

// Object is an object of a store under construction.
type Object interface {
	io.Writer
	// Commit makes the object appear, durably. After an error it does not.
	Commit() error
	// Abort removes what was written. After Commit or Abort it does nothing.
	Abort() error
}

// Folder returns the store in a folder, which it creates if it does not exist. Objects are written under a temporary
// name, flushed to the disk and renamed.
func Folder(folder string) (Store, error) {
	if folder == "" {
		return nil, &PlanError{"folder", `""`, "a name"}
	}
	if err := os.MkdirAll(filepath.Join(folder, recordFolder), 0o777); err != nil {
		return nil, fmt.Errorf("dataset: making the folder: %w", err)
	}
	return diskStore(folder), nil
}

// OpenFolder returns the store in a folder that exists.
func OpenFolder(folder string) (Store, error) {
	info, err := os.Stat(folder)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	if !info.IsDir() {
		return nil, &PlanError{"folder", strconv.Quote(folder), "a folder"}
	}
	return diskStore(folder), nil
}

// diskStore implements Store.
type diskStore string

// Create implements Store. It does not follow a symbolic link, which may lead out of the folder.
func (s diskStore) Create(_ context.Context, name string) (Object, error) {
	if err := checkRegular(s.Where(name), os.Lstat); err != nil {
		return nil, err
	}
	return export.CreateAtomic(s.Where(name))
}

// Open implements Store.
func (s diskStore) Open(_ context.Context, name string) (io.ReadCloser, error) {
	if err := checkRegular(s.Where(name), os.Stat); err != nil { // opening a named pipe would wait for a writer
		return nil, err
	}
	return os.Open(s.Where(name))
}

// checkRegular returns an error if there is something other than a regular file.
func checkRegular(path string, stat func(string) (fs.FileInfo, error)) error {
	info, err := stat(path)
	if err != nil || info.Mode().IsRegular() {
		return nil // whoever opens it says what is wrong
	}
	kind := "not a regular file"
	switch {
	case info.IsDir():
		kind = "a folder"
	case info.Mode()&fs.ModeSymlink != 0:
		kind = "a symbolic link"
	case info.Mode()&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	}
	return fmt.Errorf("%s is %s: must be a file of the data set, or nothing: remove it", path, kind)
}

// Where implements Store.
func (s diskStore) Where(name string) string {
	return filepath.Join(string(s), filepath.FromSlash(name))
}

// put writes a small object.
func put(ctx context.Context, s Store, name string, text []byte) (err error) {
	object, err := s.Create(ctx, name)
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	defer func() { err = errors.Join(err, object.Abort()) }()
	if _, err := object.Write(text); err != nil {
		return fmt.Errorf("dataset: writing %s: %w", s.Where(name), err)
	}
	if err := object.Commit(); err != nil {
		return fmt.Errorf("dataset: writing %s: %w", s.Where(name), err)
	}
	return nil
}

// maxText is the largest plan, record or manifest that is read.
const maxText = 64 << 20

// get reads a small object. text is nil if there is none.
func get(ctx context.Context, s Store, name string) (text []byte, err error) {
	object, err := s.Open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	defer func() { err = errors.Join(err, object.Close()) }()
	text, err = io.ReadAll(io.LimitReader(object, maxText+1))
	if err != nil {
		return nil, fmt.Errorf("dataset: reading %s: %w", s.Where(name), err)
	}
	if len(text) > maxText {
		return nil, fmt.Errorf("dataset: %s has more than %d bytes: it is no part of a data set", s.Where(name), maxText)
	}
	return text, nil
}
