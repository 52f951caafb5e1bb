package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"

	"github.com/trackgen-go/trackgen/track"
)

// Array is the name, size and hash of one array of a result.
type Array struct {
	Name   string `json:"name"`   // field of track.Batch in lower case
	Words  int    `json:"words"`  // number of 32-bit words
	SHA256 Hash   `json:"sha256"` // of the words in little-endian order
}

// Hash is a SHA-256, written as hexadecimal digits in files.
type Hash [sha256.Size]byte

// EnvHash is the beginning of a SHA-256, written as hexadecimal digits in files. It is long enough to tell neighbouring
// envs apart.
type EnvHash [8]byte

// MarshalText implements encoding.TextMarshaler.
func (h Hash) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h[:]), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *Hash) UnmarshalText(text []byte) error { return decodeHash(h[:], text) }

// MarshalText implements encoding.TextMarshaler.
func (h EnvHash) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h[:]), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *EnvHash) UnmarshalText(text []byte) error { return decodeHash(h[:], text) }

func decodeHash(dst, text []byte) error {
	if len(text) != hex.EncodedLen(len(dst)) {
		return fmt.Errorf("hash %.80q: must have %d hexadecimal digits", text, hex.EncodedLen(len(dst)))
	}
	if _, err := hex.Decode(dst, text); err != nil {
		return fmt.Errorf("hash %.80q: %w", text, err)
	}
	return nil
}

// hash returns the hashes of those arrays of a batch that only names (nil means all), and the hash of every env over
// its part of them.
func hash(batch *track.Batch, only map[string]bool) ([]Array, []EnvHash) {
	var arrays []Array
	envs := make([]EnvHash, batch.Envs)
	digests := make([][]byte, batch.Envs) // the parts of each env, one hash per array
	value := reflect.ValueOf(batch).Elem()
	for i := range value.NumField() {
		field := value.Field(i)
		if field.Kind() != reflect.Slice || field.Len() == 0 {
			continue
		}
		name := strings.ToLower(value.Type().Field(i).Name)
		if only != nil && !only[name] {
			continue
		}
		words := appendWords(nil, field.Interface())
		arrays = append(arrays, Array{Name: name, Words: len(words) / 4, SHA256: sha256.Sum256(words)})
		perEnv := len(words) / batch.Envs
		for e := range envs {
			part := sha256.Sum256(words[e*perEnv : (e+1)*perEnv])
			digests[e] = append(digests[e], part[:]...)
		}
	}
	for e := range envs {
		whole := sha256.Sum256(digests[e])
		copy(envs[e][:], whole[:])
	}
	return arrays, envs
}

// appendWords appends the elements of a slice of numbers or points as little-endian words.
func appendWords(dst []byte, array any) []byte {
	dst, err := binary.Append(dst, binary.LittleEndian, array)
	if err != nil {
		// A field of a new type, which every test detects
		panic(fmt.Sprintf("ledger: an array of %T in track.Batch: %v", array, err))
	}
	return dst
}
