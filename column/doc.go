// Package column describes the arrays of a result once. Everything that handles all arrays iterates the list of
// columns: allocation, copies, stages, files, documentation.
//
// The arrays are the fields of a generic struct, which is embedded in a result in host memory and in a result in device
// memory. Tags describe the fields:
//
//	type Columns[Points, Floats any] struct {
//		Center Points `column:"center,point,length,inflate" doc:"centreline"`
//		Length Floats `column:"length,env,length,inflate" doc:"length of the closed centreline"`
//	}
//
//	type Host = Columns[[]kernel.Vec3, []float32]
//	type Device = Columns[exec.Array[kernel.Vec3], exec.Array[float32]]
//
//	var Schema = column.NewSchema[Host, Device]()
//
// The tag "column" has the name of the column, the thing that it has one element for ("env", "point" or "gate"), the
// unit ("length" or "none") and the stage that writes it. If a result may lack the column, the tag also says what that
// means ("zero" or "unknown"). The tag "doc" has one line of meaning.
//
// The package uses reflection, so its functions should not be called in loops over points. A generation calls none of
// them.
package column
