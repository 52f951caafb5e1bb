package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/track"
)

// Array is the name, size and hash of one array of a result.
type Array struct {
	Name   string `json:"name"`   // of the column
	Words  int    `json:"words"`  // 32-bit words
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

// hash returns the hashes of the columns of a batch, in the order of track.Schema, and the hash of each env over its
// parts of these columns.
func hash(batch *track.Batch) ([]Array, []EnvHash) {
	var names []string
	for _, c := range track.Schema.Columns() {
		names = append(names, c.Name)
	}
	return hashOf(track.Schema.Host(&batch.HostColumns), batch.Envs, names)
}

// hashOf returns the hashes of the named columns of a batch, in the order of names, and the hash of each env over its
// parts of these columns. It omits columns that the batch does not have.
func hashOf(columns []column.Host, numEnvs int, names []string) ([]Array, []EnvHash) {
	var arrays []Array
	envs := make([]EnvHash, numEnvs)
	digests := make([][]byte, numEnvs) // for each env, the hashes of its parts, one per array
	for _, name := range names {
		i := slices.IndexFunc(columns, func(c column.Host) bool { return c.Name == name })
		if i < 0 || columns[i].Len() == 0 {
			continue
		}
		words := columns[i].AppendWords(nil, 0, columns[i].Len())
		arrays = append(arrays, Array{Name: name, Words: len(words) / 4, SHA256: sha256.Sum256(words)})
		perEnv := len(words) / numEnvs
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
