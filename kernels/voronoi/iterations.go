package voronoi

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel/iterations"
)

// maxDraws is the maximum number of draws that skipSite makes in its loop for one site.
const maxDraws = 5

// verticesIterations bounds the loop iterations of the kernel vertices.
func verticesIterations(sites, anchors, lanes float64) float64 {
	stream := iterations.Loop(sites, iterations.Loop(maxDraws, 0)) + iterations.Loop(anchors, 0)
	nearest := iterations.Phase(Scanners, lanes, iterations.Loop(math.Ceil(sites/Scanners), 0)) +
		iterations.Phase(1, lanes, iterations.Loop(Scanners-1, 0))
	return iterations.Phase(1, lanes, stream) + iterations.Phase(sites, lanes, 0) + iterations.Phase(anchors, lanes, 0) +
		iterations.Loop(anchors, nearest) + iterations.Phase(2*anchors, lanes, 0)
}
