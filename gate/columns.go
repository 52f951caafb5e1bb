package gate

import (
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// Columns are the arrays of a batch of gate courses, in the order in which files hold them: vectors (V), quaternions
// (Q), numbers (F), whole numbers (I) and bits (R). An array has one element for each env, [E], or for each gate of
// each env, [E*G_max]. docs/results.md lists the columns, and package column documents the tags.
type Columns[V, Q, F, I, R any] struct {
	Position    V `column:"position,gate,length,arrange" doc:"middle of the opening"`
	Tangent     V `column:"tangent,gate,none,frame" doc:"unit direction of the course, 0 where it has none"`
	Forward     V `column:"forward,gate,none,frame" doc:"unit normal of the plane of the gate, along the course"`
	Left        V `column:"left,gate,length,frame" doc:"left post"`
	Right       V `column:"right,gate,length,frame" doc:"right post"`
	Orientation Q `column:"orientation,gate,none,frame" doc:"(x, y, z, w): turns x to forward, y to left, z to up"`
	HalfSize    F `column:"half_size,gate,length,frame" doc:"half the width of the opening"`
	Valid       I `column:"valid,env,none,frame" doc:"1 where the course passes every test, else 0"`
	Reason      R `column:"reason,env,none,frame,zero" doc:"tests that the course fails, one bit each"`
	Count       I `column:"count,env,none,frame" doc:"real gates; those after them are padding"`

	FrameFallbacks I `column:"frame_fallbacks,env,none,frame,zero" doc:"gates without a level direction: they face x"`

	Seed      I `column:"seed,env,none,key,zero" doc:"base seed"`
	Epoch     I `column:"epoch,env,none,key,zero" doc:"epoch, which makes other courses of the same seed"`
	Candidate I `column:"candidate,env,none,candidates,zero" doc:"which of several candidates was kept (candidates)"`
	Component I `column:"component,env,none,component,zero" doc:"which component of a mixed batch made it (mix)"`
}

// HostColumns are the arrays of a Batch.
type HostColumns = Columns[[]kernel.Vec3, []kernel.Quat, []float32, []int32, []Reason]

// DeviceColumns are the arrays of a Sequence.
type DeviceColumns = Columns[exec.Array[kernel.Vec3], exec.Array[kernel.Quat], exec.Array[float32], exec.Array[int32],
	exec.Array[int32]]

// Schema lists the columns of gate courses.
var Schema = column.NewSchema[HostColumns, DeviceColumns]()
