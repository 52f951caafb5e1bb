package export

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/internal/npy"
	"github.com/trackgen-go/trackgen/kernel"
)

// An .npz file is a zip archive with one .npy file per array: one for each column of track.Schema that the batch has,
// with the names, order, types and shapes of docs/results.md, and
//
//	name                                    text    [E]
//	metadata                                text    []
//
// name has the names of the tracks; a file of a batch without names has no such array.
//
// metadata is a single Unicode string with Metadata as JSON. np.load reads it without pickle:
//
//	tracks = np.load("tracks.npz")
//	made_by = json.loads(str(tracks["metadata"]))
//
// Points at index count[e] and above are NaN. All numbers are little-endian and in C order.

const (
	metadataName = "metadata"
	npySuffix    = ".npy"
)

// FormatError describes an error in a file that was read.
type FormatError struct {
	File  string // path
	Array string // name of the array; empty if the error concerns the whole file
	Err   error  // what was found and what was expected
}

// Error implements error.
func (e *FormatError) Error() string {
	if e.Array == "" {
		return fmt.Sprintf("%q: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%q: array %q: %v", e.File, e.Array, e.Err)
}

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }

// descrOf returns NumPy's description of the element type of a column.
func descrOf(c column.Column) string {
	if c.Type == kernel.Int32 {
		return "<i4"
	}
	return "<f4"
}

// axes returns the shape of a column in a file.
func axes(c column.Column, s Shape) []int64 {
	axes := []int64{int64(s.Envs)}
	if c.Per != column.Env {
		axes = append(axes, int64(s.NMax))
	}
	if n := c.Components(); n > 1 {
		axes = append(axes, int64(n))
	}
	return axes
}

// encodeText returns text as a NumPy array: a single string with four bytes per character.
func encodeText(text []byte) (npy.Header, []byte) {
	words := make([]byte, 0, 4*len(text))
	for _, r := range string(text) {
		words = binary.LittleEndian.AppendUint32(words, uint32(r))
	}
	return npy.Header{Descr: fmt.Sprintf("<U%d", len(words)/4)}, words
}

// decodeText is the inverse of encodeText. It removes the zeros with which NumPy pads strings.
func decodeText(words []byte) ([]byte, error) {
	var text []byte
	for i := 0; i < len(words); i += 4 {
		r := binary.LittleEndian.Uint32(words[i:])
		if r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
			return nil, fmt.Errorf("character %d is %#x, which is not Unicode", i/4, r)
		}
		text = utf8.AppendRune(text, rune(r))
	}
	for len(text) > 0 && text[len(text)-1] == 0 {
		text = text[:len(text)-1]
	}
	return text, nil
}
