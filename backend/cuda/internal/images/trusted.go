//go:build unix

package images

import (
	"io/fs"
	"os"
	"syscall"
)

// trusted returns whether nobody but this user and the administrator can have written a file.
func trusted(file fs.FileInfo) bool {
	owner, ok := file.Sys().(*syscall.Stat_t)
	return ok && file.Mode().IsRegular() && file.Mode().Perm()&0o022 == 0 &&
		(owner.Uid == 0 || int(owner.Uid) == os.Geteuid())
}
