package imports

import (
	shapes "github.com/trackgen-go/trackgen/cmd/kernelgen/testdata/geometry"
	"github.com/trackgen-go/trackgen/kernel"
)

//kernel:thread
func means(i, n int32, row, mean []float32, last []kernel.Vec2) {
	var ring shapes.Ring
	geometry := int32(shapes.Slots)
	for k := range n {
		ring = ring.Push(row[i*n+k])
	}
	mean[i] = shapes.Mean(row, i*n, n)
	last[i].X = ring.Values[ring.Next%geometry]
}
