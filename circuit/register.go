package circuit

import (
	"bytes"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/registry"
)

// TrackLine is the centreline of a track in a file of tracks, in metres. Z are the heights of the points, and Right and
// Left the widths there, or nil if the file has none.
type TrackLine struct {
	Env         string // number of the track in the file
	Name        string // of the circuit, or ""
	Valid       bool   // a track that is not valid may have no complete line
	X, Y, Z     []float64
	Right, Left []float64
}

var formats = registry.New[kind]("format of circuits")

// RegisterFormat adds a format of files with tracks to ReadFiles and ReadAll, as image.RegisterFormat does for images,
// so that a program links only the libraries of the formats that it reads. Call it in init functions of packages such
// as export/parquet. Files of the format start with magic. read returns the tracks in the bytes of a file. A name
// consists of lower-case letters and digits, in parts joined by dots, dashes and underscores.
//
// The error is a *backend.ArgumentError if the name is invalid or registered already, magic is empty, or read is nil.
func RegisterFormat(name, magic string, read func(data []byte) ([]TrackLine, error)) error {
	const op = "circuit: register format"
	switch {
	case magic == "":
		return &backend.ArgumentError{Op: op, Argument: "magic", Value: `""`, Allowed: "a text"}
	case read == nil:
		return &backend.ArgumentError{Op: op, Argument: "read", Value: nil, Allowed: "a function"}
	}
	return formats.Register(name, kind{
		name:    name,
		matches: func(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) },
		read: func(file string, data []byte, _ Options) ([]*File, error) {
			lines, err := read(data)
			if err != nil {
				return nil, &Error{File: file, Name: "the " + name + " file", Value: "wrong: " + err.Error(),
					Want: "tracks as trackgen writes them"}
			}
			all := &tracksOf{file: file}
			for _, line := range lines {
				if err := all.add(line); err != nil {
					return nil, err
				}
			}
			return all.circuits()
		},
	})
}

// registeredKinds returns the kinds of the registered formats, in order of registration.
func registeredKinds() []kind {
	var list []kind
	for _, name := range formats.Names() {
		if k, found := formats.Lookup(name); found {
			list = append(list, k)
		}
	}
	return list
}
