package parquet

import (
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// leaf is a column of a data set.
type leaf struct {
	name string
	node parquet.Node
	of   int // index of its column in export.Table or export.GateTable, or ofEnv, ofName or ofGate
	axis int // component of a vector or a quaternion
	list bool
}

// Columns that export.Table and export.GateTable do not list.
const (
	ofEnv  = -1 // the number of the track
	ofName = -2 // the name of the track
	ofGate = -3 // the number of the gate along the course
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
	list := []leaf{
		{name: "env", node: parquet.Leaf(parquet.Int32Type), of: ofEnv},
		{name: "name", node: parquet.Optional(parquet.String()), of: ofName},
	}
	for i, h := range export.Table(new(track.Batch)) {
		switch {
		case h.Per == column.Env:
			list = append(list, leaf{name: h.Name, node: envNode(h.Column), of: i})
		case h.Type == kernel.TypeVec3:
			for axis := range 3 {
				name := h.Name + "_" + "xyz"[axis:axis+1]
				list = append(list, leaf{name: name, node: listNode(parquet.FloatType), of: i, axis: axis, list: true})
			}
		case h.Type == kernel.Float32:
			list = append(list, leaf{name: h.Name, node: listNode(parquet.FloatType), of: i, list: true})
		default:
			list = append(list, leaf{name: h.Name, node: listNode(parquet.Int32Type), of: i, list: true})
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
		node := parquet.Leaf(parquet.Int32Type)
		if c.Type == kernel.Float32 {
			node = parquet.Optional(parquet.Leaf(parquet.FloatType))
		}
		list = append(list, leaf{name: c.Name, node: node})
	}
	return list
}

// envNode returns the type of a column of one value per env. Columns are optional if their numbers may not be finite or
// if they may not have been computed.
func envNode(c column.Column) parquet.Node {
	node := parquet.Leaf(parquet.Int32Type)
	switch {
	case c.Name == validColumn:
		node = parquet.Leaf(parquet.BooleanType)
	case c.Name == reasonColumn:
		node = parquet.String()
	case c.Type == kernel.Float32:
		return parquet.Optional(parquet.Leaf(parquet.FloatType))
	}
	if c.Absent == column.Unknown {
		return parquet.Optional(node)
	}
	return node
}

func listNode(element parquet.Type) parquet.Node {
	return parquet.Optional(parquet.List(parquet.Leaf(element)))
}

// Definition levels of the values of an optional list.
const (
	listNull     = 0
	listEmpty    = 1
	listElement  = 2
	valuePresent = 1 // of an optional single value
)

// newSchema returns the schema of a data set.
func newSchema(leaves []leaf) *parquet.Schema {
	root := orderedGroup{parquet.Group{}, nil}
	for _, l := range leaves {
		root.Group[l.name] = l.node
		root.order = append(root.order, l.name)
	}
	return parquet.NewSchema("Row", root)
}

// orderedGroup is a group that keeps the order of its fields; a parquet.Group sorts them by name.
type orderedGroup struct {
	parquet.Group
	order []string
}

// Fields implements parquet.Node.
func (g orderedGroup) Fields() []parquet.Field {
	fields := g.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int {
		return slices.Index(g.order, a.Name()) - slices.Index(g.order, b.Name())
	})
	return fields
}
