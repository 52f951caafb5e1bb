package export

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/track"
)

// leading are the first columns of a table: those that identify and describe a track, then its centreline.
var leading = []string{"seed", "epoch", "valid", reasonColumn, "count", "length", "winding", "center"}

// Table returns the columns of a batch in the order of tables: columns of one value per env come before columns of
// points, and the best-known columns come first. Columns that the batch lacks are included.
func Table(b *track.Batch) []column.Host {
	return inTableOrder(track.Schema.Host(&b.HostColumns))
}

// inTableOrder sorts columns as Table does, and returns them.
func inTableOrder(list []column.Host) []column.Host {
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

// written returns the columns in list that a file contains: all except absent ones whose values are unknown.
func written(list []column.Host) []column.Host {
	return slices.DeleteFunc(list, func(c column.Host) bool { return c.IsAbsent() && c.Absent == column.Unknown })
}

// sameColumns returns an error for a chunk whose columns differ from those of the chunks before it.
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

// elements returns the number of elements of a column in a batch of the given shape.
func elements(c column.Column, s Shape) int64 { return int64(s.Envs) * int64(c.Stride(s.NMax)) }

// bytesPerEnv returns the size of one env in the columns of a batch, in bytes.
func bytesPerEnv(list []column.Column, nMax int) int64 {
	bytes := int64(0)
	for _, c := range list {
		bytes += int64(c.Stride(nMax)) * c.Type.Size()
	}
	return bytes
}

// reasonColumn is the column of failed tests, which texts show by their names.
const reasonColumn = "reason"

// countColumn is the column of the number of real elements of an env.
const countColumn = "count"

const wordSize = 4 // bytes of a float32 or int32

// axisNames are the suffixes of the names of the table columns that hold the components of a vector
// or a quaternion.
var axisNames = [...]string{"_x", "_y", "_z", "_w"}

// numberOf returns element e of values, or 0 if values is nil.
func numberOf[T ~int32](values []T, e int) T {
	if values == nil {
		return 0
	}
	return values[e]
}
