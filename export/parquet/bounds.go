package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// The library allocates what the headers of a file declare before it looks for the data, up to gigabytes for a file of
// a few bytes. These checks compare what is declared with the size of the file, before the library reads it. The
// headers are structures of Thrift's compact protocol
// (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md), and the format of the file is
// https://github.com/apache/parquet-format.

const (
	magicSize  = 4
	footerSize = 8       // length of the metadata, and the magic, at the end of a file
	headerMost = 1 << 16 // bytes of the header of a page
)

// checkFooter checks the metadata at the end of a file.
func checkFooter(data io.ReaderAt, size int64) error {
	footer := make([]byte, footerSize)
	if size < magicSize+footerSize {
		return fmt.Errorf("it has %d bytes, which is too few", size)
	}
	if _, err := data.ReadAt(footer, size-footerSize); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	length := int64(binary.LittleEndian.Uint32(footer))
	if most := size - magicSize - footerSize; length > most {
		return fmt.Errorf("its metadata are said to have %d bytes, and the file has %d", length, most)
	}
	metadata := make([]byte, length)
	if _, err := data.ReadAt(metadata, size-footerSize-length); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if t := (thrift{data: metadata}); !t.structure(0, nil) {
		return errors.New("its metadata are cut or damaged")
	}
	return nil
}

// checkPages checks the sizes of the columns that the metadata declare, and the headers of their pages.
func checkPages(file *parquet.File, data io.ReaderAt, size int64) error {
	tooLarge := fmt.Errorf("its columns are too large for a file of %d bytes", size)
	room, values, bytes := int64(64<<20)+maxExpansion*size, int64(64<<20)+maxExpansion*size, size
	for _, group := range file.Metadata().RowGroups {
		for _, chunk := range group.Columns {
			m := chunk.MetaData
			if m.TotalUncompressedSize < 0 || m.TotalUncompressedSize > room || m.TotalCompressedSize < 0 ||
				m.TotalCompressedSize > bytes {
				return tooLarge
			}
			room, bytes = room-m.TotalUncompressedSize, bytes-m.TotalCompressedSize
			start := m.DataPageOffset
			if at := m.DictionaryPageOffset; at > 0 && (at < start || start == 0) { // without a row there is no data page
				start = at
			}
			if start < 0 || start > size-m.TotalCompressedSize {
				return tooLarge
			}
			n, err := checkChunk(data, m.Codec, start, start+m.TotalCompressedSize, m.TotalUncompressedSize)
			if err != nil {
				return err
			}
			if values -= n; values < 0 {
				return tooLarge
			}
		}
	}
	return nil
}

// Fields of the header of a page.
const (
	uncompressedField = 2
	compressedField   = 3
	valuesField       = 1 // of the header of the kind of page, which is a structure in it
	definitionField   = 5 // of the header of DATA_PAGE_V2: bytes of the definition levels
	repetitionField   = 6 // bytes of the repetition levels
	isCompressedField = 7
)

// checkChunk checks the headers of the pages from start to end, whose contents take at most room bytes, and what their
// contents are compressed to. It returns the number of their values.
func checkChunk(data io.ReaderAt, codec format.CompressionCodec, start, end, room int64) (values int64, err error) {
	wrong := errors.New("the header of a page is cut or damaged")
	for start < end {
		header := make([]byte, min(end-start, headerMost))
		if _, err := data.ReadAt(header, start); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		t := thrift{data: header}
		p, ok := t.page()
		start += int64(t.at)
		if !ok || p.stored < 0 || p.stored > end-start || p.decoded < 0 || p.decoded > room || p.values < 0 {
			return 0, wrong
		}
		if err := checkCompressed(data, codec, start, p); err != nil {
			return 0, err
		}
		start, values = start+p.stored, values+p.values
	}
	return values, nil
}

// page reads the header of a page. It reports whether the header is whole.
func (t *thrift) page() (p page, ok bool) {
	ok = t.structure(0, func(depth, field int, v int64) {
		switch {
		case depth == 0 && field == uncompressedField:
			p.decoded = v
		case depth == 0 && field == compressedField:
			p.stored = v
		case depth == 1 && field == valuesField:
			p.values = v
		case depth == 1 && (field == definitionField || field == repetitionField):
			p.levels += v
		case depth == 1 && field == isCompressedField:
			p.uncompressed = v == 0
		}
	})
	return p, ok
}

// thrift walks over structures of the compact protocol.
type thrift struct {
	data []byte
	at   int
}

// Types of the compact protocol.
const (
	boolTrue, boolFalse, int8Type, int16Type, int32Type, int64Type, doubleType = 1, 2, 3, 4, 5, 6, 7
	binaryType, listType, setType, structType                                  = 8, 9, 10, 12
)

const deepest = 16 // structures in structures

// structure walks over a structure, and calls number with each whole number and boolean (0 or 1) in
// it. It reports whether everything that
// the structure declares is there.
func (t *thrift) structure(depth int, number func(depth, field int, v int64)) bool {
	field := 0
	for depth < deepest {
		head, ok := t.next()
		if !ok {
			return false
		}
		if head == 0 {
			return true
		}
		if delta := int(head >> 4); delta > 0 {
			field += delta
		} else {
			id, ok := t.integer()
			if !ok {
				return false
			}
			field = int(id)
		}
		kind := head & 0xf
		if kind == boolTrue || kind == boolFalse {
			if number != nil {
				number(depth, field, int64(boolFalse-kind))
			}
			continue
		}
		if !t.value(kind, depth, field, number) {
			return false
		}
	}
	return false
}

// value walks over a value.
func (t *thrift) value(kind byte, depth, field int, number func(depth, field int, v int64)) bool {
	switch kind {
	case boolTrue, boolFalse, int8Type:
		return t.skip(1)
	case int16Type, int32Type, int64Type:
		v, ok := t.integer()
		if ok && number != nil {
			number(depth, field, v)
		}
		return ok
	case doubleType:
		return t.skip(8)
	case binaryType:
		n, ok := t.unsigned()
		return ok && t.skip(n)
	case listType, setType:
		return t.list(depth)
	case structType:
		return t.structure(depth+1, number)
	}
	return false // no structure of the format has a map
}

// list walks over a list, whose elements take at least a byte each.
func (t *thrift) list(depth int) bool {
	head, ok := t.next()
	n := uint64(head >> 4)
	const long = 15
	if ok && n == long {
		n, ok = t.unsigned()
	}
	if !ok || n > uint64(len(t.data)-t.at) || depth >= deepest {
		return false
	}
	for range n {
		if !t.value(head&0xf, depth+1, 0, nil) {
			return false
		}
	}
	return true
}

// next returns the next byte.
func (t *thrift) next() (byte, bool) {
	if t.at >= len(t.data) {
		return 0, false
	}
	t.at++
	return t.data[t.at-1], true
}

// skip skips n bytes.
func (t *thrift) skip(n uint64) bool {
	if n > uint64(len(t.data)-t.at) {
		return false
	}
	t.at += int(n)
	return true
}

func (t *thrift) unsigned() (uint64, bool) {
	v, n := binary.Uvarint(t.data[t.at:])
	t.at += max(n, 0)
	return v, n > 0
}

// integer returns the next signed number (zigzag).
func (t *thrift) integer() (int64, bool) {
	v, n := binary.Varint(t.data[t.at:])
	t.at += max(n, 0)
	return v, n > 0
}
