package hull

import (
	"github.com/trackgen-go/trackgen/kernel/iterations"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// verticesIterations bounds the loop iterations of the kernel vertices.
func verticesIterations(corners, lanes float64) float64 {
	edges := iterations.Loop(corners, 0)
	return iterations.Phase(1, lanes, centerline.CornerIterations(corners)+centerline.CentroidIterations(corners)+edges)
}
