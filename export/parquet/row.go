package parquet

import (
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// appendRow appends env e of a batch to an empty row; env is its number in the file. columns are those of export.Table.
func appendRow(row parquet.Row, columns []column.Host, b *track.Batch, e int, env int32) parquet.Row {
	whole := finiteLists(columns, b, e)
	for i, l := range leaves {
		switch {
		case l.of == ofEnv:
			row = append(row, parquet.Int32Value(env).Level(0, 0, i))
		case l.of == ofName && b.Name(e) == "":
			row = append(row, parquet.NullValue().Level(0, 0, i))
		case l.of == ofName:
			row = append(row, parquet.ByteArrayValue([]byte(b.Name(e))).Level(0, valuePresent, i))
		case l.list && whole:
			row = appendList(row, i, columns[l.of], b, e)
		case l.list:
			row = append(row, parquet.NullValue().Level(0, listNull, i))
		default:
			row = append(row, valueOf(columns[l.of], b, e).Level(0, definition(l, columns[l.of], e), i))
		}
	}
	return row
}

// appendExtra appends the extra columns of env e, null for numbers that are not finite.
func appendExtra(row parquet.Row, extra []column.Host, e int) parquet.Row {
	for k, c := range extra {
		i := len(leaves) + k
		switch {
		case c.Type == kernel.Int32:
			row = append(row, parquet.Int32Value(c.Integer(e)).Level(0, 0, i))
		case c.Numbers()[e]-c.Numbers()[e] == 0:
			row = append(row, parquet.FloatValue(c.Numbers()[e]).Level(0, valuePresent, i))
		default:
			row = append(row, parquet.NullValue().Level(0, 0, i))
		}
	}
	return row
}

// valueOf returns the value of a column for env e.
func valueOf(c column.Host, b *track.Batch, e int) parquet.Value {
	switch {
	case c.IsAbsent() && c.Absent == column.Unknown:
		return parquet.NullValue()
	case c.Name == validColumn:
		return parquet.BooleanValue(c.Integer(e) != 0)
	case c.Name == reasonColumn:
		return parquet.ByteArrayValue([]byte(strings.Join(export.ReasonNames(b, e), "|")))
	case c.Type != kernel.Float32:
		return parquet.Int32Value(c.Integer(e))
	}
	if v := c.Numbers()[e]; v-v == 0 {
		return parquet.FloatValue(v)
	}
	return parquet.NullValue() // not finite
}

// definition returns the definition level of the value that valueOf returns.
func definition(l leaf, c column.Host, e int) int {
	switch {
	case !l.node.Optional(), c.IsAbsent():
		return 0
	case c.Type == kernel.Float32 && c.Numbers()[e]-c.Numbers()[e] != 0:
		return 0
	}
	return valuePresent
}

// appendList appends the values of a column for the points of env e.
func appendList(row parquet.Row, i int, c column.Host, b *track.Batch, e int) parquet.Row {
	n := int(b.Count[e])
	switch {
	case c.IsAbsent():
		return append(row, parquet.NullValue().Level(0, listNull, i))
	case n == 0:
		return append(row, parquet.NullValue().Level(0, listEmpty, i))
	}
	low, repeated := e*b.NMax, 0
	for k := low; k < low+n; k++ {
		var v parquet.Value
		switch c.Type {
		case kernel.TypeVec3:
			p := c.Vectors()[k]
			v = parquet.FloatValue([...]float32{p.X, p.Y, p.Z}[leaves[i].axis])
		case kernel.Float32:
			v = parquet.FloatValue(c.Numbers()[k])
		default:
			v = parquet.Int32Value(c.Integer(k))
		}
		row = append(row, v.Level(repeated, listElement, i))
		repeated = 1
	}
	return row
}

// finiteLists reports whether every number of the points of env e is finite.
func finiteLists(columns []column.Host, b *track.Batch, e int) bool {
	low, high := e*b.NMax, e*b.NMax+int(b.Count[e])
	sum := float32(0) // becomes NaN if a number is not finite
	for _, c := range columns {
		if c.Per == column.Env || c.IsAbsent() {
			continue
		}
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
	}
	return sum == 0
}
