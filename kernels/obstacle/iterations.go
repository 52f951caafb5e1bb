package obstacle

import "github.com/trackgen-go/trackgen/kernel/iterations"

// rowIterations bounds the kernels of which each item visits the n elements of a row.
func rowIterations(n float64) float64 { return iterations.Loop(n, 0) }

// discIterations bounds the kernel touchDiscs: for each disc, two rectangles and four circles.
func discIterations(n float64) float64 {
	return iterations.Loop(n, iterations.Loop(2, iterations.Loop(2, 0))+iterations.Loop(4, 0))
}

// AgentIterations bounds UpdateAgents: for each other box, the corners of two.
func AgentIterations(n float64) float64 {
	return iterations.Loop(n, 2*iterations.Loop(4, 0))
}

// touchDiscsAndAgentsIterations bounds the kernel touchDiscsAndAgents.
func touchDiscsAndAgentsIterations(boxes, perGroup, discs, lanes float64) float64 {
	return iterations.Phase(perGroup, lanes, discIterations(discs)) + othersIterations(boxes, perGroup, lanes)
}

// touchFramesAndAgentsIterations bounds the kernel touchFramesAndAgents.
func touchFramesAndAgentsIterations(agents, boxes, perGroup, window, lanes float64) float64 {
	return iterations.Phase(perGroup/boxes*agents, lanes, rowIterations(window)) +
		othersIterations(boxes, perGroup, lanes)
}

// othersIterations bounds what a group does to test its boxes against each other, and to remember their positions.
func othersIterations(boxes, perGroup, lanes float64) float64 {
	return iterations.Phase(perGroup, lanes, AgentIterations(boxes)) + iterations.Phase(perGroup, lanes, 0)
}
