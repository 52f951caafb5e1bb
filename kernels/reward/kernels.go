package reward

import "github.com/trackgen-go/trackgen/kernel"

// updateAll rewards every agent, of which each env has one, and writes which envs are done: see Update. kernelgen
// cannot prove that the columns of different agents have no element in common.
//
//kernel:thread
//kernel:unproven
//kernel:iterations updateIterations(channels)
func updateAll(i, number, channels, has, offRoad, wrongWay, stuck, laps, steps, bits int32, s, n, length []float32,
	checkpoint, outOfBounds []int32, distance []float32, hit, obstacle []int32, velocity []kernel.Vec3,
	action, previous, settings []float32, integers []int32, floats []float32, done []int32) {
	r := Rules{OffRoad: offRoad, WrongWay: wrongWay, Stuck: stuck, Laps: laps, Steps: steps, Bits: bits}
	Update(i, number, channels, has, r, length[i], s, n, checkpoint, outOfBounds, distance, hit, obstacle, velocity,
		action, previous, settings, integers, floats)
	done[i] = flag(integers[Phase*number+i] == Ended || bits&ByPause != 0 && !kernel.IsFinite(s[i]))
}

// updateEnv rewards the agents of every env, and ends the episodes of all of them where the env is done: see Update and
// isDone. Each env has perEnv agents, and all envs have the given number of agents. One group is one env. kernelgen
// cannot prove that the columns of different agents have no element in common.
//
//kernel:group lanes=32
//kernel:unproven
//kernel:iterations updateEnvIterations(perEnv, channels, lanes)
func updateEnv(g kernel.Group, number, perEnv, channels, has, offRoad, wrongWay, stuck, laps, steps, bits int32,
	s, n, length []float32, checkpoint, outOfBounds []int32, distance []float32, hit, obstacle []int32,
	velocity []kernel.Vec3, action, previous, settings []float32, integers []int32, floats []float32, done []int32) {
	r := Rules{OffRoad: offRoad, WrongWay: wrongWay, Stuck: stuck, Laps: laps, Steps: steps, Bits: bits}
	first := g.ID * perEnv
	for k := range g.Each(perEnv) {
		Update(first+k, number, channels, has, r, length[g.ID], s, n, checkpoint, outOfBounds, distance, hit, obstacle,
			velocity, action, previous, settings, integers, floats)
	}
	for range g.Each(1) {
		over := isDone(first, perEnv, number, bits, s, integers)
		done[g.ID] = over
	}
	for k := range g.Each(perEnv) {
		if done[g.ID] != 0 && integers[Phase*number+first+k] == Running {
			end(first+k, number, EndEnv, integers)
		}
	}
}

// isDone returns 1 if an env is done, else 0 (L-52): one of its agents has ended and, unless one is enough, none goes
// on; or all are paused and that counts.
func isDone(first, perEnv, number, bits int32, s []float32, integers []int32) int32 {
	ended := int32(0)
	on := int32(0)
	paused := int32(0)
	for k := first; k < first+perEnv; k++ {
		stopped := !kernel.IsFinite(s[k])
		paused += flag(stopped)
		if integers[Phase*number+k] == Ended {
			ended++
		} else if !stopped {
			on++
		}
	}
	return flag(ended > 0 && (on == 0 || bits&ByAny != 0) || paused == perEnv && bits&ByPause != 0)
}
