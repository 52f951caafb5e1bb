package parquet

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/x448/float16"
)

// Hash computes the hash of a data set, which tells whether two data sets hold the same tracks or the same gate
// courses: the SHA-256 over the rows in order, with the numbers of each row as little-endian 32-bit words. The columns
// with one whole number per row come first (valid is 0 or 1), then the columns with one float per row, then the
// elements of each list, always in the order of the columns. It leaves out the text columns, name and reason, extra
// columns and null values. A float16 counts as the float of the same value. Compression, encodings and the names of
// versions and devices do not affect the hash; the columns and the precision of a Layout do.
type Hash struct {
	sum    hash.Hash
	leaves []leaf
	parts  [3][]byte // words of whole numbers, of floats, of lists
}

// NewHash starts the hash of a data set of tracks with all columns.
func NewHash() *Hash { return Layout{}.NewHash() }

// NewHash starts the hash of a data set of tracks with the columns of l.
func (l Layout) NewHash() *Hash { return newHash(l.leaves()) }

// NewGateHash starts the hash of a data set of gate courses, which has no lists.
func NewGateHash() *Hash { return newHash(gateLeaves) }

func newHash(leaves []leaf) *Hash { return &Hash{sum: sha256.New(), leaves: leaves} }

// Add adds a row with the columns of this package, as Reader.ReadRows of parquet-go returns it.
func (h *Hash) Add(row parquet.Row) {
	h.begin()
	for _, v := range row {
		if v.IsNull() || v.Column() < 0 || v.Column() >= len(h.leaves) {
			continue
		}
		l := h.leaves[v.Column()]
		switch v.Kind() {
		case parquet.Float:
			h.addWord(l, math.Float32bits(v.Float()))
		case parquet.Int32:
			h.addWord(l, v.Uint32())
		case parquet.Boolean:
			h.addWord(l, wordOf(v.Boolean()))
		case parquet.FixedLenByteArray:
			if half := v.ByteArray(); len(half) == halfBytes {
				h.addWord(l, math.Float32bits(float16.Frombits(binary.LittleEndian.Uint16(half)).Float32()))
			}
		}
	}
	h.end()
}

// addLast adds the last row of a sheet.
func (h *Hash) addLast(s *sheet) {
	h.begin()
	for i := range h.leaves {
		c := &s.columns[i]
		n := int(c.lengths[len(c.lengths)-1])
		if n == absent {
			continue
		}
		part := h.part(c.leaf)
		switch c.kind {
		case integer:
			*part = appendWords(*part, c.integers[len(c.integers)-n:])
		case flag:
			h.addWord(c.leaf, wordOf(c.flags[len(c.flags)-1]))
		case number:
			*part = appendWords(*part, c.numbers[len(c.numbers)-n:])
		}
	}
	h.end()
}

// appendWords appends the bits of values as little-endian words.
func appendWords[T int32 | float32](to []byte, values []T) []byte {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 { // this processor has them in memory like that
		return append(to, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), numberBytes*len(values))...)
	}
	words := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(values))), len(values))
	for _, w := range words {
		to = binary.LittleEndian.AppendUint32(to, w)
	}
	return to
}

func (h *Hash) begin() {
	for i := range h.parts {
		h.parts[i] = h.parts[i][:0]
	}
}

// part returns the words of the row that those of a column belong to.
func (h *Hash) part(l leaf) *[]byte {
	switch {
	case l.list:
		return &h.parts[2]
	case l.kind == number:
		return &h.parts[1]
	}
	return &h.parts[0]
}

func (h *Hash) addWord(l leaf, word uint32) {
	part := h.part(l)
	*part = binary.LittleEndian.AppendUint32(*part, word)
}

func (h *Hash) end() {
	for _, part := range h.parts {
		h.sum.Write(part) // writing to a hash never fails
	}
}

func wordOf(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// String returns the hash of the rows added so far, in hexadecimal.
func (h *Hash) String() string { return hex.EncodeToString(h.sum.Sum(nil)) }
