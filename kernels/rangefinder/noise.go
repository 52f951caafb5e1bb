package rangefinder

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/seeding"
)

// stream tells the random numbers of range finders from all others of the same seed.
const stream = 0x52464e44

// randomOf returns the random stream of a beam: of an env with a seed at an epoch, of an agent, at a step.
func randomOf(seed, epoch, env, agent, beam, step int32) kernel.Rand {
	s := kernel.Hash(uint32(seeding.EffectiveSeed(seed, epoch)) ^ stream)
	s = kernel.Hash(s ^ uint32(env))
	s = kernel.Hash(s ^ uint32(agent))
	s = kernel.Hash(s ^ uint32(step))
	return kernel.Rand{State: kernel.Hash(s ^ uint32(beam))}
}

// disturb adds noise to what the beams have measured (L-35): a beam that has hit something gets a normal number with
// the standard deviation sigma, or, with the probability dropout, the largest range and no hit. seed, epoch and step
// are [E], distance and hit are [E*A, B].
//
// One item is a beam.
//
//kernel:thread
func disturb(i, agents, beams int32, reach, sigma, dropout float32, seed, epoch, step []int32, distance []float32,
	hit []int32) {
	if hit[i] == None {
		return
	}
	agent := i / beams
	env := agent / agents
	r := randomOf(seed[env], epoch[env], env, agent%agents, i%beams, step[env])
	lost, r := r.Uniform()
	if lost < dropout {
		distance[i] = reach
		hit[i] = None
		return
	}
	off, _ := r.Normal()
	distance[i] = kernel.Clamp(distance[i]+float32(off*sigma), 0, reach)
}

// tick counts a step of every env.
//
//kernel:thread
func tick(e int32, step []int32) { step[e]++ }

// begin lets the steps of the envs whose mask is not 0 begin at 0 again.
//
//kernel:thread
func begin(e int32, mask, step []int32) {
	if mask[e] != 0 {
		step[e] = 0
	}
}
