//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package export

import (
	"errors"
	"os"
	"syscall"
)

// openLocked opens a file and locks it against all other handles until it is closed. It returns errHeld if another
// handle holds the lock.
func openLocked(path string) (*os.File, error) {
	// Network file systems require a file open for writing for an exclusive lock. O_NONBLOCK keeps a pipe at the path
	// from blocking.
	file, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != syscall.EINTR { //nolint:errorlint // a bare error number
			break
		}
	}
	if err == nil {
		return file, nil
	}
	release(file)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errHeld
	}
	return nil, err
}
