package parquet

import (
	"fmt"
	"math"
	"slices"

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
	levels        levels
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

func newSheet(leaves []leaf, layout Layout) *sheet {
	s := &sheet{precision: layout.Precision, holdsAllLists: layout.Columns == nil}
	for _, l := range leaves {
		s.columns = append(s.columns, sheetColumn{leaf: l})
	}
	return s
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

// addList adds elements [low, high) of a column of a batch.
func (s *sheet) addList(i int, of column.Host, low, high int) {
	c := s.add(i, high-low)
	before := len(c.numbers)
	switch of.Type {
	case kernel.TypeVec3:
		vectors := of.Vectors()[low:high]
		c.numbers = slices.Grow(c.numbers, len(vectors))[:before+len(vectors)]
		to := c.numbers[before:]
		switch c.axis {
		case 0:
			for k := range vectors {
				to[k] = vectors[k].X
			}
		case 1:
			for k := range vectors {
				to[k] = vectors[k].Y
			}
		default:
			for k := range vectors {
				to[k] = vectors[k].Z
			}
		}
	case kernel.Float32:
		c.numbers = append(c.numbers, of.Numbers()[low:high]...)
	default:
		for k := low; k < high; k++ {
			c.integers = append(c.integers, of.Integer(k))
		}
	}
}

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

// levels are the definition and repetition levels of the values of a column.
type levels struct {
	lengths     []int32 // from which they were made
	list        bool
	definitions []int16
	repetitions []int16
}

// of makes the levels of a column. Most lists of a sheet have the same ones, so they are kept.
func (l *levels) of(c *sheetColumn) (definitions, repetitions []int16) {
	if !c.optional {
		return nil, nil
	}
	if c.list != l.list || !slices.Equal(c.lengths, l.lengths) || l.definitions == nil {
		l.make(c)
	}
	return l.definitions, l.repetitions
}

func (l *levels) make(c *sheetColumn) {
	l.lengths, l.list = append(l.lengths[:0], c.lengths...), c.list
	l.definitions, l.repetitions = l.definitions[:0], l.repetitions[:0]
	for _, n := range c.lengths {
		switch {
		case n == absent:
			l.definitions = append(l.definitions, null)
		case !c.list:
			l.definitions = append(l.definitions, valuePresent)
		case n == 0:
			l.definitions = append(l.definitions, listEmpty)
		default:
			for range n {
				l.definitions = append(l.definitions, listElement)
			}
		}
		if c.list {
			l.repetitions = append(l.repetitions, 0)
			for range n - 1 {
				l.repetitions = append(l.repetitions, 1)
			}
		}
	}
	if !c.list {
		l.repetitions = nil
	}
}

// write writes a column of the sheet as the next one of a row group.
func (s *sheet) write(to file.ColumnChunkWriter, c *sheetColumn) error {
	definitions, repetitions := s.levels.of(c)
	var err error
	switch to := to.(type) {
	case *file.Int32ColumnChunkWriter:
		_, err = to.WriteBatch(c.integers, definitions, repetitions)
	case *file.BooleanColumnChunkWriter:
		_, err = to.WriteBatch(c.flags, definitions, repetitions)
	case *file.ByteArrayColumnChunkWriter:
		_, err = to.WriteBatch(c.texts, definitions, repetitions)
	case *file.Float32ColumnChunkWriter:
		_, err = to.WriteBatch(c.numbers, definitions, repetitions)
	case *file.FixedLenByteArrayColumnChunkWriter:
		_, err = to.WriteBatch(halves(c.numbers), definitions, repetitions)
	default:
		err = fmt.Errorf("a column of %T", to)
	}
	if err != nil {
		return fmt.Errorf("column %s: %w", c.name, err)
	}
	return to.Close()
}

// halves returns numbers as float16, little-endian.
func halves(numbers []float32) []library.FixedLenByteArray {
	bytes := make([]byte, 0, halfBytes*len(numbers))
	list := make([]library.FixedLenByteArray, len(numbers))
	for i, v := range numbers {
		bits := float16.Fromfloat32(v).Bits()
		bytes = append(bytes, byte(bits), byte(bits>>8))
		list[i] = bytes[halfBytes*i : halfBytes*(i+1) : halfBytes*(i+1)]
	}
	return list
}

// allFinite reports whether all numbers of elements [low, high) of a column are finite.
func allFinite(c column.Host, low, high int) bool {
	sum := float32(0) // becomes NaN if a number is not finite
	switch c.Type {
	case kernel.TypeVec3:
		for _, v := range c.Vectors()[low:high] {
			sum += (v.X - v.X) + (v.Y - v.Y) + (v.Z - v.Z)
		}
	case kernel.Float32:
		for _, v := range c.Numbers()[low:high] {
			sum += v - v
		}
	}
	return !math.IsNaN(float64(sum))
}
