package reward_test

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/reward"
)

// step is what a judge reads in a step. Columns that are nil are not bound.
type step struct {
	s, n, distance, action []float32
	checkpoint             []int32
	outOfBounds            []int32
	hit, obstacle          []int32
	velocity               []kernel.Vec3
}

// episode is the state of one agent by the rules L-40 to L-53.
type episode struct {
	begun, ended bool
	s0           float32 // NaN if it is not known
	action       []float32
	last         reward.Reason
	steps, laps  int32

	off, wrong, still int32
	way               float32
	contact           bool

	clock        int32 // -1: no lap has begun
	part         float32
	lastLap      float32
	bestLap      float32
	total, lower float32

	terms  map[string]float32
	reward float32
	done   bool
}

// reference is a judge by the rules.
type reference struct {
	config reward.Config
	length []float32
	agents []episode
	done   []int32
}

func newReference(c reward.Config, length []float32) *reference {
	r := &reference{config: c, length: length, agents: make([]episode, len(length)*c.Agents),
		done: make([]int32, len(length))}
	for i := range r.agents {
		r.agents[i].reset()
	}
	return r
}

// reset puts an agent to the beginning; what it reports stays until the next update.
func (e *episode) reset() { e.begun, e.ended = false, false }

// fresh clears what an episode reports.
func (e *episode) fresh() {
	nan := kernel.NaN()
	*e = episode{s0: nan, clock: -1, lastLap: nan, bestLap: nan, terms: map[string]float32{}}
}

func finite(x float32) bool { return !math.IsNaN(float64(x)) && !math.IsInf(float64(x), 0) }

// bound puts a term into its limits.
func bound(x float32) float32 {
	switch {
	case x != x:
		return 0
	case x > 1e30:
		return 1e30
	case x < -1e30:
		return -1e30
	}
	return x
}

// steps returns how many steps a time takes.
func (r *reference) steps(seconds float64) int32 {
	return int32(math.Ceil(seconds * (1 - 1e-9) / r.config.TimeStep))
}

// reset resets the agents of a mask, which has one element per env or per agent.
func (r *reference) reset(mask []int32) {
	for i := range r.agents {
		if mask[i*len(mask)/len(r.agents)] != 0 {
			r.agents[i].reset()
		}
	}
}

// update makes a step of all envs.
func (r *reference) update(in step) {
	per := r.config.Agents
	for i := range r.agents {
		r.follow(i, in)
	}
	for e := range r.done {
		ended, moving, paused := 0, 0, 0
		for a := range per {
			agent, here := &r.agents[e*per+a], finite(in.s[e*per+a])
			switch {
			case agent.ended:
				ended++
			case here:
				moving++
			}
			if !here {
				paused++
			}
		}
		r.done[e] = 0
		if ended > 0 && (moving == 0 || r.config.Ends.Env == reward.Any) || r.config.Ends.Paused && paused == per {
			r.done[e] = 1
			for a := range per {
				if agent := &r.agents[e*per+a]; agent.begun && !agent.ended && per > 1 {
					agent.ended, agent.last = true, reward.EnvDone
				}
			}
		}
	}
}

// follow makes a step of one agent.
func (r *reference) follow(i int, in step) {
	e := &r.agents[i]
	e.reward, e.terms = 0, map[string]float32{}
	s := in.s[i]
	if !finite(s) {
		if !e.begun {
			e.fresh()
		}
		e.s0, e.action = kernel.NaN(), nil
		return
	}
	if !e.begun {
		e.fresh()
		e.begun, e.s0 = true, s
		return
	}
	if e.ended {
		return
	}
	before := e.s0
	e.s0 = s
	e.steps++
	way := r.way(before, s, r.length[i/r.config.Agents])
	e.terms["progress"] = way
	r.shape(e, i, in)
	r.lap(e, in.checkpoint[i], before, way, r.length[i/r.config.Agents])
	e.last = r.limits(e, i, way, in)
	if e.last != 0 {
		e.ended = true
	}
	if e.last&(reward.OffRoad|reward.WrongWay|reward.Stuck|reward.Collision) != 0 {
		e.terms["failure"] = 1
	}
	r.add(e)
}

// way is L-44.
func (r *reference) way(before, s, length float32) float32 {
	if !finite(before) || !finite(length) || length <= 0 {
		return 0
	}
	way := s - before
	switch half := 0.5 * length; {
	case way > half:
		way -= length
	case way < -half:
		way += length
	}
	return bound(way)
}

// shape is the terms of L-43 that need no memory but that of the actions.
func (r *reference) shape(e *episode, i int, in step) {
	dt := float32(r.config.TimeStep)
	if in.n != nil {
		e.terms["lateral"] = bound(kernel.Abs(in.n[i]) * dt)
	}
	if in.velocity != nil {
		v := in.velocity[i]
		square := float32(v.X*v.X) + float32(v.Y*v.Y)
		e.terms["travel"] = bound(float32(math.Sqrt(float64(square+float32(v.Z*v.Z)))) * dt)
	}
	if in.distance != nil {
		if lacks := float32(r.config.NearDistance) - in.distance[i]; lacks > 0 {
			e.terms["near_border"] = bound(lacks * dt)
		}
	}
	c := r.config.Channels
	var now []float32
	change := float32(0)
	for k := range c {
		a := in.action[i*c+k]
		if a != a {
			a = 0
		}
		now = append(now, min(max(a, -1), 1))
		if e.action != nil {
			d := now[k] - e.action[k]
			change += float32(d * d)
		}
	}
	e.terms["smoothness"] = bound(change)
	e.action = now
}

