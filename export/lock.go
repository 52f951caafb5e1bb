package export

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/trackgen-go/trackgen/internal/place"
)

// A temporary file or folder belongs to the process that holds its lock: on the file itself, or for a folder on a file
// inside it. The system releases the lock when the process ends, for whatever reason. So a process may remove another
// process's temporary file only if it gets the lock, because then the owner is dead.
//
// Between creation and locking, another process can lock the file and remove it. The creator detects this, because it
// cannot get the lock or because the file that it has locked no longer has its name. Then it creates another file.

const (
	temporaryPrefix = ".trackgen-"
	temporarySuffix = ".tmp"

	lockName    = "lock"    // in a temporary folder: the file that is locked
	contentName = "content" // in a temporary folder: the folder that is renamed to the target
)

// lockFile is openLocked. Tests replace it to simulate a file system without locks.
var lockFile = openLocked

// errHeld is the error for a lock that another process or another handle of this process holds.
var errHeld = errors.New("the lock is held")

// temporaryPath returns the path of a new temporary file or folder. Its length does not depend on the name of the
// target, which may already have the maximum length.
func temporaryPath(folder string) string {
	return place.Join(folder, temporaryPrefix+rand.Text()+temporarySuffix)
}

// isTemporary reports whether name has the form that temporaryPath creates.
func isTemporary(name string) bool {
	random, isPrefixed := strings.CutPrefix(name, temporaryPrefix)
	random, isSuffixed := strings.CutSuffix(random, temporarySuffix)
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	return isPrefixed && isSuffixed && len(random) >= 26 && strings.Trim(random, alphabet) == ""
}

// temporary is a temporary file or folder of this process.
type temporary struct {
	path string
	file *os.File // open for reading and writing; nil for a folder
	lock *os.File // nil if there are no locks: then no process removes what a killed process leaves
}

// newFile creates a temporary file. Unlike os.CreateTemp it applies the umask to the usual permissions, because the
// file becomes the user's file.
func newFile(path string) (temporary, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	return temporary{path: path, file: file}, err
}

// newFolder creates a temporary folder that contains a file to lock.
func newFolder(path string) (temporary, error) {
	made := temporary{path: path}
	if err := os.Mkdir(path, 0o777); err != nil { // less the umask
		return made, err
	}
	file, err := os.OpenFile(made.lockPath(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	switch {
	case err == nil:
		return made, file.Close()
	case errors.Is(err, fs.ErrNotExist):
		return made, nil // another process removed the folder as a leftover; makeTemporary detects this
	default:
		return made, errors.Join(err, os.Remove(path))
	}
}

// discard removes a temporary file or folder that was just created.
func (t temporary) discard() {
	if t.file != nil {
		_ = t.file.Close()
	}
	_ = t.remove()
}

// lockPath returns the path of the file to lock.
func (t temporary) lockPath() string {
	if t.file == nil {
		return place.Join(t.path, lockName)
	}
	return t.path
}

// makeTemporary creates and locks a temporary file or folder.
func makeTemporary(folder string, create func(path string) (temporary, error)) (temporary, error) {
	const attempts = 100 // each fails only if another process looks for leftovers at that very moment
	for range attempts {
		made, err := create(temporaryPath(folder))
		if err != nil {
			return made, err
		}
		lockPath := made.lockPath()
		lock, err := lockFile(lockPath)
		var opening *fs.PathError
		switch {
		case err == nil && isAt(lock, lockPath):
			made.lock = lock
			return made, nil
		case err == nil, errors.Is(err, errHeld), errors.Is(err, fs.ErrNotExist):
			made.lock = lock
			made.discard()
		case errors.As(err, &opening) && !errors.Is(err, fs.ErrPermission):
			made.discard() // for example too many open files, which does not mean that locks are missing
			return temporary{}, err
		default:
			return made, nil
		}
	}
	return temporary{}, errors.New("other processes keep removing the temporary file")
}

// remove removes a closed temporary file, or a folder, and then releases the lock.
func (t temporary) remove() error {
	err := removeTemporary(t.path)
	release(t.lock)
	if err != nil {
		err = removeTemporary(t.path) // some systems keep the name of the lock file in the folder until the lock is released
	}
	return err
}

// release releases a lock, if there is one.
func release(lock *os.File) {
	if lock != nil {
		_ = lock.Close() // nothing was written to it, so an error does not matter
	}
}

// isAt reports whether an open file is the file at the given path.
func isAt(file *os.File, path string) bool {
	open, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(path)
	return err == nil && os.SameFile(open, named)
}

// leftovers holds back searches for leftovers in large folders, so that a process that creates many files there does
// not spend its time searching.
var leftovers struct {
	sync.Mutex
	skip map[string]int // by folder: number of temporary files to create before the next search
}

// isDue reports whether to search a folder for leftovers before the next temporary file is created there.
func isDue(folder string) bool {
	leftovers.Lock()
	defer leftovers.Unlock()
	if leftovers.skip[folder] == 0 {
		return true
	}
	leftovers.skip[folder]--
	return false
}

// looked records that a folder with the given number of entries was searched.
func looked(folder string, entries int) {
	const each, most = 64, 1000 // entries searched per new file; maximum number of recorded folders
	leftovers.Lock()
	defer leftovers.Unlock()
	delete(leftovers.skip, folder)
	if entries < each {
		return
	}
	if leftovers.skip == nil || len(leftovers.skip) >= most {
		leftovers.skip = make(map[string]int)
	}
	leftovers.skip[folder] = entries / each
}

// removeLeftovers removes what dead processes left in a folder. It ignores errors, because a leftover does no harm.
func removeLeftovers(folder string) {
	if !isDue(folder) {
		return
	}
	directory, err := os.Open(folder)
	if err != nil {
		return
	}
	defer directory.Close() //nolint:errcheck // it was only read
	seen := 0
	for err == nil {
		const atATime = 1024
		var entries []fs.DirEntry
		entries, err = directory.ReadDir(atATime)
		seen += len(entries)
		for _, entry := range entries {
			path := place.Join(folder, entry.Name())
			switch {
			case !isTemporary(entry.Name()):
			case entry.Type().IsRegular():
				removeDeadFile(path)
			case entry.IsDir():
				removeDeadFolder(path)
			}
		}
	}
	looked(folder, seen)
}

// removeDeadFile removes a temporary file if its owner is dead.
func removeDeadFile(path string) {
	lock, err := lockFile(path)
	if err != nil {
		return
	}
	defer release(lock)
	if isAt(lock, path) {
		_ = os.Remove(path)
	}
}

// removeDeadFolder removes a temporary folder if its owner is dead.
func removeDeadFolder(path string) {
	lockPath := place.Join(path, lockName)
	lock, err := lockFile(lockPath)
	if errors.Is(err, fs.ErrNotExist) {
		// Remove deletes the folder only if it is empty. If its owner is about to create the lock file, it detects this
		// and creates another folder.
		_ = os.Remove(path)
	}
	if err != nil {
		return
	}
	if !isAt(lock, lockPath) {
		release(lock)
		return
	}
	_ = temporary{path: path, lock: lock}.remove()
}

// removeTemporary removes a temporary file or folder. It removes the lock file last, so that a partly removed folder
// still has it.
func removeTemporary(path string) error {
	_ = os.RemoveAll(place.Join(path, contentName)) // RemoveAll below reports what could not be removed
	return os.RemoveAll(path)
}
