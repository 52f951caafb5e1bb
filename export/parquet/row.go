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
	whole := true
	for _, c := range columns {
		whole = whole && (c.Per == column.Env || c.IsAbsent() || allFinite(c, low, high))
	}
	extras := 0
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
			if err := s.addList(i, columns[l.of], low, high); err != nil {
				return err
			}
		}
	}
	s.rows++
	return nil
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
