package parquet

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A structure is walked over only if everything that it declares is there.
func TestThriftBounds(t *testing.T) {
	long := binary.AppendUvarint([]byte{0x18}, 1<<31)                     // field 1: a text
	many := binary.AppendUvarint([]byte{0x19, 0xf0 | 5}, 1<<31)           // field 1: a list of numbers
	deep := append(bytes.Repeat([]byte{0x1c}, 100), make([]byte, 100)...) // field 1: a structure, ...
	for name, c := range map[string]struct {
		data []byte
		want bool
	}{
		"empty":             {[]byte{0}, true},
		"number":            {[]byte{0x15, 0x09, 0}, true},
		"booleans":          {[]byte{0x11, 0x12, 0}, true},
		"far field":         {[]byte{0x05, 0x80, 0x01, 0x09, 0}, true},
		"text":              {[]byte{0x18, 2, 'a', 'b', 0}, true},
		"list of texts":     {[]byte{0x19, 0x28, 1, 'a', 0, 0}, true},
		"structure":         {[]byte{0x1c, 0x15, 2, 0, 0}, true},
		"double":            {[]byte{0x17, 1, 2, 3, 4, 5, 6, 7, 8, 0}, true},
		"no end":            {[]byte{0x15, 0x09}, false},
		"cut number":        {[]byte{0x15, 0x80}, false},
		"cut double":        {[]byte{0x17, 1, 2, 0}, false},
		"long text":         {append(long, 'a', 0), false},
		"long list":         {append(many, 1, 0), false},
		"deep":              {deep, false},
		"type that is none": {[]byte{0x1f, 0}, false},
	} {
		walk := thrift{data: c.data}
		assert.Equal(t, c.want, walk.structure(0, nil), name)
	}
}

// pageHeader returns the header of a page, whose contents are said to have these sizes, and this many values.
func pageHeader(decoded, stored, values int64) []byte {
	header := binary.AppendVarint([]byte{0x15, 0, 0x15}, decoded)
	header = binary.AppendVarint(append(header, 0x15), stored)
	return append(binary.AppendVarint(append(header, 0x2c, 0x15), values), 0, 0)
}

func TestPageBounds(t *testing.T) {
	for _, c := range []struct {
		decoded, stored, values int64
		want                    bool
	}{
		{10, 4, 3, true}, {11, 4, 3, false}, {-1, 4, 3, false}, {10, 5, 3, false}, {10, -1, 3, false}, {10, 4, -3, false},
		{1 << 31, 4, 3, false}, {10, 1 << 31, 3, false},
	} {
		data := append(pageHeader(c.decoded, c.stored, c.values), 1, 2, 3, 4)
		n, err := checkChunk(bytes.NewReader(data), format.Uncompressed, 0, int64(len(data)), 10)
		if !c.want {
			require.ErrorContains(t, err, "the header of a page is cut or damaged", "%+v", c)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.values, n)
	}
	two := append(append(pageHeader(10, 1, 3), 9), pageHeader(10, 0, 4)...)
	n, err := checkChunk(bytes.NewReader(two), format.Uncompressed, 0, int64(len(two)), 10)
	require.NoError(t, err)
	require.Equal(t, int64(7), n)
}

func TestFooterBounds(t *testing.T) {
	file := []byte("PAR1\x00\x01\x00\x00\x00PAR1")
	require.NoError(t, checkFooter(bytes.NewReader(file), int64(len(file))))
	require.ErrorContains(t, checkFooter(bytes.NewReader(file[:11]), 11), "it has 11 bytes, which is too few")
	file[5] = 2
	require.ErrorContains(t, checkFooter(bytes.NewReader(file), int64(len(file))),
		"its metadata are said to have 2 bytes, and the file has 1")
	file[4], file[5] = 0x15, 1
	require.ErrorContains(t, checkFooter(bytes.NewReader(file), int64(len(file))), "its metadata are cut or damaged")
}
