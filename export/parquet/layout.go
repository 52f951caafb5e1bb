package parquet

import (
	"fmt"
	"slices"
	"strings"

	library "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/track"
)

// Layout says which columns a file of tracks has, and how it stores them. The zero value is that of NewEncoder.
type Layout struct {
	// Compression is that of all columns; "" is Snappy.
	Compression Compression
	// Precision is that of the numbers of points; "" is Single.
	Precision Precision
	// Columns names the columns with one value per point that the file has, such as center, arclen or width_left (those
	// of docs/results.md; a vector is three columns of the file). nil is all of them, and none if it is empty but not nil.
	// All columns with one value per track are always there.
	Columns []string
}

// Compression is a method of Parquet that compresses columns.
type Compression string

// The methods. Where there is one, numbers of points have the encoding BYTE_STREAM_SPLIT: the first bytes of all
// numbers come first, then the second ones, because the bytes of an exponent resemble each other, and those of a number
// do not. LZ4_RAW would take less time, but parquet-go 0.32, which most Go programs read Parquet with, loses pages of
// it.
const (
	Snappy       Compression = "snappy"
	Zstandard    Compression = "zstd"
	Uncompressed Compression = "none"
)

// Precision is how exact the numbers of points are in a file.
type Precision string

// The precisions.
const (
	// Single keeps every bit: type float.
	Single Precision = "single"
	// Half rounds to the nearest number of 11 bits, at most 65504 from 0: type float16. Of a coordinate of 1 to 2 m the
	// error is at most 0.5 mm.
	Half Precision = "half"
)

// halfBytes is the size of a float16.
const halfBytes = 2

var codecs = map[Compression]compress.Compression{
	Snappy: compress.Codecs.Snappy, Zstandard: compress.Codecs.Zstd, Uncompressed: compress.Codecs.Uncompressed,
}

// LayoutError names a wrong field of a Layout, its value and what is allowed.
type LayoutError struct{ Field, Value, Allowed string }

// Error implements error.
func (e *LayoutError) Error() string {
	return fmt.Sprintf("parquet: %s is %q: must be %s", e.Field, e.Value, e.Allowed)
}

// Validate returns a *LayoutError for the first wrong field.
func (l Layout) Validate() error {
	l = l.Resolved()
	if _, known := codecs[l.Compression]; !known {
		return &LayoutError{"compression", string(l.Compression), "snappy, zstd or none"}
	}
	if l.Precision != Single && l.Precision != Half {
		return &LayoutError{"precision", string(l.Precision), "single or half"}
	}
	names := PointColumns()
	for i, name := range l.Columns {
		if !slices.Contains(names, name) {
			return &LayoutError{"columns", name, "of " + strings.Join(names, ", ")}
		}
		if slices.Contains(l.Columns[:i], name) {
			return &LayoutError{"columns", name, "named once"}
		}
	}
	return nil
}

// PointColumns returns the names that Layout.Columns may have.
func PointColumns() (names []string) {
	for _, c := range export.Table(new(track.Batch)) {
		if c.Per == column.Point {
			names = append(names, c.Name)
		}
	}
	return names
}

// IsZero reports whether l is the zero value.
func (l Layout) IsZero() bool { return l.Compression == "" && l.Precision == "" && l.Columns == nil }

// Resolved returns l with its defaults.
func (l Layout) Resolved() Layout {
	if l.Compression == "" {
		l.Compression = Snappy
	}
	if l.Precision == "" {
		l.Precision = Single
	}
	return l
}

// leaves returns the columns of a file of tracks, without extra ones.
func (l Layout) leaves() []leaf {
	if l.Columns == nil {
		return leaves
	}
	columns := export.Table(new(track.Batch))
	return slices.DeleteFunc(slices.Clone(leaves), func(of leaf) bool {
		return of.list && !slices.Contains(l.Columns, columns[of.of].Name)
	})
}

// properties returns what the library is to do with the columns of a file.
func (l Layout) properties(leaves []leaf, version string) *library.WriterProperties {
	list := []library.WriterProperty{
		library.WithCreatedBy("TrackGen version " + version),
		library.WithCompression(codecs[l.Compression]),
	}
	for _, of := range leaves {
		if !of.list {
			continue
		}
		// A point has no value that another point has, and no reader looks for tracks by the bounds of their points.
		path := library.ColumnPath{of.name, "list", "element"}
		list = append(list, library.WithDictionaryPath(path, false), library.WithStatsPath(path, false))
		if l.Compression != Uncompressed && of.kind == number {
			list = append(list, library.WithEncodingPath(path, library.Encodings.ByteStreamSplit))
		}
	}
	return library.NewWriterProperties(list...)
}

// root returns the schema of a file with such columns.
func (l Layout) root(leaves []leaf) (*schema.GroupNode, error) { return newSchema(leaves, l.Precision) }
