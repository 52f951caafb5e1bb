// Package place identifies files independently of their names: two names may refer to one file, even if it does not
// exist yet.
package place

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"
)

// Place is the place where a file is or would be.
type Place struct {
	info os.FileInfo // of the file, or of its innermost existing parent folder
	rest string      // the path from that folder to the file; empty if the file exists
}

// OfFile returns the place of an existing file.
func OfFile(info os.FileInfo) Place { return Place{info: info} }

// Is reports whether two places are the same.
func (p Place) Is(other Place) bool {
	if !os.SameFile(p.info, other.info) {
		return false
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return strings.EqualFold(p.rest, other.rest) // most file systems of this kind ignore case
	}
	return p.rest == other.rest
}

// Missing returns the folders that must be created for the file.
func (p Place) Missing() []Place {
	var folders []Place
	for above := filepath.Dir(p.rest); p.rest != "" && above != "."; above = filepath.Dir(above) {
		folders = append(folders, Place{info: p.info, rest: above})
	}
	return folders
}

// maxLinks is the maximum number of symbolic links that are followed, as in file systems.
const maxLinks = 40

// Of returns the place to which a path leads through symbolic links. It returns false for an existing path that is
// neither a file nor a folder, such as a device or a pipe: writing to it twice loses no data. It also returns false for
// a path that cannot be followed; opening it reports the error.
func Of(path string) (Place, bool) {
	rest := ""
	for links := 0; links <= maxLinks; {
		info, err := os.Stat(path)
		if err == nil {
			return Place{info: info, rest: rest}, rest != "" || info.Mode().IsRegular() || info.IsDir()
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return Place{}, false
		}
		// The path is split from its end and never cleaned: ".." after a symbolic link leads to the parent of the link's
		// target.
		folder, name := Split(path)
		if target, err := os.Readlink(path); err == nil {
			links++
			if !filepath.IsAbs(target) {
				target = Join(folder, target)
			}
			path = target
			continue
		}
		if folder == path {
			return Place{}, false
		}
		rest = filepath.Join(name, rest)
		path = folder
	}
	return Place{}, false
}

// Split returns the folder of a path and the last name in it. It does not clean them, and removes a trailing separator.
func Split(path string) (folder, name string) {
	withoutSeparators := func(path string) string {
		return strings.TrimRightFunc(path, func(r rune) bool { return r < utf8.RuneSelf && os.IsPathSeparator(uint8(r)) })
	}
	folder, name = filepath.Split(withoutSeparators(path))
	switch shorter := withoutSeparators(folder); {
	case folder == "" && name == "":
		return path, "" // the root
	case folder == "":
		return ".", name
	case shorter == filepath.VolumeName(folder):
		return folder, name // the root keeps its separator
	default:
		return shorter, name
	}
}

// Join returns the path of a name in a folder. Unlike filepath.Join, it does not clean the path.
func Join(folder, name string) string { return folder + string(filepath.Separator) + name }
