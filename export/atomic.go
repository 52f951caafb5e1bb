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

// AtomicFile is a file under construction. It is written to a hidden temporary file in the folder of its target and
// takes the target's name in Commit, after its data have reached the disk; a reader sees the old file or the new one,
// never a part. Abort and RemoveUnfinished remove it. A process that is killed leaves it, under the name
// .trackgen-*.tmp; the next process that starts a file or a folder there removes it. It knows that nobody is at work on
// it by a lock, which it gets only of a dead process: leftovers stay where the platform or the file system has no
// locks. Where several machines share a folder, its file system has to share the locks. The permissions are those of
// the file that it replaces, of a new file 0644 less the umask. It is for one goroutine at a time.
type AtomicFile struct {
	target    string // as given, for messages
	folder    string // of the final path
	final     string // where the rename goes: target with symbolic links followed
	temporary        // locked until it has its final path
	closed    bool
}

// CreateAtomic starts the file. An existing regular file is replaced at Commit, by one with its permissions, and left
// alone until then; a symbolic link is followed. It is an error, which names the target and the reason, if the target
// is a folder, a device or a pipe, if an existing file may not be written, or if its folder is missing or takes no new
// files.
func CreateAtomic(target string) (*AtomicFile, error) {
	path, err := resolveTarget(target)
	if err != nil {
		return nil, writeError(target, err)
	}
	f := &AtomicFile{target: target, final: path}
	f.folder, _ = place.Split(path)
	removeLeftovers(f.folder)
	if f.temporary, err = begin(f.folder, newFile); err != nil {
		return nil, writeError(target, err)
	}
	if existing, statErr := os.Stat(path); statErr == nil {
		// Who may read the file stays as it is.
		if err := f.file.Chmod(existing.Mode().Perm()); err != nil {
			return nil, errors.Join(writeError(target, err), f.Abort())
		}
	}
	return f, nil
}

// Probe reports whether a file can be written to target, before the work that makes its contents: nil, or the error
// that CreateAtomic would return. It leaves nothing behind.
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

// size returns how many bytes have been written.
func (f *AtomicFile) size() (int64, error) {
	info, err := f.file.Stat()
	if err != nil {
		return 0, writeError(f.target, err)
	}
	return info.Size(), nil
}

// restart drops what has been written.
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

// Commit gives the file its name. On an error nothing is left behind and the old file, if any, is untouched.
func (f *AtomicFile) Commit() error {
	if f.closed {
		return writeError(f.target, fs.ErrClosed)
	}
	err := f.file.Sync()
	err = errors.Join(err, f.file.Close())
	f.closed = true
	err = end(f.path, func() error {
		if err == nil {
			err = os.Rename(f.path, f.final)
		}
		if err != nil {
			_ = f.remove()
		}
		return err
	})
	release(f.lock)
	if err != nil {
		return writeError(f.target, err)
	}
	syncFolder(f.folder)
	return nil
}

// Abort removes the unfinished file. It does nothing after Commit or Abort, so that it can be deferred.
func (f *AtomicFile) Abort() error {
	if f.closed {
		return nil
	}
	f.closed = true
	closing := f.file.Close()
	removing := end(f.path, f.remove)
	if err := errors.Join(closing, removing); err != nil {
		return fmt.Errorf("removing the unfinished file of %q: %w", f.target, err)
	}
	return nil
}

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

// resolveTarget follows symbolic links and refuses what a rename must not replace.
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
	// A rename needs no permission on the file that it replaces; a file that its owner made read-only should stay.
	existing, err := os.OpenFile(target, os.O_WRONLY, 0)
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

// syncFolder makes a rename durable. Its failure is not reported: the file is complete under its name, and some file
// systems cannot do it.
func syncFolder(folder string) {
	if d, err := os.Open(folder); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

func writeError(target string, err error) error {
	return fmt.Errorf("cannot write %q: %w", target, reason(err))
}

// reason strips the operation and the path from an error of package os: they name the temporary file, which means
// nothing to the reader.
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
