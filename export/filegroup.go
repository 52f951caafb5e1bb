package export

import (
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/trackgen-go/trackgen/internal/place"
)

// AtomicFiles is a group of files under construction that belong together, in a folder that may hold other files. The
// last file written, the description, refers to the others. Commit renames all files to their final names, the
// description last, so a reader that starts with the description finds files of one group. Files that a killed process
// leaves are removed as described at AtomicFile. An AtomicFiles must not be used by several goroutines at the same
// time.
type AtomicFiles struct {
	folder string
	files  []*AtomicFile
	closed bool
}

// CreateAtomicFiles starts a group of files in an existing folder; "" is the current folder. Errors about the folder
// come from WriteFile.
func CreateAtomicFiles(folder string) *AtomicFiles { return &AtomicFiles{folder: folder} }

// path returns the path of a file of the group.
func (g *AtomicFiles) path(name string) string {
	if g.folder == "" || os.IsPathSeparator(g.folder[len(g.folder)-1]) {
		return g.folder + name
	}
	return place.Join(g.folder, name)
}

// WriteFile writes one file of the group with the given function. name is the name of the file in the folder. The
// description must be written last.
func (g *AtomicFiles) WriteFile(name string, write func(io.Writer) error) error {
	if g.closed {
		return writeError(g.path(name), fs.ErrClosed)
	}
	if filepath.Base(name) != name || !filepath.IsLocal(name) {
		return writeError(g.path(name), errors.New("it is not the name of a file in the folder"))
	}
	f, err := CreateAtomic(g.path(name))
	if err != nil {
		return err
	}
	g.files = append(g.files, f)
	return write(f)
}

// Commit renames the files to their names. It removes an existing description before it replaces the first file, so
// that no reader combines files of two groups. If several processes commit groups with the same description at the same
// time, they take turns. If a file cannot be flushed, Commit leaves existing files untouched.
func (g *AtomicFiles) Commit() error {
	if g.closed {
		return writeError(g.folder, fs.ErrClosed)
	}
	if len(g.files) == 0 {
		g.closed = true
		return nil
	}
	description := g.files[len(g.files)-1]
	unlock, err := lockTarget(description)
	if err != nil {
		return errors.Join(writeError(description.target, err), g.Abort())
	}
	defer unlock()
	g.closed = true
	return commit(g.files, func() error {
		if err := os.Remove(description.final); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return writeError(description.target, err)
		}
		return nil
	})
}

// Abort removes the unfinished files. After Commit or Abort it does nothing, so it can be deferred.
func (g *AtomicFiles) Abort() (err error) {
	g.closed = true
	for _, f := range g.files {
		err = errors.Join(err, f.Abort())
	}
	return err
}

// lockTarget makes this process the only one that renames the group of a description. The lock is a temporary file
// whose name depends only on the name of the description; if the process dies, it is removed like every leftover.
func lockTarget(description *AtomicFile) (unlock func(), err error) {
	const wait, attempts = 10 * time.Millisecond, 1000 // renaming a group takes a few milliseconds
	_, name := place.Split(description.final)
	hash := sha256.Sum256([]byte(name))
	random := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(hash[:])
	path := place.Join(description.folder, temporaryPrefix+random+temporarySuffix)
	for range attempts {
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644)
		if err == nil {
			err = file.Close()
		}
		var lock *os.File
		if err == nil {
			lock, err = lockFile(path)
		}
		switch {
		case err == nil && isAt(lock, path):
			return func() {
				_ = os.Remove(path)
				release(lock)
			}, nil
		case err == nil: // the owner has removed the file in the meantime
			release(lock)
		case errors.Is(err, fs.ErrNotExist):
		case errors.Is(err, errHeld), errors.Is(err, fs.ErrPermission): // another process holds the lock
			time.Sleep(wait)
		default: // this file system has no locks
			return func() { _ = os.Remove(path) }, nil
		}
	}
	return nil, fmt.Errorf("another process has been writing it for %v", attempts*wait)
}
