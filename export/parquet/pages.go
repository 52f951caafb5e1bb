package parquet

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/memory"
	library "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/parquet-go/parquet-go/encoding/bytestreamsplit"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/x448/float16"
)

// pageNumbers is how many numbers a page of a list column holds, unless a single row has more: 1 MiB of them, which is
// what the format recommends (https://github.com/apache/parquet-format#data-page-size).
const pageNumbers = 1 << 20 / numberBytes

// pages writes the pages of the list columns of a row group. Most of these columns have lists of the same lengths, so
// the levels of a page are encoded once for all of them; the library would encode those of each column anew, which
// takes it longer than all else together. Pages begin with a row.
type pages struct {
	layout  Layout
	levels  []pageLevels // of the pages of the last column
	page    []byte
	numbers []byte
	packed  bytes.Buffer
}

// pageLevels are the encoded levels of the rows of a page.
type pageLevels struct {
	lengths []int32 // of the lists of these rows
	count   int     // of levels of each kind
	numbers int     // that the lists have
	encoded []byte  // repetition levels, then definition levels
}

// write writes the pages of a list column.
func (p *pages) write(to file.PageWriter, c *sheetColumn) error {
	lengths, numbers, integers := c.lengths, c.numbers, c.integers
	for k := 0; len(lengths) > 0; k++ {
		rows := rowsOfPage(lengths)
		levels, err := p.levelsOf(k, lengths[:rows])
		if err != nil {
			return err
		}
		lengths = lengths[rows:]
		p.page = append(p.page[:0], levels.encoded...)
		encoding := library.Encodings.Plain
		if c.kind == number {
			encoding = p.addNumbers(numbers[:levels.numbers])
			numbers = numbers[levels.numbers:]
		} else {
			p.page = appendWords(p.page, integers[:levels.numbers])
			integers = integers[levels.numbers:]
		}
		if err := p.put(to, levels.count, encoding); err != nil {
			return err
		}
	}
	return nil
}

// rowsOfPage returns how many of the rows a page holds, at least one.
func rowsOfPage(lengths []int32) int {
	numbers := 0
	for i, n := range lengths {
		if numbers += max(0, int(n)); numbers > pageNumbers && i > 0 {
			return i
		}
	}
	return len(lengths)
}

// put writes the page that has been made.
func (p *pages) put(to file.PageWriter, levels int, encoding library.Encoding) error {
	data := p.page
	if to.HasCompressor() {
		p.packed.Reset()
		data = to.Compress(&p.packed, data)
	}
	page := file.NewDataPageV1(memory.NewBufferBytes(data), int32(levels), encoding, library.Encodings.RLE,
		library.Encodings.RLE, int32(len(p.page)))
	defer page.Release()
	_, err := to.WriteDataPage(page)
	return err
}

// levelsOf returns the levels of page k, whose lists have these lengths.
func (p *pages) levelsOf(k int, lengths []int32) (*pageLevels, error) {
	if k == len(p.levels) {
		p.levels = append(p.levels, pageLevels{})
	}
	l := &p.levels[k]
	if l.encoded != nil && slices.Equal(l.lengths, lengths) {
		return l, nil
	}
	l.lengths = append(l.lengths[:0], lengths...)
	return l, l.encode()
}

// encode makes the levels: for each list one 0 and then a 1 for each further element, and for each element whether it
// is one, or why there is none.
func (l *pageLevels) encode() error {
	var repetitions, definitions []uint8
	l.numbers = 0
	for _, n := range l.lengths {
		l.numbers += max(0, int(n))
		repetitions = append(repetitions, 0)
		for range n - 1 {
			repetitions = append(repetitions, 1)
		}
		switch n {
		case absent:
			definitions = append(definitions, null)
		case 0:
			definitions = append(definitions, listEmpty)
		default:
			for range n {
				definitions = append(definitions, listElement)
			}
		}
	}
	l.count, l.encoded = len(definitions), l.encoded[:0]
	for _, kind := range [...]struct {
		bits   int
		levels []uint8
	}{{1, repetitions}, {2, definitions}} {
		runs, err := (&rle.Encoding{BitWidth: kind.bits}).EncodeLevels(nil, kind.levels)
		if err != nil {
			return err
		}
		l.encoded = append(binary.LittleEndian.AppendUint32(l.encoded, uint32(len(runs))), runs...)
	}
	return nil
}

// addNumbers adds numbers to the page in the precision of the layout, and returns their encoding.
func (p *pages) addNumbers(numbers []float32) library.Encoding {
	split := p.layout.Compression != Uncompressed
	switch {
	case p.layout.Precision == Half && split:
		low := len(p.page)
		p.page = slices.Grow(p.page, halfBytes*len(numbers))[:low+halfBytes*len(numbers)]
		high := p.page[low+len(numbers):]
		for i, v := range numbers {
			bits := float16.Fromfloat32(v).Bits()
			p.page[low+i], high[i] = byte(bits), byte(bits>>8)
		}
	case p.layout.Precision == Half:
		for _, v := range numbers {
			p.page = binary.LittleEndian.AppendUint16(p.page, float16.Fromfloat32(v).Bits())
		}
	case split:
		// This encoding has no errors.
		p.numbers, _ = new(bytestreamsplit.Encoding).EncodeFloat(p.numbers[:0], numbers)
		p.page = append(p.page, p.numbers...)
	default:
		p.page = appendWords(p.page, numbers)
	}
	if split {
		return library.Encodings.ByteStreamSplit
	}
	return library.Encodings.Plain
}
