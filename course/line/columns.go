package line

import (
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// Columns are the arrays of a batch of course lines: vectors (V), numbers (F) and whole numbers (I). An array has one
// element for each env, [E], or for each point of each env, [E*N_max].
type Columns[V, F, I any] struct {
	Center  V `column:"line_center,point,length,line" doc:"points of the line; NaN from count on"`
	Tangent V `column:"line_tangent,point,none,line" doc:"unit tangent in space, 0 where the line has none"`
	Arclen  F `column:"line_arclen,point,length,line" doc:"arc length before each point"`
	Length  F `column:"line_length,env,length,line" doc:"length of the closed line, 0 without a line"`
	Valid   I `column:"line_valid,env,none,line" doc:"1 where the course has a line, else 0"`
	Count   I `column:"line_count,env,none,line" doc:"real points; those after them are padding"`
}

// HostColumns are the arrays of a Batch.
type HostColumns = Columns[[]kernel.Vec3, []float32, []int32]

// DeviceColumns are the arrays of a Line.
type DeviceColumns = Columns[exec.Array[kernel.Vec3], exec.Array[float32], exec.Array[int32]]

// Schema lists the columns of course lines.
var Schema = column.NewSchema[HostColumns, DeviceColumns]()
