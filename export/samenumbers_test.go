package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// distinctBatch returns a batch in which all numbers of all columns are distinct. Circuits have all columns.
func distinctBatch(circuits bool) *track.Batch {
	b := newBatch(3, 20)
	b.Count = []int32{12, 20, 3}
	next := float32(0)
	for _, c := range track.Schema.Host(&b.HostColumns) {
		if c.Stage == "cross" && !circuits {
			continue // crossings of generated tracks are not counted
		}
		if c.Name == "count" {
			continue
		}
		c.Resize(b.Envs * c.Stride(b.NMax))
		for i := range c.Len() {
			next += 0.0625
			switch c.Type {
			case kernel.TypeVec3:
				c.Vectors()[i] = kernel.V3(next, -next, next/3)
			case kernel.Float32:
				c.Numbers()[i] = next / 7
			default:
				c.Integers()[i] = int32(16 * next)
			}
		}
	}
	b.Valid = []int32{1, 0, 1}
	b.Reason = []track.Reason{0, track.ReasonTurning | track.ReasonWidth, 0}
	return b
}

// flat returns the numbers of a column for a point or an env, as texts that parse to these numbers.
func flat(c column.Host, i int) (texts []string) {
	number := func(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) }
	switch c.Type {
	case kernel.TypeVec3:
		v := c.Vectors()[i]
		return []string{number(v.X), number(v.Y), number(v.Z)}
	case kernel.Float32:
		return []string{number(c.Numbers()[i])}
	default:
		return []string{strconv.Itoa(int(c.Integer(i)))}
	}
}

// JSON and the two tables have the numbers of npz, of every column, for generated tracks and for circuits.
func TestSameNumbersInEveryFormat(t *testing.T) {
	for _, circuits := range []bool{false, true} {
		b, _, err := ReadNPZ(writeNPZ(t, distinctBatch(circuits), []int{2, 1}))
		require.NoError(t, err)
		text := encode(t, b, func(w io.Writer) (Encoder, error) { return NewTracksJSON(w, ShapeOf(b), Metadata{}) })
		var tracks struct{ Tracks []map[string]json.RawMessage }
		require.NoError(t, json.Unmarshal(text, &tracks))
		points := readTable(t, b, func(w io.Writer) (Encoder, error) { return NewPointsCSV(w, ShapeOf(b)) })
		summary := readTable(t, b, func(w io.Writer) (Encoder, error) { return NewSummaryCSV(w, ShapeOf(b)) })
		compared := 0
		for _, c := range track.Schema.Host(&b.HostColumns) {
			if c.IsAbsent() {
				assert.Equal(t, "crossings", c.Name)
				continue
			}
			compared++
			row := 0
			for e := range b.Envs {
				n := 1
				if c.Per == column.Point {
					n = int(b.Count[e])
				}
				var inJSON []string
				for i := range n {
					at := e*c.Stride(b.NMax) + i
					want := flat(c, at)
					inJSON = append(inJSON, want...)
					switch {
					case c.Per == column.Point:
						assert.Equal(t, want, points.fields(c, row), "%s of point %d of env %d", c.Name, i, e)
						row++
					case c.Name == "reason":
						assert.Equal(t, []string{[]string{"", "turning|width", ""}[e]}, summary.fields(c, e))
					default:
						assert.Equal(t, want, summary.fields(c, e), c.Name)
					}
				}
				checkJSON(t, tracks.Tracks[e], c, e, inJSON)
			}
		}
		assert.Equal(t, map[bool]int{false: 19, true: 20}[circuits], compared, "columns")
	}
}

// checkJSON compares a column of a track in JSON.
func checkJSON(t *testing.T, item map[string]json.RawMessage, c column.Host, e int, want []string) {
	t.Helper()
	switch c.Name {
	case "reason":
		assert.JSONEq(t, []string{`[]`, `["turning","width"]`, `[]`}[e], string(item["reasons"]))
		return
	case "valid":
		assert.Equal(t, fmt.Sprint(e != 1), string(item["valid"]))
		return
	}
	decoder := json.NewDecoder(bytes.NewReader(item[c.Name]))
	decoder.UseNumber()
	var got []string
	for {
		token, err := decoder.Token()
		if err != nil {
			break
		}
		if number, is := token.(json.Number); is {
			got = append(got, number.String())
		}
	}
	assert.Equal(t, want, got, "%s of env %d in JSON", c.Name, e)
}

// table is a CSV file with a header.
type table struct {
	header map[string]int
	rows   [][]string
}

func readTable(t *testing.T, b *track.Batch, create func(io.Writer) (Encoder, error)) table {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(encode(t, b, create))).ReadAll()
	require.NoError(t, err)
	read := table{map[string]int{}, rows[1:]}
	for i, name := range rows[0] {
		read.header[name] = i
	}
	return read
}

// fields returns the fields of a column in a row, or nil if there are none.
func (table table) fields(c column.Host, row int) (fields []string) {
	names := []string{c.Name}
	if c.Type == kernel.TypeVec3 {
		names = []string{c.Name + "_x", c.Name + "_y", c.Name + "_z"}
	}
	for _, name := range names {
		if at, has := table.header[name]; has {
			fields = append(fields, table.rows[row][at])
		}
	}
	return fields
}
