package sequences

// developing leaves out calls whose faults somebody is mending.
var developing = true

func closedMemory(g *graph) bool {
	for _, x := range append(append([]*memory{}, g.reads...), g.wrote...) {
		if x.closed {
			return true
		}
	}
	return false
}
