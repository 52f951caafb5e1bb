package export

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// fullBatch is a batch with every column. Its values differ from the defaults.
func fullBatch() *track.Batch {
	b := newBatch(2, 48)
	setTrack(b, 0, 40, 0.1, circle(0.5))
	setTrack(b, 1, 45, 0.1, wavy(0.5, 0.15, 3, 0.4))
	for _, c := range track.Schema.Host(&b.HostColumns) {
		if c.IsAbsent() {
			c.Resize(b.Envs * c.Stride(b.NMax))
		}
	}
	return b
}

// disturb changes env 1 of a column, one bit of a number or one word of a vector, so that the batch stays well-formed.
func disturb(b *track.Batch, c column.Host) {
	at := c.Stride(b.NMax)
	switch {
	case c.Type == kernel.TypeVec3:
		c.Vectors()[at].Y += 0.01
	case c.Unit == column.Length:
		c.Numbers()[at] += 0.5
	case c.Type == kernel.Float32: // flips the sign
		c.Numbers()[at] *= -1
	case c.Name == "valid":
		c.Integers()[at] ^= 1
	case c.Name == "reason": // the files show it only for an invalid track
		b.Valid[1] = 0
		c.Integers()[at] = int32(track.ReasonTurning)
	case c.Name == "count":
		c.Integers()[at]--
	default:
		c.Integers()[at]++
	}
}

// formats writes a batch in each format that TestColumnsOfEveryFormat checks.
func formats(t *testing.T, b *track.Batch) map[string][]byte {
	shape := ShapeOf(b)
	encoded := func(create func(io.Writer) (Encoder, error)) []byte { return encode(t, b, create) }
	var road bytes.Buffer
	for e := range b.Envs {
		r, err := RoadOf(b, e, 1)
		require.NoError(t, err)
		require.NoError(t, WriteCircuit(&road, r))
		require.NoError(t, WriteOpenDRIVE(&road, r, "road"))
		r.spans = nil
		fmt.Fprintf(&road, "%+v", *r)
	}
	return map[string][]byte{
		"npz":        readFile(t, writeNPZ(t, b, []int{b.Envs})),
		"JSON":       encoded(func(w io.Writer) (Encoder, error) { return NewTracksJSON(w, shape, sampleMetadata()) }),
		pointsTable:  encoded(func(w io.Writer) (Encoder, error) { return NewPointsCSV(w, shape) }),
		summaryTable: encoded(func(w io.Writer) (Encoder, error) { return NewSummaryCSV(w, shape) }),
		geoJSONFile: encoded(func(w io.Writer) (Encoder, error) {
			return NewGeoJSON(w, shape, sampleMetadata(), GeoJSON{Invalid: true})
		}),
		roadFiles: road.Bytes(),
	}
}

// Every column is in the files of every format or in the list of what the format leaves out. A format lacks a column if
// its file stays the same when the column changes.
func TestColumnsOfEveryFormat(t *testing.T) {
	for _, c := range track.Schema.Columns() {
		before, after := fullBatch(), fullBatch()
		list := track.Schema.Host(&after.HostColumns)
		of := list[slices.IndexFunc(list, func(h column.Host) bool { return h.Name == c.Name })]
		disturb(after, of)
		before.Valid[1] = after.Valid[1]
		if c.Name == "valid" {
			before.Valid[1] ^= 1
		}
		was, is := formats(t, before), formats(t, after)
		for format := range was {
			if format == pointsTable && c.Name == "count" {
				continue // it determines the number of rows
			}
			shown := !bytes.Equal(was[format], is[format])
			assert.Equal(t, !leavesOut(format, c), shown,
				"%s: the column %s is to be either in the file or in the list leftOut: in the file %t, in the list %t",
				format, c.Name, shown, leavesOut(format, c))
		}
	}
}

// The list names only existing formats and columns, and it gives a reason for each.
func TestLeftOutIsOfColumns(t *testing.T) {
	known := slices.Collect(maps.Keys(formats(t, fullBatch())))
	for format, omissions := range leftOut {
		assert.Contains(t, known, format)
		for _, o := range omissions {
			assert.NotEmpty(t, o.why, format)
			assert.True(t, (o.per == "") != (len(o.columns) == 0), format)
			for _, name := range slices.Concat(o.columns, o.but) {
				named := func(c column.Column) bool { return c.Name == name }
				assert.True(t, slices.ContainsFunc(track.Schema.Columns(), named), name)
			}
		}
	}
}
