package imports

import "github.com/trackgen-go/trackgen/cmd/kernelgen/testdata/geometry"

//kernel:thread
func work(i int32, x []float32) {
	hidden := geometry.Hidden(i)
	x[i] = hidden.Value() // reported where the helper is
}
