package export

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/trackgen-go/trackgen/internal/place"
)

// AtomicFolder is a folder under construction, for what takes several files. Its files are written to a hidden folder
// beside the target, which takes the target's name in Commit, after all data have reached the disk; Abort removes it,
// and what a killed process leaves is removed as AtomicFile says. A reader sees no folder or all of it. It is for one
// goroutine at a time.
type AtomicFolder struct {
	target    string // as given, for messages
	folder    string // of the final path
	final     string // where the rename goes
	temporary        // locked until its content has its final path
	content   string // folder that is being filled
	closed    bool
}

// CreateAtomicFolder starts the folder. The target must not exist, or be an empty folder: what a folder holds is never
// replaced. It is an error, which names the target and the reason, if the folder above is missing or takes no new ones.
func CreateAtomicFolder(target string) (*AtomicFolder, error) {
	path, err := resolveFolder(target)
	if err != nil {
		return nil, writeError(target, err)
	}
	f := &AtomicFolder{target: target, final: path}
	f.folder, _ = place.Split(path)
	removeLeftovers(f.folder)
	if f.temporary, err = begin(f.folder, newFolder); err != nil {
		return nil, writeError(target, err)
	}
	f.content = place.Join(f.path, contentName)
	if err := within(func() error { return os.Mkdir(f.content, 0o777) }); err != nil { // less the umask
		return nil, errors.Join(writeError(target, err), f.Abort())
	}
	return f, nil
}

// ProbeFolder reports whether CreateAtomicFolder would take the target: nil, or its error. It leaves nothing behind.
func ProbeFolder(target string) error {
	f, err := CreateAtomicFolder(target)
	if err != nil {
		return err
	}
	return f.Abort()
}

// resolveFolder refuses what a rename must not replace.
func resolveFolder(target string) (path string, err error) {
	if target == "" {
		return "", errors.New("no folder name given")
	}
	folder, name := place.Split(target)
	path = place.Join(folder, name)
	if name == "." || name == ".." { // no names to rename to
		if path, err = realPath(path); err != nil {
			return "", err
		}
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, checkFolder(folder)
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", errors.New("it exists and is not a folder")
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return "", err
	}
	if len(entries) > 0 {
		return "", errors.New("the folder is not empty: name a new one, or remove what it holds")
	}
	return path, nil
}

// realPath returns the path of a folder without symbolic links, from the root.
func realPath(folder string) (string, error) {
	if !filepath.IsAbs(folder) {
		here, err := os.Getwd()
		if err != nil {
			return "", err
		}
		folder = place.Join(here, folder)
	}
	return filepath.EvalSymlinks(folder)
}

// WriteFile writes one file of the folder with the given function. name is relative to the folder and may name folders
// in it, which are created.
func (f *AtomicFolder) WriteFile(name string, write func(io.Writer) error) error {
	if f.closed {
		return writeError(f.target, fs.ErrClosed)
	}
	if !filepath.IsLocal(name) {
		return writeError(f.target, fmt.Errorf("%q leads out of the folder", name))
	}
	name = filepath.Clean(name)
	var file *os.File
	err := within(func() (err error) {
		if err = os.MkdirAll(place.Join(f.content, filepath.Dir(name)), 0o777); err == nil {
			file, err = os.OpenFile(place.Join(f.content, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		}
		return err
	})
	if err != nil {
		return writeError(filepath.Join(f.target, name), err)
	}
	if err := write(&folderFile{file, filepath.Join(f.target, name)}); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return writeError(filepath.Join(f.target, name), err)
	}
	return nil
}

// folderFile names the target in the errors of writes.
type folderFile struct {
	file *os.File
	name string
}

func (f *folderFile) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	if err != nil {
		return n, writeError(f.name, err)
	}
	return n, nil
}

// Commit gives the folder its name. On an error nothing is left behind.
func (f *AtomicFolder) Commit() error {
	if f.closed {
		return writeError(f.target, fs.ErrClosed)
	}
	f.closed = true
	syncFolder(f.content)
	err := end(f.path, func() error {
		err := os.Remove(f.final) // an empty folder, where there is one: os.Rename refuses to replace it
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		if err == nil {
			err = os.Rename(f.content, f.final)
		}
		removing := f.remove()
		if err != nil {
			return errors.Join(err, removing)
		}
		return nil // the folder is complete under its name, whatever stays of the lock
	})
	if err != nil {
		return writeError(f.target, err)
	}
	syncFolder(f.folder)
	return nil
}

// Abort removes the unfinished folder. It does nothing after Commit or Abort, so that it can be deferred.
func (f *AtomicFolder) Abort() error {
	if f.closed {
		return nil
	}
	f.closed = true
	if err := end(f.path, f.remove); err != nil {
		return fmt.Errorf("removing the unfinished folder of %q: %w", f.target, err)
	}
	return nil
}
