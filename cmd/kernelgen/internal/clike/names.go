package clike

import (
	"fmt"
	"go/types"
	"strings"
)

// names hands out identifiers that differ from each other.
type names map[string]bool

// take returns name, with a number at its end if it is taken, and reserves it.
func (n names) take(name string) string {
	result := name
	for i := 2; n[result]; i++ {
		result = fmt.Sprintf("%s_%d", name, i)
	}
	n[result] = true
	return result
}

// maxIdentifier is the length at which identifier cuts names. glslang accepts 1024 characters, with prefixes and
// numbers.
const maxIdentifier = 200

// identifier returns a name of the source as both languages accept it behind a prefix. Letters beyond ASCII become
// their code, underscores are never doubled, because GLSL reserves such names, and long names are cut.
func identifier(name string) string {
	var text strings.Builder
	for _, r := range name {
		if text.Len() >= maxIdentifier {
			break
		}
		switch {
		case r >= 0x80:
			fmt.Fprintf(&text, "u%04x", r)
		case r == '_' && strings.HasSuffix(text.String(), "_"):
			text.WriteString("0")
		default:
			text.WriteRune(r)
		}
	}
	// A prefix ends in an underscore, and a number may follow behind one.
	result := text.String()
	if result == "" {
		return "0"
	}
	if strings.HasPrefix(result, "_") {
		result = "0" + result[1:]
	}
	if strings.HasSuffix(result, "_") {
		result = result[:len(result)-1] + "0"
	}
	return result
}

// The prefixes keep generated names apart from each other and from the reserved words of both languages.
const (
	variablePrefix = "v_"
	bufferPrefix   = "b_"
	sharedPrefix   = "s_"
	scalarPrefix   = "p_"
	functionPrefix = "f_"
	structPrefix   = "T_"
	resultPrefix   = "R_"
)

// fieldNames returns the names of a struct's fields. Those of vectors keep theirs.
func fieldNames(s *types.Struct) []string {
	taken := names{}
	list := make([]string, s.NumFields())
	for i := range s.NumFields() {
		switch name := s.Field(i).Name(); name {
		case "X", "Y", "Z", "W":
			list[i] = name
		default:
			list[i] = taken.take(variablePrefix + identifier(name))
		}
	}
	return list
}

// Identifier returns a name of the source as both languages accept it behind a prefix.
func Identifier(name string) string { return identifier(name) }
