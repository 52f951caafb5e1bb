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

// AtomicFolder is a folder under construction, for output of several files. The files go to a hidden folder beside the
// target. Commit flushes all data to the disk and then renames the hidden folder to the target, so a reader sees the
// complete folder or none. Abort removes the hidden folder; what a killed process leaves is removed as described at
// AtomicFile. An AtomicFolder must not be used by several goroutines at the same time.
type AtomicFolder struct {
	construction
	content string // folder that receives the files, inside of the temporary one
}

// CreateAtomicFolder creates the hidden folder. The target must not exist or must be an empty folder, so that no file
// is ever replaced. CreateAtomicFolder returns an error that names the target and the reason if it is neither, or if
// the parent folder is missing or not writable.
func CreateAtomicFolder(target string) (*AtomicFolder, error) {
	c, err := construct(target, resolveFolder, newFolder)
	if err != nil {
		return nil, err
	}
	f := &AtomicFolder{c, place.Join(c.path, contentName)}
	if err := within(func() error { return os.Mkdir(f.content, 0o777) }); err != nil { // less the umask
		return nil, errors.Join(writeError(target, err), f.Abort())
	}
	return f, nil
}

// ProbeFolder checks whether CreateAtomicFolder accepts the target. It returns its error or nil and leaves nothing
// behind.
func ProbeFolder(target string) error {
	f, err := CreateAtomicFolder(target)
	if err != nil {
		return err
	}
	return f.Abort()
}

// resolveFolder returns the final path. It returns an error for a target that must not be replaced by a rename.
func resolveFolder(target string) (path string, err error) {
	if target == "" {
		return "", errors.New("no folder name given")
	}
	folder, name := place.Split(target)
	path = place.Join(folder, name)
	if name == "." || name == ".." { // a rename needs the real name
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

// realPath returns the absolute path of a folder with symbolic links resolved.
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

// WriteFile writes one file of the folder with the given function. name is relative to the folder. If it contains
// folders, WriteFile creates them.
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

// folderFile reports write errors under the name of the target.
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

// Commit renames the folder to its target. On an error it leaves nothing behind.
func (f *AtomicFolder) Commit() error {
	if f.closed {
		return writeError(f.target, fs.ErrClosed)
	}
	f.closed = true
	syncFolder(f.content)
	err := end([]string{f.path}, func() error {
		err := os.Remove(f.final) // an empty folder, if there is one: os.Rename does not replace it
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
		return nil // the folder is complete under its name, even if the lock could not be removed
	})
	if err != nil {
		return writeError(f.target, err)
	}
	syncFolder(f.folder)
	return nil
}

// Abort removes the unfinished folder. After Commit or Abort it does nothing, so it can be deferred.
func (f *AtomicFolder) Abort() error { return f.abort("folder") }
