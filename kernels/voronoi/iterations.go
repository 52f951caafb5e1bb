package voronoi

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel/iterations"
)

// maxDraws is the maximum number of draws that skipSite makes in its loop for one site.
const maxDraws = 5

// verticesIterations bounds the loop iterations of the kernel vertices.
func verticesIterations(sites, anchors, lanes float64) float64 {
	stream := iterations.Loop(sites, iterations.Loop(maxDraws, 0)) + iterations.Loop(anchors, 0) +
		iterations.Loop(5, 0)
	sort := iterations.Phase(1, lanes, 2*iterations.Loop(sites, 0)+iterations.Loop(bins, 0))
	search := func(part float64) float64 { return iterations.Loop(bins, 2) + part }
	nearest := iterations.Phase(Scanners, lanes, search(math.Ceil(sites/Scanners))) +
		iterations.Phase(1, lanes, iterations.Loop(Scanners, 0))
	first := sort + iterations.Phase(anchors, lanes, search(sites))
	return iterations.Phase(1, lanes, stream) + iterations.Phase(sites, lanes, 0) + 2*iterations.Phase(anchors, lanes, 0) +
		first + iterations.Loop(anchors+1, nearest) + iterations.Phase(2*anchors, lanes, 0)
}
