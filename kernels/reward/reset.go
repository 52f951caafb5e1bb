package reward

import "github.com/trackgen-go/trackgen/kernel"

// resetAgents makes the episodes of the agents begin whose element of mask is not 0. share successive agents have one
// element.
//
//kernel:thread
func resetAgents(i, number, share int32, mask, integers []int32) {
	if mask[i/share] != 0 {
		integers[Phase*number+i] = Beginning
	}
}

// resetEnvs makes the episodes of all agents of the active envs begin. Each env has perEnv agents, and all envs have
// the given number of agents. One group is one env.
//
//kernel:group lanes=32
//kernel:iterations resetIterations(perEnv, lanes)
func resetEnvs(g kernel.Group, active []int32, number, perEnv int32, integers []int32) {
	if g.ID >= active[0] {
		return
	}
	first := active[g.ID+1] * perEnv
	for k := range g.Each(perEnv) {
		integers[Phase*number+first+k] = Beginning
	}
}
