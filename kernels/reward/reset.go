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

// noteAgents notes where the agents begin whose episodes begin and who are not paused, so that the next update is the
// first step of their episodes. What the last update has reported stays until then.
//
//kernel:thread
//kernel:iterations updateIterations(channels)
func noteAgents(i, number, channels int32, s, previous []float32, integers []int32, floats []float32) {
	if kernel.IsFinite(s[i]) && integers[Phase*number+i] == Beginning {
		integers[Phase*number+i] = Noted
		floats[PreviousS*number+i] = s[i]
		forget(i, channels, previous)
	}
}
