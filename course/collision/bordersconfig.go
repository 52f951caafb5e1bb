package collision

import (
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
)

// Methods of BordersConfig.
const (
	// ByIndex searches a tree over the segments. The work of a box grows with the logarithm of the number of points.
	ByIndex = "index"
	// ByScan visits every segment. It has the bits of ByIndex, and is the reference for its tests and benchmarks.
	ByScan = "scan"
)

// BordersConfig has the settings of Borders.
type BordersConfig struct {
	// Boxes is the number of boxes per env, B: a whole number >= 1 and <= 65536, or 0 for 1.
	Boxes int
	// Method is ByIndex or ByScan; "" is ByIndex.
	Method string
	// Swept asks for the first contact on the way of a box in a step. The way goes straight from the position of the query
	// before, and the box has its present orientation all the way: a rotation during the step is not looked at.
	Swept bool
}

// Validate checks every field against its range. The error joins one *config.Error for each mistake.
func (c BordersConfig) Validate() error {
	err := checkItems("boxes", c.Boxes)
	switch c.Method {
	case "", ByIndex, ByScan:
		return err
	}
	return errors.Join(err, &config.Error{Field: "method", Value: fmt.Sprintf("%q", c.Method),
		Allowed: "one of " + ByIndex + ", " + ByScan})
}

// hints is the state of a search: where it begins for each box.
type hints[Integers any] struct {
	Hint Integers `column:"hint,box,none,collision" doc:"segment of the last contact, or -1"`
}

type deviceHints = hints[exec.Array[int32]]

var hintSchema = column.NewSchema[hints[[]int32], deviceHints]()
