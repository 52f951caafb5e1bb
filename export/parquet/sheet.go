package parquet

import (
	"fmt"
	"math"
	"slices"
	"sync"

	library "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/x448/float16"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/kernel"
)

// sheet holds the rows of a row group, column by column, as the library writes them.
type sheet struct {
	columns       []sheetColumn
	precision     Precision
	holdsAllLists bool // of tracks
	rows          int
	values        int // numbers of all columns, a null counted as one
}

// sheetColumn is a column of a sheet. Its values are in the slice of its kind.
type sheetColumn struct {
	leaf
	integers []int32
	flags    []bool
	texts    []library.ByteArray
	numbers  []float32
	lengths  []int32 // of each row: number of values, or absent
}

// absent is the length of a null.
const absent = -1

// sheets has the sheets of finished files. The memory of one is 32 MiB and more, which a process that writes file after
// file would allocate, and grow to that size, for each of them.
var sheets sync.Pool

// newSheet returns an empty sheet, in the memory of an earlier one if that had the same columns.
func newSheet(leaves []leaf, layout Layout) *sheet {
	s := &sheet{precision: layout.Precision, holdsAllLists: layout.Columns == nil}
	if used, ok := sheets.Get().(*sheet); ok && used.has(leaves) {
		s.columns = used.columns
		s.clear()
		return s
	}
	for _, l := range leaves {
		s.columns = append(s.columns, sheetColumn{leaf: l})
	}
	return s
}

// has reports whether a sheet has these columns.
func (s *sheet) has(leaves []leaf) bool {
	return slices.EqualFunc(s.columns, leaves, func(c sheetColumn, l leaf) bool { return c.leaf == l })
}

// release keeps the memory of a sheet for another file. It must not be used any more.
func (s *sheet) release() {
	for i := range s.columns {
		clear(s.columns[i].texts[:cap(s.columns[i].texts)]) // which keep memory of others
	}
	sheets.Put(s)
}

// clear removes all rows and keeps the memory.
func (s *sheet) clear() {
	for i := range s.columns {
		c := &s.columns[i]
		c.integers, c.flags, c.texts = c.integers[:0], c.flags[:0], c.texts[:0]
		c.numbers, c.lengths = c.numbers[:0], c.lengths[:0]
	}
	s.rows, s.values = 0, 0
}

// add notes the number of values of the current row of a column, which the caller appends.
func (s *sheet) add(i, length int) *sheetColumn {
	c := &s.columns[i]
	c.lengths = append(c.lengths, int32(length))
	s.values += max(1, length)
	return c
}

func (s *sheet) addNull(i int) { s.add(i, absent) }

func (s *sheet) addInteger(i int, v int32) {
	c := s.add(i, 1)
	c.integers = append(c.integers, v)
}

func (s *sheet) addFlag(i int, v bool) {
	c := s.add(i, 1)
	c.flags = append(c.flags, v)
}

func (s *sheet) addText(i int, v string) {
	c := s.add(i, 1)
	c.texts = append(c.texts, library.ByteArray(v))
}

// addNumber adds a number, or null if it is not finite.
func (s *sheet) addNumber(i int, v float32) {
	if v-v != 0 {
		s.addNull(i)
		return
	}
	c := s.add(i, 1)
	c.numbers = append(c.numbers, v)
}

// addList adds elements [low, high) of a column of a batch. It returns a word whose highest bit is set if one of them
// is a number that is not finite.
func (s *sheet) addList(i int, of column.Host, low, high int) (notFinite uint32) {
	c := s.add(i, high-low)
	if of.Type == kernel.Int32 {
		c.integers = append(c.integers, of.Integers()[low:high]...)
		return 0
	}
	before := len(c.numbers)
	c.numbers = slices.Grow(c.numbers, high-low)[:before+high-low]
	to := c.numbers[before:]
	if of.Type != kernel.TypeVec3 {
		for k, v := range of.Numbers()[low:high] {
			to[k] = v
			notFinite |= exponentOf(v)
		}
		return notFinite
	}
	switch vectors := of.Vectors()[low:high]; c.axis {
	case 0:
		for k := range vectors {
			to[k] = vectors[k].X
			notFinite |= exponentOf(to[k])
		}
	case 1:
		for k := range vectors {
			to[k] = vectors[k].Y
			notFinite |= exponentOf(to[k])
		}
	default:
		for k := range vectors {
			to[k] = vectors[k].Z
			notFinite |= exponentOf(to[k])
		}
	}
	return notFinite
}

// exponentOf returns a word whose highest bit is set if and only if v is not finite: its exponent, all ones, plus one.
func exponentOf(v float32) uint32 { return math.Float32bits(v)&(1<<31-1) + 1<<23 }

// roundToHalf rounds finite numbers to the values of float16.
func roundToHalf(name string, values []float32) error {
	for i, v := range values {
		half := float16.Fromfloat32(v)
		if half.IsInf(0) {
			return fmt.Errorf("parquet: %s has the number %v: half precision has numbers up to 65504 alone", name, v)
		}
		values[i] = half.Float32()
	}
	return nil
}

// write writes a column without lists.
func (c *sheetColumn) write(to file.ColumnChunkWriter) error {
	definitions := c.definitions()
	var err error
	switch to := to.(type) {
	case *file.Int32ColumnChunkWriter:
		_, err = to.WriteBatch(c.integers, definitions, nil)
	case *file.BooleanColumnChunkWriter:
		_, err = to.WriteBatch(c.flags, definitions, nil)
	case *file.ByteArrayColumnChunkWriter:
		_, err = to.WriteBatch(c.texts, definitions, nil)
	case *file.Float32ColumnChunkWriter:
		_, err = to.WriteBatch(c.numbers, definitions, nil)
	default:
		err = fmt.Errorf("no values are written by a %T", to)
	}
	if err != nil {
		return err
	}
	return to.Close()
}

// definitions returns the definition levels of a column without lists, nil if it has none.
func (c *sheetColumn) definitions() []int16 {
	if !c.optional {
		return nil
	}
	levels := make([]int16, len(c.lengths))
	for i, n := range c.lengths {
		levels[i] = valuePresent
		if n == absent {
			levels[i] = null
		}
	}
	return levels
}

// allFinite reports whether all numbers of elements [low, high) of a column are finite.
func allFinite(c column.Host, low, high int) bool {
	notFinite := uint32(0)
	switch c.Type {
	case kernel.TypeVec3:
		for _, v := range c.Vectors()[low:high] {
			notFinite |= exponentOf(v.X) | exponentOf(v.Y) | exponentOf(v.Z)
		}
	case kernel.Float32:
		for _, v := range c.Numbers()[low:high] {
			notFinite |= exponentOf(v)
		}
	}
	return notFinite>>31 == 0
}
