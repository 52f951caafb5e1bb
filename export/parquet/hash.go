package parquet

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"

	"github.com/parquet-go/parquet-go"
)

// Hash computes the hash of a data set, which tells whether two data sets hold the same tracks or the same gate
// courses: the SHA-256 over the rows in order, with the numbers of each row as little-endian 32-bit words. The columns
// with one whole number per row come first (valid is 0 or 1), then the columns with one float per row, then the
// elements of each list, always in the order of the columns. It leaves out the text columns, name and reason, and null
// values. Compression, encodings and the names of versions and devices do not affect the hash.
type Hash struct {
	sum    hash.Hash
	leaves []leaf
	parts  [3][]byte // words of whole numbers, of floats, of lists
}

// NewHash starts the hash of a data set of tracks.
func NewHash() *Hash { return &Hash{sum: sha256.New(), leaves: leaves} }

// NewGateHash starts the hash of a data set of gate courses, which has no lists.
func NewGateHash() *Hash { return &Hash{sum: sha256.New(), leaves: gateLeaves} }

// Add adds a row with the columns of this package, as parquet.Reader.ReadRows returns it.
func (h *Hash) Add(row parquet.Row) {
	for i := range h.parts {
		h.parts[i] = h.parts[i][:0]
	}
	for _, v := range row {
		part := &h.parts[0]
		switch {
		case v.IsNull() || v.Column() < 0 || v.Column() >= len(h.leaves):
			continue
		case h.leaves[v.Column()].list:
			part = &h.parts[2]
		case v.Kind() == parquet.Float:
			part = &h.parts[1]
		}
		switch v.Kind() {
		case parquet.Float:
			*part = binary.LittleEndian.AppendUint32(*part, math.Float32bits(v.Float()))
		case parquet.Int32:
			*part = binary.LittleEndian.AppendUint32(*part, v.Uint32())
		case parquet.Boolean:
			word := uint32(0)
			if v.Boolean() {
				word = 1
			}
			*part = binary.LittleEndian.AppendUint32(*part, word)
		}
	}
	for _, part := range h.parts {
		h.sum.Write(part) // writing to a hash never fails
	}
}

// String returns the hash of the rows added so far, in hexadecimal.
func (h *Hash) String() string { return hex.EncodeToString(h.sum.Sum(nil)) }
