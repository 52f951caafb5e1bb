package export

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/trackgen-go/trackgen/internal/place"
)

// AtomicFile is a file under construction. Its bytes go to a hidden temporary file in the folder of the target. Commit
// flushes them to the disk and then renames the temporary file to the target, so a reader sees the whole old file or
// the whole new one. Abort and RemoveUnfinished remove the temporary file.
//
// A killed process leaves its temporary file behind, under a name of the form .trackgen-*.tmp. The next process that
// creates a file or a folder there removes it. Each process locks its temporary files, and the system releases the
// locks when the process dies; only a file whose lock is free is removed. Leftovers stay where the platform or the file
// system has no locks. If several machines share a folder, its file system has to share the locks too.
//
// The new file gets the permissions of the file that it replaces, or 0644 less the umask. An AtomicFile must not be
// used by several goroutines at the same time.
type AtomicFile struct{ construction }

// CreateAtomic creates the temporary file. An existing regular file stays untouched until Commit replaces it, and the
// new file gets its permissions. A symbolic link is followed. CreateAtomic returns an error that names the target and
// the reason if the target is a folder, a device or a pipe, if an existing file is not writable, or if the folder is
// missing or not writable.
func CreateAtomic(target string) (*AtomicFile, error) {
	c, err := construct(target, resolveTarget, newFile)
	if err != nil {
		return nil, err
	}
	f := &AtomicFile{c}
	if existing, statErr := os.Stat(f.final); statErr == nil {
		// The same users can read the new file as the old one.
		if err := f.file.Chmod(existing.Mode().Perm()); err != nil {
			return nil, errors.Join(writeError(target, err), f.Abort())
		}
	}
	return f, nil
}

// Probe checks whether a file can be written to target, so that a caller learns it before it computes the contents. It
// returns the error that CreateAtomic would return, or nil. It leaves no file behind.
func Probe(target string) error {
	f, err := CreateAtomic(target)
	if err != nil {
		return err
	}
	return f.Abort()
}

// Write implements io.Writer.
func (f *AtomicFile) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	if err != nil {
		return n, writeError(f.target, err)
	}
	return n, nil
}

// size returns the number of bytes written so far.
func (f *AtomicFile) size() (int64, error) {
	info, err := f.file.Stat()
	if err != nil {
		return 0, writeError(f.target, err)
	}
	return info.Size(), nil
}

// restart discards everything written so far.
func (f *AtomicFile) restart() error {
	_, err := f.file.Seek(0, io.SeekStart)
	if err == nil {
		err = f.file.Truncate(0)
	}
	if err != nil {
		return writeError(f.target, err)
	}
	return nil
}

// Commit renames the file to its target. On an error it removes the temporary file and leaves an existing file
// untouched.
func (f *AtomicFile) Commit() error { return commit([]*AtomicFile{f}, nil) }

// commit flushes files to the disk, calls ready unless it is nil, and renames the files to their targets in this order.
// On an error it removes the temporary files that are left.
func commit(files []*AtomicFile, ready func() error) error {
	var paths []string
	for _, f := range files {
		if f.closed {
			return writeError(f.target, fs.ErrClosed)
		}
		paths = append(paths, f.path)
	}
	var err error
	for _, f := range files {
		f.closed = true
		if flushing := errors.Join(f.file.Sync(), f.file.Close()); flushing != nil {
			err = errors.Join(err, writeError(f.target, flushing))
		}
	}
	err = end(paths, func() error {
		if err == nil && ready != nil {
			err = ready()
		}
		for _, f := range files {
			if err == nil {
				if renaming := os.Rename(f.path, f.final); renaming != nil {
					err = writeError(f.target, renaming)
				}
			}
			if err != nil {
				_ = f.remove()
			}
		}
		return err
	})
	for _, f := range files {
		release(f.lock)
	}
	if errors.Is(err, errEnding) {
		return writeError(files[0].target, err)
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		syncFolder(f.folder)
	}
	return nil
}

// Abort removes the unfinished file. After Commit or Abort it does nothing, so it can be deferred.
func (f *AtomicFile) Abort() error { return f.abort("file") }

// WriteFile writes a whole file atomically with the given function, for example
//
//	export.WriteFile("tracks.svg", func(w io.Writer) error { return export.WriteSVG(w, batch, export.Picture{}) })
func WriteFile(target string, write func(io.Writer) error) error {
	f, err := CreateAtomic(target)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Commit()
}

// resolveTarget resolves symbolic links. It returns an error for a target that must not be replaced by a rename.
func resolveTarget(target string) (string, error) {
	if target == "" {
		return "", errors.New("no file name given")
	}
	if strings.HasSuffix(target, "/") || os.IsPathSeparator(target[len(target)-1]) {
		return "", errors.New("the name ends in a path separator: a file name is needed")
	}
	if link, err := os.Lstat(target); err == nil && link.Mode()&fs.ModeSymlink != 0 {
		resolved, err := filepath.EvalSymlinks(target)
		if err != nil {
			return "", fmt.Errorf("following the symbolic link: %w", reason(err))
		}
		target = resolved
	}
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		folder, _ := place.Split(target)
		return target, checkFolder(folder)
	case err != nil:
		return "", err
	case info.IsDir():
		return "", errors.New("it is a folder")
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("it exists and is not a regular file (%s)", info.Mode().Type())
	}
	// A rename needs no write permission on the file that it replaces, but a file that its owner made read-only should
	// stay.
	existing, err := os.OpenFile(target, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) { // another process has removed it in the meantime
		return target, nil
	}
	if err != nil {
		return "", err
	}
	return target, existing.Close()
}

func checkFolder(folder string) error {
	info, err := os.Stat(folder)
	if err != nil {
		return fmt.Errorf("folder %q: %w", folder, reason(err))
	}
	if !info.IsDir() {
		return fmt.Errorf("%q is not a folder", folder)
	}
	return nil
}

// syncFolder makes a rename durable. It ignores errors: the file is already complete under its name, and some file
// systems cannot sync a folder.
func syncFolder(folder string) {
	if d, err := os.Open(folder); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

func writeError(target string, err error) error {
	return fmt.Errorf("cannot write %q: %w", target, reason(err))
}

// reason strips the operation and the path from an error of package os. The path is that of the temporary file, which
// means nothing to the user.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}
