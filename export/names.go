package export

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trackgen-go/trackgen/internal/npy"
	"github.com/trackgen-go/trackgen/track"
)

// nameColumn is the name of tracks in every format: the key of objects, and the column of tables and arrays. A file of
// a batch without names has no such column. It is a text, so it is no column of track.Schema.
const nameColumn = "name"

// MaxName is the maximum length of the name of a track in a file, in characters.
const MaxName = 255

// checkName returns an error for a name that cannot be in a file, or would disturb the terminal on which it is shown.
func checkName(name string) error {
	switch {
	case !utf8.ValidString(name):
		return fmt.Errorf("name %+q is not UTF-8", npy.Clip(name))
	case utf8.RuneCountInString(name) > MaxName:
		return fmt.Errorf("name %+q has %d characters: must be at most %d", npy.Clip(name), utf8.RuneCountInString(name),
			MaxName)
	case strings.ContainsFunc(name, disturbs):
		return fmt.Errorf("name %+q has control characters", npy.Clip(name))
	}
	return nil
}

// disturbs reports whether a character changes how the text around it is displayed.
func disturbs(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

// checkNames checks the names of a batch.
func checkNames(b *track.Batch) error {
	if b.Names != nil && len(b.Names) != b.Envs {
		return fmt.Errorf("export: the batch has %d names, expected %d, one for each env", len(b.Names), b.Envs)
	}
	for e, name := range b.Names {
		if err := checkName(name); err != nil {
			return fmt.Errorf("export: env %d of the batch: %w", e, err)
		}
	}
	return nil
}

// names returns names for circuits of files without names: the name of each file, without its extension.
func (i *Import) names() []string {
	names := make([]string, len(i.Circuits))
	for e, c := range i.Circuits {
		if name := strings.TrimSuffix(c.File, filepath.Ext(c.File)); checkName(name) == nil {
			names[e] = name
		}
	}
	return names
}

// readNames reads the array of names from its file in the archive.
func (r *NPZReader) readNames(f *zip.File) error {
	data, header, rest, err := r.openArray(f)
	if err != nil {
		return err
	}
	defer func() { _ = data.Close() }()
	n, isText := textLength(header)
	if !isText || n < 0 || n > MaxName || len(header.Shape) != 1 || header.Shape[0] != int64(r.shape.Envs) {
		return fmt.Errorf("has type %q and shape %v, expected texts (<U1 to <U%d) of shape [%d]", npy.Clip(header.Descr),
			header.Shape, MaxName, r.shape.Envs)
	}
	if want := n * wordSize * int64(r.shape.Envs); rest != want {
		return fmt.Errorf("holds %d bytes of data, expected %d", rest, want)
	}
	r.names = make([]string, r.shape.Envs)
	words := make([]byte, n*wordSize)
	buffered := bufio.NewReader(data)
	for e := range r.names {
		if err := npy.ReadFull(buffered, words); err != nil {
			return fmt.Errorf("reading the elements: %w", err)
		}
		text, err := decodeText(words)
		if err == nil {
			err = checkName(string(text))
		}
		if err != nil {
			return fmt.Errorf("env %d: %w", e, err)
		}
		r.names[e] = string(text)
	}
	return expectEnd(buffered)
}

// encodeNames returns names as a NumPy array of texts, padded with zeros to the length of the longest.
func encodeNames(names []string) (descr string, words []byte) {
	longest := 1 // NumPy has no texts of length 0
	for _, name := range names {
		longest = max(longest, utf8.RuneCountInString(name))
	}
	words = make([]byte, 0, wordSize*longest*len(names))
	for e, name := range names {
		for _, r := range name {
			words = binary.LittleEndian.AppendUint32(words, uint32(r))
		}
		words = append(words, make([]byte, wordSize*longest*(e+1)-len(words))...)
	}
	return fmt.Sprintf("<U%d", longest), words
}
