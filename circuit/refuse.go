package circuit

import "bytes"

// refusedKinds returns the kinds of files that cannot be read as circuits. The error of each says what it is, and what
// to do.
func refusedKinds() []kind {
	refused := func(name, want string, matches func(head []byte) bool) kind {
		return kind{name: name, matches: matches, read: func(file string, _ []byte, _ Options) ([]*File, error) {
			return nil, &Error{File: file, Name: "the file", Value: name, Want: want}
		}}
	}
	return []kind{
		refused("JSON", "a CSV file: write its points to lines of x,y,width_right,width_left", isJSON),
	}
}

// isJSON reports whether a text looks like JSON: an object, or an array of values. A line of names may start with a
// bracket too: [x, y, w_left, w_right].
func isJSON(head []byte) bool {
	head = bytes.TrimSpace(head)
	if len(head) == 0 || head[0] != '{' && head[0] != '[' {
		return false
	}
	rest := bytes.TrimSpace(head[1:])
	if head[0] == '{' {
		return len(rest) == 0 || rest[0] == '"' || rest[0] == '}'
	}
	return len(rest) == 0 || bytes.IndexByte([]byte("{[]-0123456789"), rest[0]) >= 0
}
