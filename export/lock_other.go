//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package export

import (
	"errors"
	"os"
)

// openLocked returns an error, because this platform has no locks: what a killed process leaves stays.
func openLocked(string) (*os.File, error) { return nil, errors.ErrUnsupported }
