package export

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// openLocked opens a file and locks it against all other handles until it is closed. It returns errHeld if another
// handle holds the lock.
func openLocked(path string) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	// An open file can be renamed and removed only if all handles share these rights. The handles of package os do not
	// share FILE_SHARE_DELETE.
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	handle, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, share, nil, windows.OPEN_EXISTING,
		windows.FILE_ATTRIBUTE_NORMAL|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
		return nil, errHeld
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	file := os.NewFile(uintptr(handle), path)
	// Other handles cannot write a locked byte, so this byte lies beyond the maximum size of a file.
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	beyond := &windows.Overlapped{Offset: math.MaxUint32 - 1, OffsetHigh: math.MaxInt32}
	if err := windows.LockFileEx(handle, flags, 0, 1, 0, beyond); err != nil {
		release(file)
		if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
			return nil, errHeld
		}
		return nil, err
	}
	return file, nil
}
