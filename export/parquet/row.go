package parquet

import (
	"strings"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// addTrack adds env e of a batch as the next row; env is its number in the file. columns are those of export.Table, and
// extra those of the extra columns.
func (s *sheet) addTrack(columns, extra []column.Host, b *track.Batch, e int, env int32) error {
	low := e * b.NMax
	high := low + int(b.Count[e])
	extras, whole := 0, s.holdsAllLists || listsAreFinite(columns, low, high)
	notFinite := uint32(0)
	for i := range s.columns {
		l := s.columns[i].leaf
		switch {
		case l.of == ofEnv:
			s.addInteger(i, env)
		case l.of == ofName && b.Name(e) == "":
			s.addNull(i)
		case l.of == ofName:
			s.addText(i, b.Name(e))
		case l.of == ofExtra:
			s.addEnvValue(i, extra[extras], e, nil)
			extras++
		case !l.list:
			s.addEnvValue(i, columns[l.of], e, func() []string { return export.ReasonNames(b, e) })
		case !whole || columns[l.of].IsAbsent():
			s.addNull(i)
		default:
			notFinite |= s.addList(i, columns[l.of], low, high)
		}
	}
	s.rows++
	if notFinite>>31 != 0 {
		s.dropLastLists()
	}
	if s.precision == Half {
		return s.roundLastLists()
	}
	return nil
}

// listsAreFinite reports whether all numbers of elements [low, high) of all columns of points are finite.
func listsAreFinite(columns []column.Host, low, high int) bool {
	for _, c := range columns {
		if c.Per != column.Env && !c.IsAbsent() && !allFinite(c, low, high) {
			return false
		}
	}
	return true
}

// roundLastLists rounds the numbers of the lists of the last row.
func (s *sheet) roundLastLists() error {
	for i := range s.columns {
		c := &s.columns[i]
		if n := c.lengths[len(c.lengths)-1]; c.list && c.kind == number && n > 0 {
			if err := roundToHalf(c.name, c.numbers[len(c.numbers)-int(n):]); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropLastLists makes the lists of the last row null.
func (s *sheet) dropLastLists() {
	for i := range s.columns {
		c := &s.columns[i]
		n := c.lengths[len(c.lengths)-1]
		if !c.list || n == absent {
			continue
		}
		c.numbers = c.numbers[:max(0, len(c.numbers)-int(n))]
		c.integers = c.integers[:max(0, len(c.integers)-int(n))]
		c.lengths[len(c.lengths)-1] = absent
		s.values -= max(0, int(n)-1)
	}
}

// addEnvValue adds the value of a column for env e. reasons returns the names of the reasons of the env.
func (s *sheet) addEnvValue(i int, c column.Host, e int, reasons func() []string) {
	switch {
	case c.IsAbsent() && c.Absent == column.Unknown:
		s.addNull(i)
	case s.columns[i].kind == flag:
		s.addFlag(i, c.Integer(e) != 0)
	case s.columns[i].kind == text:
		s.addText(i, strings.Join(reasons(), "|"))
	case c.Type == kernel.Float32:
		s.addNumber(i, c.Numbers()[e])
	default:
		s.addInteger(i, c.Integer(e))
	}
}
