package progress

import "github.com/trackgen-go/trackgen/kernel"

// resetAgents resets the agents whose element of mask is not 0. share successive agents have one element.
// kernelgen cannot prove that the columns of different agents have no element in common.
//
//kernel:thread
//kernel:unproven
func resetAgents(i, agents, share int32, mask []int32, previous []kernel.Vec3, integers []int32) {
	if mask[i/share] != 0 {
		Reset(i, agents, previous, integers)
	}
}

// resetEnvs resets all agents of the active envs. Each env has perEnv agents, and all envs have the given number of
// agents. One group is one env. kernelgen cannot prove that the columns of different agents have no element in common.
//
//kernel:group lanes=32
//kernel:unproven
//kernel:iterations resetIterations(perEnv, lanes)
func resetEnvs(g kernel.Group, active []int32, agents, perEnv int32, previous []kernel.Vec3, integers []int32) {
	if g.ID >= active[0] {
		return
	}
	first := active[g.ID+1] * perEnv
	for k := range g.Each(perEnv) {
		Reset(first+k, agents, previous, integers)
	}
}

// Reset puts one agent before its first update (C-62). What the last update has reported stays.
func Reset(agent, agents int32, previous []kernel.Vec3, integers []int32) {
	previous[agent] = kernel.V3(kernel.NaN(), kernel.NaN(), kernel.NaN())
	integers[Target*agents+agent] = 0
	integers[LapsSoFar*agents+agent] = 0
	integers[Total*agents+agent] = 0
}
