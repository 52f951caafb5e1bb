// Package column describes the arrays of a result once, so that everything that handles all of them iterates a list:
// allocation, copies, stages, files, documentation.
//
// The arrays are the fields of a generic struct, which a result in host memory and one in device memory embed. Tags say
// what a field is:
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
// The tag "column" has the name of the column, what it has an element for ("env", "point" or "gate"), the unit
// ("length" or "none"), the stage that writes it, and, where a result may lack the column, what that means ("zero" or
// "unknown"). The tag "doc" has one line of meaning.
//
// The package uses reflection, so calls belong outside of loops over points, and none is on the path of a generation.
package column
