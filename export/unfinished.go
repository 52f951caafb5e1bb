package export

import (
	"errors"
	"os"
	"sync"
)

// unfinished holds the temporary files and folders of this process that are neither committed nor aborted.
var unfinished struct {
	sync.Mutex
	paths map[string]struct{}
	gone  bool // RemoveUnfinished has been called
}

// RemoveUnfinished removes all unfinished files and folders of this process, whatever is being written to them, and refuses to
// commit any. It is for a process that ends without waiting for its work; nothing can be written after it.
func RemoveUnfinished() (err error) {
	unfinished.Lock()
	defer unfinished.Unlock()
	unfinished.gone = true
	for path := range unfinished.paths {
		err = errors.Join(err, os.RemoveAll(path))
	}
	return err
}

// begin makes a temporary file or folder.
func begin[T any](path string, create func(path string) (T, error)) (made T, err error) {
	unfinished.Lock()
	defer unfinished.Unlock()
	if unfinished.gone {
		return made, errEnding
	}
	if made, err = create(path); err == nil {
		if unfinished.paths == nil {
			unfinished.paths = make(map[string]struct{})
		}
		unfinished.paths[path] = struct{}{}
	}
	return made, err
}

// within adds to an unfinished folder.
func within(add func() error) error {
	unfinished.Lock()
	defer unfinished.Unlock()
	if unfinished.gone {
		return errEnding
	}
	return add()
}

// end removes a temporary file or folder, or gives it its name.
func end(path string, finish func() error) error {
	unfinished.Lock()
	defer unfinished.Unlock()
	if unfinished.gone {
		return errEnding
	}
	delete(unfinished.paths, path)
	return finish()
}

var errEnding = errors.New("the process is ending")
