// Package place tells files apart by what they are: two names may mean one file, whether it exists or not.
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

// Place is where a file is, or would be.
type Place struct {
	info os.FileInfo // of the file, or of the innermost folder above it that exists
	rest string      // the way from that folder to the file; empty where the file exists
}

// OfFile returns the place of a file that exists.
func OfFile(info os.FileInfo) Place { return Place{info: info} }

// Is reports whether two places are the same.
func (p Place) Is(other Place) bool {
	if !os.SameFile(p.info, other.info) {
		return false
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return strings.EqualFold(p.rest, other.rest) // as their file systems do unless they are told otherwise
	}
	return p.rest == other.rest
}

// Missing returns the folders that would have to be made for the file.
func (p Place) Missing() []Place {
	var folders []Place
	for above := filepath.Dir(p.rest); p.rest != "" && above != "."; above = filepath.Dir(above) {
		folders = append(folders, Place{info: p.info, rest: above})
	}
	return folders
}

// maxLinks is how many symbolic links in a row are followed, as the file system does.
const maxLinks = 40

// Of finds the place that a path leads to through symbolic links. It finds none for what is neither a file nor a
// folder, as devices and pipes: data there are not lost by being written twice. It finds none either for a path that
// cannot be followed, which whoever opens it reports.
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
		// The path is taken apart from its end, never cleaned: ".." after a symbolic link leads out of the folder
		// behind it.
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

// Split returns the folder of a path and the last name in it. It does not clean them, and takes a separator at the end
// away.
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

// Join returns the path of a name in a folder. It does not clean it, as filepath.Join does.
func Join(folder, name string) string { return folder + string(filepath.Separator) + name }
