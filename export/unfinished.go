package export

import (
	"errors"
	"sync"
)

// unfinished holds the temporary files and folders of this process that are neither committed nor aborted.
var unfinished struct {
	sync.Mutex
	paths map[string]struct{}
	gone  bool // RemoveUnfinished has been called
}

// RemoveUnfinished removes all unfinished files and folders of this process, whatever is being written to them, and
// refuses to commit any. It is for a process that ends without waiting for its work; nothing can be written after it.
func RemoveUnfinished() (err error) {
	unfinished.Lock()
	defer unfinished.Unlock()
	unfinished.gone = true
	for path := range unfinished.paths {
		err = errors.Join(err, removeTemporary(path))
	}
	return err
}

// begin makes a temporary file or folder and locks it.
func begin(folder string, create func(path string) (temporary, error)) (temporary, error) {
	unfinished.Lock()
	defer unfinished.Unlock()
	if unfinished.gone {
		return temporary{}, errEnding
	}
	made, err := makeTemporary(folder, create)
	if err != nil {
		return made, err
	}
	if unfinished.paths == nil {
		unfinished.paths = map[string]struct{}{}
	}
	unfinished.paths[made.path] = struct{}{}
	return made, nil
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
