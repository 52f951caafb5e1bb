package circuit

import (
	"strings"
	"unicode"
)

// maxName is the maximum length of a name, in characters.
const maxName = 100

// cleanName returns a name on one line, without control characters, and at most maxName characters long, for terminals
// and files.
func cleanName(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, name)
	name = strings.Join(strings.Fields(name), " ")
	if runes := []rune(name); len(runes) > maxName {
		name = strings.TrimSpace(string(runes[:maxName]))
	}
	return name
}
