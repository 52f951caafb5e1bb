package export

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// An .npz file is a zip archive with one .npy file per array. For a batch of E envs:
//
//	outer, center, inner, tangent, normal   float32 [E, N_max, 3]
//	arclen                                  float32 [E, N_max]
//	length, winding                         float32 [E]
//	valid, reason, count, seed, epoch,
//	candidate, component                    int32   [E]
//	metadata                                text    []
//
// and where the tracks are those of measured circuits
//
//	width_right, width_left                 float32 [E, N_max], from the centreline to the border, in the direction of travel
//	crossings                               int32   [E], how often the centreline crosses itself
//
// metadata is a single Unicode string that holds Metadata as JSON. np.load gives it without pickle:
//
//	tracks = np.load("tracks.npz")
//	made_by = json.loads(str(tracks["metadata"]))
//
// Points from count[e] on are NaN. Everything is little-endian and in C order.

const (
	metadataName = "metadata"
	npySuffix    = ".npy"
)

// FormatError says what is wrong with a file that was read.
type FormatError struct {
	File  string // path
	Array string // name of the array, or empty where the file as a whole is wrong
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

// encodeText returns text as a NumPy array: a single string of as many four-byte characters.
func encodeText(text []byte) (npyHeader, []byte) {
	words := make([]byte, 0, 4*len(text))
	for _, r := range string(text) {
		words = binary.LittleEndian.AppendUint32(words, uint32(r))
	}
	return npyHeader{descr: fmt.Sprintf("<U%d", len(words)/4)}, words
}

// decodeText is the inverse of encodeText. NumPy pads strings with zeros.
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
