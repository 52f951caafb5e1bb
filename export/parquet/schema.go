package parquet

import (
	library "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// kind is the type of the values of a column of a data set.
type kind int

const (
	integer kind = iota // int32
	flag                // boolean
	text                // string
	number              // float, or float16
)

// physical returns the type that the values have in a file.
func (k kind) physical(p Precision) library.Type {
	switch k {
	case flag:
		return library.Types.Boolean
	case text:
		return library.Types.ByteArray
	case number:
		if p == Half {
			return library.Types.FixedLenByteArray
		}
		return library.Types.Float
	}
	return library.Types.Int32
}

// leaf is a column of a data set.
type leaf struct {
	name     string
	kind     kind
	of       int // index of its column in export.Table or export.GateTable, or ofEnv, ofName, ofGate or ofExtra
	axis     int // component of a vector or a quaternion
	optional bool
	list     bool // of the points of a track; lists are optional
}

// Columns that export.Table and export.GateTable do not list.
const (
	ofEnv   = -1 // the number of the track
	ofName  = -2 // the name of the track
	ofGate  = -3 // the number of the gate along the course
	ofExtra = -4 // a column of export.ExtraColumns
)

// Columns that are not written as they are in memory, or that the rows of a file determine.
const (
	validColumn  = "valid"
	reasonColumn = "reason"
	countColumn  = "count"
)

// leaves are the columns of a data set of tracks, in order.
var leaves = newLeaves()

func newLeaves() []leaf {
	list := []leaf{{name: "env", of: ofEnv}, {name: "name", kind: text, of: ofName, optional: true}}
	for i, h := range export.Table(new(track.Batch)) {
		switch {
		case h.Per == column.Env:
			list = append(list, envLeaf(h.Column, i))
		case h.Type == kernel.TypeVec3:
			for axis := range 3 {
				name := h.Name + "_" + "xyz"[axis:axis+1]
				list = append(list, leaf{name: name, kind: number, of: i, axis: axis, optional: true, list: true})
			}
		case h.Type == kernel.Float32:
			list = append(list, leaf{name: h.Name, kind: number, of: i, optional: true, list: true})
		default:
			list = append(list, leaf{name: h.Name, of: i, optional: true, list: true})
		}
	}
	return list
}

// extraLeaves returns the columns behind those of tracks.
func extraLeaves(extra *export.Extra) (list []leaf) {
	if extra == nil {
		return nil
	}
	for _, c := range extra.Columns {
		l := leaf{name: c.Name, of: ofExtra}
		if c.Type == kernel.Float32 {
			l.kind, l.optional = number, true
		}
		list = append(list, l)
	}
	return list
}

// envLeaf returns the column of a file for a column of one value per env. It is optional if its numbers may not be
// finite or if they may not have been computed.
func envLeaf(c column.Column, of int) leaf {
	l := leaf{name: c.Name, of: of, optional: c.Absent == column.Unknown}
	switch {
	case c.Name == validColumn:
		l.kind = flag
	case c.Name == reasonColumn:
		l.kind = text
	case c.Type == kernel.Float32:
		l.kind, l.optional = number, true
	}
	return l
}

// Definition levels of the values of a column that is optional.
const (
	null         = 0
	valuePresent = 1 // of a single value
	listEmpty    = 1
	listElement  = 2
)

// newSchema returns the schema of a data set.
func newSchema(leaves []leaf, precision Precision) (*schema.GroupNode, error) {
	var fields schema.FieldList
	for _, l := range leaves {
		node, err := l.node(precision)
		if err != nil {
			return nil, err
		}
		fields = append(fields, node)
	}
	return schema.NewGroupNode("Row", library.Repetitions.Required, fields, -1)
}

// node returns the column in the terms of the library: of a list, the three levels that the format asks for
// (https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#lists).
func (l leaf) node(precision Precision) (schema.Node, error) {
	repetition := library.Repetitions.Required
	if l.optional {
		repetition = library.Repetitions.Optional
	}
	if !l.list {
		return l.value(l.name, repetition, Single)
	}
	element, err := l.value("element", library.Repetitions.Required, precision)
	if err != nil {
		return nil, err
	}
	list, err := schema.NewGroupNode("list", library.Repetitions.Repeated, schema.FieldList{element}, -1)
	if err != nil {
		return nil, err
	}
	return schema.NewGroupNodeLogical(l.name, repetition, schema.FieldList{list}, schema.NewListLogicalType(), -1)
}

// value returns the node of the values of a column.
func (l leaf) value(name string, repetition library.Repetition, precision Precision) (schema.Node, error) {
	physical := l.kind.physical(precision)
	switch {
	case l.kind == text:
		return schema.NewPrimitiveNodeLogical(name, repetition, schema.StringLogicalType{}, physical, 0, -1)
	case physical == library.Types.FixedLenByteArray:
		return schema.NewPrimitiveNodeLogical(name, repetition, schema.Float16LogicalType{}, physical, halfBytes, -1)
	}
	return schema.NewPrimitiveNode(name, repetition, physical, -1, 0)
}
