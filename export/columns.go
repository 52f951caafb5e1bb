package export

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/track"
)

// leading are the columns that tables begin with: what names a track and says what it is, then the line it follows.
var leading = []string{"seed", "epoch", "valid", "reason", "count", "length", "winding", "center"}

// Table returns the columns of a batch in the order of tables: those of one value per env before those of points, and
// the best known first. Columns that the batch lacks are there too.
func Table(b *track.Batch) []column.Host {
	list := track.Schema.Host(&b.HostColumns)
	place := func(c column.Host) int {
		at := slices.Index(leading, c.Name)
		if at < 0 {
			at = len(leading)
		}
		if c.Per != column.Env {
			at += len(leading) + 1
		}
		return at
	}
	slices.SortStableFunc(list, func(a, b column.Host) int { return cmp.Compare(place(a), place(b)) })
	return list
}

// written returns the columns in list that a file has: all but those whose values nobody knows.
func written(list []column.Host) []column.Host {
	return slices.DeleteFunc(list, func(c column.Host) bool { return c.IsAbsent() && c.Absent == column.Unknown })
}

// sameColumns refuses a chunk whose columns are not those of the chunks before it.
func sameColumns(before, now []column.Host) error {
	names := func(list []column.Host) (names []string) {
		for _, c := range list {
			names = append(names, c.Name)
		}
		return names
	}
	earlier, present := names(before), names(now)
	for _, name := range earlier {
		if !slices.Contains(present, name) {
			return fmt.Errorf("export: a chunk lacks the column %s, which the chunks before it have", name)
		}
	}
	for _, name := range present {
		if !slices.Contains(earlier, name) {
			return fmt.Errorf("export: a chunk has the column %s, which the chunks before it lack", name)
		}
	}
	return nil
}

// elements returns the length of a column in a batch of the given shape.
func elements(c column.Column, s Shape) int64 { return int64(s.Envs) * int64(c.Stride(s.NMax)) }

// bytesPerEnv is the size of one env in the columns of a batch.
func bytesPerEnv(list []column.Column, nMax int) int64 {
	bytes := int64(0)
	for _, c := range list {
		bytes += int64(c.Stride(nMax)) * c.Type.Size()
	}
	return bytes
}

const wordSize = 4 // bytes of a float32 or int32

// axisNames end the names of the columns that a vector becomes in a table.
var axisNames = [...]string{"_x", "_y", "_z"}

// numberOf returns the number of env e in an array that may be nil.
func numberOf[T ~int32](values []T, e int) T {
	if values == nil {
		return 0
	}
	return values[e]
}
