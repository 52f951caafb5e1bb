package command

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fileNames returns the names of the files or folders of tracks: the name of the track, with - for characters that
// file names cannot contain. A track is called env-0, env-1 and so on if it has no such name, if its name begins with
// env-, or if another track has the same name in upper or lower case.
func fileNames(names []string, envs []int) []string {
	files, uses := make([]string, len(envs)), map[string]int{}
	for i, env := range envs {
		if names == nil {
			continue
		}
		name := strings.Map(func(r rune) rune {
			if strings.ContainsRune(notInFileNames, r) {
				return '-'
			}
			return r
		}, names[env])
		if isFileName(name) {
			files[i] = name
			uses[strings.ToLower(name)]++
		}
	}
	for i, env := range envs {
		if folded := strings.ToLower(files[i]); uses[folded] != 1 || strings.HasPrefix(folded, "env-") {
			files[i] = fmt.Sprintf("env-%d", env)
		}
	}
	return files
}

// notInFileNames are the characters that some file systems do not accept.
const notInFileNames = `/\<>:"|?*`

// isFileName reports whether every usual file system accepts a name with an extension or a suffix.
func isFileName(name string) bool {
	const longest = 200 // bytes; most file systems allow 255
	return name != "" && filepath.IsLocal(name) && len(name) <= longest && utf8.ValidString(name) &&
		!strings.ContainsAny(name, notInFileNames) && !strings.HasPrefix(name, ".") && strings.TrimSpace(name) == name &&
		!strings.ContainsFunc(name, unicode.IsControl)
}
