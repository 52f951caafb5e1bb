//go:build !unix

package images

import "io/fs"

// trusted returns false: CUDA is used on Linux only.
func trusted(fs.FileInfo) bool { return false }