// lap is L-50.
func (r *reference) lap(e *episode, checkpoint int32, before, way, length float32) {
	if checkpoint < 0 {
		return
	}
	e.terms["passed"] = 1
	if checkpoint != 0 {
		return
	}
	part := float32(1)
	if way > 0 {
		ahead := -before
		if before > 0.5*length {
			ahead = length - before
		}
		part = min(max(ahead/way, 0), 1)
	}
	if e.clock >= 0 {
		e.lastLap = (float32(e.steps-1-e.clock) + (part - e.part)) * float32(r.config.TimeStep)
		if e.bestLap != e.bestLap || e.lastLap < e.bestLap {
			e.bestLap = e.lastLap
		}
		e.laps++
		e.terms["lap"] = 1
	}
	e.clock, e.part = e.steps-1, part
}

// limits are L-45 to L-49: it returns the reasons of an end.
func (r *reference) limits(e *episode, i int, way float32, in step) (why reward.Reason) {
	ends, dt := r.config.Ends, float32(r.config.TimeStep)
	off := in.outOfBounds != nil && in.outOfBounds[i] != 0
	if e.off++; !off {
		e.off = 0
	} else {
		e.terms["off_road"] = dt
	}
	if ends.OffRoad && off && e.off >= r.steps(ends.OffRoadTime) {
		why |= reward.OffRoad
	}
	if e.wrong++; way >= -float32(float32(r.config.BackwardSpeed)*dt) {
		e.wrong = 0
	} else {
		e.terms["wrong_way"] = dt
	}
	if ends.WrongWayTime > 0 && e.wrong >= r.steps(ends.WrongWayTime) {
		why |= reward.WrongWay
	}
	e.still++
	if e.way = bound(e.way + way); e.way >= float32(ends.StuckProgress) {
		e.way, e.still = 0, 0
	}
	if ends.StuckTime > 0 && e.still >= r.steps(ends.StuckTime) {
		why |= reward.Stuck
	}
	contact := off && r.config.Walls || in.hit != nil && in.hit[i] != 0 || in.obstacle != nil && in.obstacle[i] != 0
	if contact && !e.contact {
		e.terms["collision"] = 1
	}
	if e.contact = contact; contact && ends.Collision {
		why |= reward.Collision
	}
	if ends.Laps > 0 && e.laps >= int32(ends.Laps) {
		why |= reward.LapsDone
	}
	if ends.MaxSteps > 0 && e.steps >= int32(ends.MaxSteps) || ends.MaxTime > 0 && e.steps >= r.steps(ends.MaxTime) {
		why |= reward.TimeOut
	}
	return why
}

// weights returns the weight of each term in the order of the rules.
func weights(c reward.Config) (names []string, list []float64) {
	w := c.Weights
	return []string{"progress", "passed", "lap", "wrong_way", "off_road", "collision", "smoothness", "lateral", "travel",
			"near_border", "failure"}, []float64{w.Progress, w.Passed, w.Lap, w.WrongWay, w.OffRoad, w.Collision,
			w.Smoothness, w.Lateral, w.Travel, w.NearBorder, w.Failure}
}

// add is L-42.
func (r *reference) add(e *episode) {
	names, list := weights(r.config)
	for k, name := range names {
		e.reward += float32(float32(list[k]) * e.terms[name])
	}
	e.reward = bound(e.reward)
	// Two sums without rounding errors: of Knuth, and of Dekker.
	sum := e.total + e.reward
	b := sum - e.total
	low := e.lower + ((e.total - (sum - b)) + (e.reward - b))
	high := sum + low
	if low -= high - sum; finite(high) && finite(low) {
		e.total, e.lower = high, low
	}
}

// outcomes returns the columns that a judge must report.
func (r *reference) outcomes() *reward.HostColumns {
	h := &reward.HostColumns{Done: r.done}
	for i := range r.agents {
		e := &r.agents[i]
		for name, column := range map[string]*[]float32{"progress": &h.Progress, "passed": &h.Passed, "lap": &h.Lap,
			"wrong_way": &h.WrongWay, "off_road": &h.OffRoad, "collision": &h.Collision, "smoothness": &h.Smoothness,
			"lateral": &h.Lateral, "travel": &h.Travel, "near_border": &h.NearBorder, "failure": &h.Failure} {
			*column = append(*column, e.terms[name])
		}
		h.Reward, h.Return = append(h.Reward, e.reward), append(h.Return, e.total)
		h.LastLap, h.BestLap = append(h.LastLap, e.lastLap), append(h.BestLap, e.bestLap)
		flag := func(condition bool) int32 {
			if condition {
				return 1
			}
			return 0
		}
		h.Alive = append(h.Alive, flag(e.begun && !e.ended))
		h.Terminated, h.Truncated = append(h.Terminated, flag(e.last&31 != 0)), append(h.Truncated, flag(e.last&96 != 0))
		h.Reasons, h.Laps = append(h.Reasons, e.last), append(h.Laps, e.laps)
		h.Length = append(h.Length, e.steps)
	}
	return h
}
