//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package export

import (
	"errors"
	"os"
	"syscall"
)

// openLocked opens a file and locks it against every other handle, until it is closed. The error is errHeld if another
// handle has the lock.
func openLocked(path string) (*os.File, error) {
	// Writing is what network file systems want of an exclusive lock. A pipe in the place of the file must not block.
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
