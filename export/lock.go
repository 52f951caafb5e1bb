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

// A temporary file or folder belongs to the process that holds the lock on it: on the file itself, of a folder on a
// file in it. The system gives a lock back when its process ends, however it ends. So whoever gets the lock of
// another's temporary file may remove it, and only then: its process is dead.
//
// Between the making of a file and its locking anybody may take the lock and remove it. The maker notices: it does not
// get the lock, or the file that it has locked no longer has its name. Then it makes another.

const (
	temporaryPrefix = ".trackgen-"
	temporarySuffix = ".tmp"

	lockName    = "lock"    // in a temporary folder: the file that is locked
	contentName = "content" // in a temporary folder: what takes the target's name
)

// lockFile is openLocked. Tests replace it, to be on a file system without locks.
var lockFile = openLocked

// errHeld is the error of a lock that another process, or another handle of this one, holds.
var errHeld = errors.New("the lock is held")

// temporaryPath returns the path of a new temporary file or folder. Its name does not grow with the target's, which may
// be as long as names can be.
func temporaryPath(folder string) string {
	return place.Join(folder, temporaryPrefix+rand.Text()+temporarySuffix)
}

// isTemporary reports whether temporaryPath makes such names.
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
	lock *os.File // nil where there are no locks: then nobody removes what a killed process leaves
}

// newFile makes a temporary file. Unlike os.CreateTemp it leaves the permissions to the umask, because the file is to
// stay.
func newFile(path string) (temporary, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	return temporary{path: path, file: file}, err
}

// newFolder makes a temporary folder with a file to lock.
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
		return made, nil // the folder was taken for a leftover, which makeTemporary finds out
	default:
		return made, errors.Join(err, os.Remove(path))
	}
}

// discard removes what was just made.
func (t temporary) discard() {
	if t.file != nil {
		_ = t.file.Close()
	}
	_ = t.remove()
}

// lockPath is the path of the file that is locked.
func (t temporary) lockPath() string {
	if t.file == nil {
		return place.Join(t.path, lockName)
	}
	return t.path
}

// makeTemporary makes a temporary file or folder and locks it.
func makeTemporary(folder string, create func(path string) (temporary, error)) (temporary, error) {
	const attempts = 100 // each fails only if another process looks for leftovers in just that moment
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
			made.discard() // such as too many open files, which says nothing of locks
			return temporary{}, err
		default:
			return made, nil
		}
	}
	return temporary{}, errors.New("other processes keep removing the temporary file")
}

// remove removes a temporary file, which is closed, or a folder, and then gives the lock back.
func (t temporary) remove() error {
	err := removeTemporary(t.path)
	release(t.lock)
	if err != nil {
		err = removeTemporary(t.path) // some systems keep the name of the lock in the folder until it is given back
	}
	return err
}

// release gives a lock back, if there is one.
func release(lock *os.File) {
	if lock != nil {
		_ = lock.Close() // nothing was written to it
	}
}

// isAt reports whether an open file has the given path.
func isAt(file *os.File, path string) bool {
	open, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(path)
	return err == nil && os.SameFile(open, named)
}

// leftovers counts the temporary files that are made in large folders, so that a process that makes many of them there
// does not spend its time looking for leftovers.
var leftovers struct {
	sync.Mutex
	skip map[string]int // by folder: how many are made before it is looked at again
}

// isDue reports whether to look for leftovers in a folder now, where a temporary file is about to be made.
func isDue(folder string) bool {
	leftovers.Lock()
	defer leftovers.Unlock()
	if leftovers.skip[folder] == 0 {
		return true
	}
	leftovers.skip[folder]--
	return false
}

// looked remembers that a folder of so many entries was looked at.
func looked(folder string, entries int) {
	const each, most = 64, 1000 // entries that a new file may take to look at; folders to remember
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

// removeLeftovers removes what dead processes left in a folder. What cannot be removed stays: it is not in the way.
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

// removeDeadFile removes a temporary file if its process is dead.
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

// removeDeadFolder removes a temporary folder if its process is dead.
func removeDeadFolder(path string) {
	lockPath := place.Join(path, lockName)
	lock, err := lockFile(lockPath)
	if errors.Is(err, fs.ErrNotExist) {
		// Only an empty folder goes. If its process is about to make the lock, it notices and makes another folder.
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

// removeTemporary removes a temporary file or folder: the lock last, so that a folder that is half removed still has
// it.
func removeTemporary(path string) error {
	_ = os.RemoveAll(place.Join(path, contentName)) // the next line reports what stays
	return os.RemoveAll(path)
}
