package track

import (
	"slices"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// Columns are the arrays of a batch of tracks, in the order in which files hold them: vectors (V), numbers (F), whole
// numbers (I) and bits (R). An array has one element for each env, [E], or for each point of each env, [E*N_max].
// docs/results.md lists the columns, and package column documents the tags.
type Columns[V, F, I, R any] struct {
	Outer   V `column:"outer,point,length,inflate" doc:"border with the larger area"`
	Center  V `column:"center,point,length,inflate" doc:"centreline"`
	Inner   V `column:"inner,point,length,inflate" doc:"border with the smaller area"`
	Tangent V `column:"tangent,point,none,inflate" doc:"unit tangent of the centreline"`
	Normal  V `column:"normal,point,none,inflate" doc:"unit normal in the plane, left of the tangent"`
	Arclen  F `column:"arclen,point,length,even" doc:"arc length before each point"`
	Length  F `column:"length,env,length,even" doc:"length of the closed centreline"`
	Winding F `column:"winding,env,none,inflate" doc:"+1 counter-clockwise, -1 clockwise, 0 degenerate"`
	Valid   I `column:"valid,env,none,validate" doc:"1 where the track passes every test, else 0"`
	Reason  R `column:"reason,env,none,validate,zero" doc:"tests that the track fails, one bit each"`
	Count   I `column:"count,env,none,space" doc:"real points; those after them are padding"`

	Seed      I `column:"seed,env,none,key,zero" doc:"base seed"`
	Epoch     I `column:"epoch,env,none,key,zero" doc:"epoch, which makes other tracks of the same seed"`
	Candidate I `column:"candidate,env,none,candidates,zero" doc:"which of several candidates was kept (candidates)"`
	Component I `column:"component,env,none,component,zero" doc:"which component of a mixed batch made the track (mix)"`

	WidthRight F `column:"width_right,point,length,even,unknown" doc:"width to the right border, along the way"`
	WidthLeft  F `column:"width_left,point,length,even,unknown" doc:"width to the left border, along the way"`
	Crossings  I `column:"crossings,env,none,cross,unknown" doc:"how often the centreline crosses itself"`
	Height     F `column:"height,point,length,elevation,unknown" doc:"z of the centreline, in the padding too"`
	Bank       F `column:"bank,point,none,inflate,unknown" doc:"bank angle in radians, > 0 where the left border is higher"`
}

// HostColumns are the arrays of a Batch.
type HostColumns = Columns[[]kernel.Vec3, []float32, []int32, []Reason]

// DeviceColumns are the arrays of a Track.
type DeviceColumns = Columns[exec.Array[kernel.Vec3], exec.Array[float32], exec.Array[int32], exec.Array[int32]]

// Schema lists the columns of tracks.
var Schema = column.NewSchema[HostColumns, DeviceColumns]()

// bankColumn is the column that only banked tracks have. Circuits have all others.
const bankColumn = "bank"

// GeneratedColumns returns the columns that a batch of generated tracks has, if they are not banked.
func GeneratedColumns() []column.Column { return DefaultConfig().Columns() }

// Columns returns the columns that a batch of this configuration has.
func (c Config) Columns() []column.Column {
	return slices.DeleteFunc(Schema.Columns(), func(d column.Column) bool { return !c.has(d) })
}

// has reports whether the tracks of a configuration have a column, that is, whether a stage of a generation writes it.
func (c Config) has(d column.Column) bool {
	return d.Stage != crossStage && (d.Name != bankColumn || c.isBanked())
}
