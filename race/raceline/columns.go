package raceline

import (
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// Columns are the arrays of a batch of racing lines: vectors (V), numbers (F) and whole numbers (I). An array has one
// element for each env, [E], or for each point of each env, [E*N_max].
type Columns[V, F, I any] struct {
	Center    V `column:"raceline_center,point,length,raceline" doc:"points of the racing line; NaN from count on"`
	Tangent   V `column:"raceline_tangent,point,none,raceline" doc:"unit tangent in space, 0 where the line has none"`
	Offset    F `column:"raceline_offset,point,length,raceline" doc:"offset from the centreline, to the left"`
	Curvature F `column:"raceline_curvature,point,none,raceline" doc:"curvature in 1/length, > 0 to the left"`
	Arclen    F `column:"raceline_arclen,point,length,raceline" doc:"arc length before each point"`
	Speed     F `column:"raceline_speed,point,none,raceline" doc:"highest speed of the car, in length/time"`
	Length    F `column:"raceline_length,env,length,raceline" doc:"length of the closed line, 0 without a line"`
	LapTime   F `column:"raceline_lap_time,env,none,raceline" doc:"time of a flying lap; NaN without a line"`
	Valid     I `column:"raceline_valid,env,none,raceline" doc:"1 where the track has a racing line, else 0"`
	Count     I `column:"raceline_count,env,none,raceline" doc:"real points; those after them are padding"`
}

// HostColumns are the arrays of a Batch.
type HostColumns = Columns[[]kernel.Vec3, []float32, []int32]

// DeviceColumns are the arrays of a Line.
type DeviceColumns = Columns[exec.Array[kernel.Vec3], exec.Array[float32], exec.Array[int32]]

// Schema lists the columns of racing lines.
var Schema = column.NewSchema[HostColumns, DeviceColumns]()
