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

// RemoveUnfinished removes all unfinished files and folders of this process, even while they are being written. It is
// for a process that exits without waiting for its work to finish: afterwards nothing can be created or committed.
func RemoveUnfinished() (err error) {
	unfinished.Lock()
	defer unfinished.Unlock()
	unfinished.gone = true
	for path := range unfinished.paths {
		err = errors.Join(err, removeTemporary(path))
	}
	return err
}

// begin creates and locks a temporary file or folder.
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

// within adds a file or folder to an unfinished folder.
func within(add func() error) error {
	unfinished.Lock()
	defer unfinished.Unlock()
	if unfinished.gone {
		return errEnding
	}
	return add()
}

// end ends the work on temporary files or folders: finish renames or removes them.
func end(paths []string, finish func() error) error {
	unfinished.Lock()
	defer unfinished.Unlock()
	if unfinished.gone {
		return errEnding
	}
	for _, path := range paths {
		delete(unfinished.paths, path)
	}
	return finish()
}

var errEnding = errors.New("the process is ending")
