package emit

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/access"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// File is one generated file. A nil Text means that there must be none.
type File struct {
	Path string // absolute
	Text []byte
}

// Package returns all generated files of a package.
func Package(program *source.Program, p *source.Package, analysis *access.Analysis) ([]File, error) {
	launchers := File{Path: filepath.Join(p.Dir, source.LauncherFile)}
	twins := File{Path: filepath.Join(p.Dir, source.TwinFile)}
	if len(p.Kernels) > 0 {
		var err error
		if launchers.Text, err = Launchers(p, analysis); err != nil {
			return nil, err
		}
		if twins.Text, err = Twins(program, p, analysis); err != nil {
			return nil, err
		}
	}
	return []File{launchers, twins}, nil
}

// Current says whether the file on disk is as it must be.
func (f File) Current() (bool, error) {
	text, err := os.ReadFile(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return f.Text == nil, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading a generated file: %w", err)
	}
	return f.Text != nil && bytes.Equal(text, f.Text), nil
}

// Write brings the file on disk up to date; it replaces or removes only what kernelgen wrote.
func (f File) Write() error {
	text, err := os.ReadFile(f.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading a generated file: %w", err)
	}
	if err == nil && len(text) > 0 && !source.IsGenerated(text) {
		return fmt.Errorf("%s was not written by kernelgen: its first line is not %q", f.Path, source.Header)
	}
	if f.Text == nil {
		if err := os.Remove(f.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing a generated file: %w", err)
		}
		return nil
	}
	temporary, err := os.CreateTemp(filepath.Dir(f.Path), ".kernelgen-*")
	if err != nil {
		return fmt.Errorf("writing a generated file: %w", err)
	}
	_, err = temporary.Write(f.Text)
	err = errors.Join(err, temporary.Chmod(0o644), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), f.Path)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", f.Path, errors.Join(err, os.Remove(temporary.Name())))
	}
	return nil
}
