package collision

import (
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// positions is the state of swept motion: where each box was at the last query.
type positions[Points any] struct {
	Previous Points `column:"previous,box,length,collision" doc:"position at the last query, in plan view; NaN: none"`
}

type devicePositions = positions[exec.Array[kernel.Vec2]]

var positionSchema = column.NewSchema[positions[[]kernel.Vec2], devicePositions]()
