package reward

import "github.com/trackgen-go/trackgen/kernel"

// Rules are the limits of an episode in steps, laps and bits; 0 is none.
type Rules struct {
	OffRoad  int32 // successive steps off the road
	WrongWay int32 // successive steps against the line
	Stuck    int32 // steps without enough progress
	Laps     int32
	Steps    int32
	Bits     int32 // ByCollision, Walls, ByAny and ByPause
}

// Update rewards agent i of number in all envs for a step, and ends its episode where the rules say so (L-41 to L-51).
// length is that of its line. Bits of has say which of n, outOfBounds, distance, hit, obstacle and velocity there are.
func Update(i, number, channels, has int32, r Rules, length float32, s, n []float32, checkpoint, outOfBounds []int32,
	distance []float32, hit, obstacle []int32, velocity []kernel.Vec3, action, previous, settings []float32,
	integers []int32, floats []float32) {
	here := s[i]
	phase := integers[Phase*number+i]
	for k := int32(0); k <= Reward; k++ {
		floats[k*number+i] = 0
	}
	if !kernel.IsFinite(here) {
		floats[PreviousS*number+i] = kernel.NaN()
		forget(i, channels, previous)
		if phase == Beginning {
			begin(i, number, 0, integers, floats)
		}
		return
	}
	if phase == Beginning {
		begin(i, number, 1, integers, floats)
		forget(i, channels, previous)
		integers[Phase*number+i] = Running
		floats[PreviousS*number+i] = here
		return
	}
	if phase != Running {
		return
	}
	before := floats[PreviousS*number+i]
	floats[PreviousS*number+i] = here
	integers[Length*number+i]++
	way := wayFrom(before, here, length)
	change := changeOf(i, channels, action, previous)
	floats[Smoothness*number+i] = bounded(change)
	shape(i, number, has, way, n, distance, velocity, settings, floats)
	pass(i, number, checkpoint[i], before, way, length, settings, integers, floats)
	byWay := follow(i, number, way, r, settings, integers, floats)
	byTouch := touch(i, number, has, r, outOfBounds, hit, obstacle, settings, integers, floats)
	finish(i, number, byWay|byTouch, r, integers, floats)
	sum(i, number, settings, floats)
}

// begin clears what an update reports of an episode.
func begin(i, number, alive int32, integers []int32, floats []float32) {
	integers[Alive*number+i] = alive
	integers[Terminated*number+i] = 0
	integers[Truncated*number+i] = 0
	integers[Reasons*number+i] = 0
	integers[Laps*number+i] = 0
	integers[Length*number+i] = 0
	integers[OffRoadSteps*number+i] = 0
	integers[WrongWaySteps*number+i] = 0
	integers[StuckSteps*number+i] = 0
	integers[InContact*number+i] = 0
	integers[ClockStep*number+i] = -1
	floats[Return*number+i] = 0
	floats[ReturnLow*number+i] = 0
	floats[LastLap*number+i] = kernel.NaN()
	floats[BestLap*number+i] = kernel.NaN()
	floats[StuckWay*number+i] = 0
	floats[ClockPart*number+i] = 0
}

// shape writes the terms of where an agent is and how it moves (L-43).
func shape(i, number, has int32, way float32, n, distance []float32, velocity []kernel.Vec3, settings,
	floats []float32) {
	dt := settings[TimeStep]
	floats[Progress*number+i] = way
	if has&HasN != 0 {
		floats[Lateral*number+i] = bounded(float32(kernel.Abs(n[i]) * dt))
	}
	if has&HasVelocity != 0 {
		floats[Travel*number+i] = bounded(float32(velocity[i].Len() * dt))
	}
	if has&HasDistance != 0 {
		near := settings[NearDistance] - distance[i]
		if near > 0 {
			floats[NearBorder*number+i] = bounded(float32(near * dt))
		}
	}
}

// pass counts the checkpoint that an agent has passed in a step, or -1. The first one begins a lap, and ends the lap
// before (L-50).
func pass(i, number, checkpoint int32, before, way, length float32, settings []float32, integers []int32,
	floats []float32) {
	if checkpoint < 0 {
		return
	}
	floats[Passed*number+i] = 1
	if checkpoint > 0 {
		return
	}
	step := integers[Length*number+i] - 1
	part := partAtLine(before, way, length)
	began := integers[ClockStep*number+i]
	if began >= 0 {
		steps := float32(step-began) + (part - floats[ClockPart*number+i])
		lap := float32(steps * settings[TimeStep])
		best := floats[BestLap*number+i]
		if kernel.IsNaN(best) || lap < best {
			best = lap
		}
		floats[Lap*number+i] = 1
		floats[LastLap*number+i] = lap
		floats[BestLap*number+i] = best
		integers[Laps*number+i]++
	}
	integers[ClockStep*number+i] = step
	floats[ClockPart*number+i] = part
}

// follow writes the term of the wrong way, and returns why the way of an agent ends its episode (L-47, L-48).
func follow(i, number int32, way float32, r Rules, settings []float32, integers []int32, floats []float32) int32 {
	reasons := int32(0)
	wrong := int32(0)
	if way < -float32(settings[BackwardSpeed]*settings[TimeStep]) {
		wrong = integers[WrongWaySteps*number+i] + 1
		floats[WrongWay*number+i] = settings[TimeStep]
	}
	if r.WrongWay > 0 && wrong >= r.WrongWay {
		reasons |= EndWrongWay
	}
	made := bounded(floats[StuckWay*number+i] + way)
	steps := integers[StuckSteps*number+i] + 1
	if made >= settings[StuckProgress] {
		made = 0
		steps = 0
	}
	if r.Stuck > 0 && steps >= r.Stuck {
		reasons |= EndStuck
	}
	integers[WrongWaySteps*number+i] = wrong
	integers[StuckSteps*number+i] = steps
	floats[StuckWay*number+i] = made
	return reasons
}

// touch writes the terms of the road and of contacts, and returns why they end the episode of an agent (L-46, L-49).
func touch(i, number, has int32, r Rules, outOfBounds, hit, obstacle []int32, settings []float32, integers []int32,
	floats []float32) int32 {
	reasons := int32(0)
	off := int32(0)
	contact := false
	if has&HasOutOfBounds != 0 && outOfBounds[i] != 0 {
		off = integers[OffRoadSteps*number+i] + 1
		floats[OffRoad*number+i] = settings[TimeStep]
		contact = r.Bits&Walls != 0
	}
	if r.OffRoad > 0 && off >= r.OffRoad {
		reasons |= EndOffRoad
	}
	if has&HasHit != 0 {
		contact = contact || hit[i] != 0
	}
	if has&HasObstacle != 0 {
		contact = contact || obstacle[i] != 0
	}
	if contact {
		floats[Collision*number+i] = one(integers[InContact*number+i] == 0)
		if r.Bits&ByCollision != 0 {
			reasons |= EndCollision
		}
	}
	integers[OffRoadSteps*number+i] = off
	integers[InContact*number+i] = flag(contact)
	return reasons
}

// finish ends the episode of an agent for the given reasons, or because its laps are done or its time is over (L-45).
func finish(i, number, reasons int32, r Rules, integers []int32, floats []float32) {
	why := reasons
	if r.Laps > 0 && integers[Laps*number+i] >= r.Laps {
		why |= EndLaps
	}
	if r.Steps > 0 && integers[Length*number+i] >= r.Steps {
		why |= EndTime
	}
	floats[Failure*number+i] = one(why&Failures != 0)
	if why != 0 {
		end(i, number, why, integers)
	}
}

// end ends the episode of an agent.
func end(i, number, reasons int32, integers []int32) {
	integers[Phase*number+i] = Ended
	integers[Alive*number+i] = 0
	integers[Terminated*number+i] = flag(reasons&Terminations != 0)
	integers[Truncated*number+i] = flag(reasons&Truncations != 0)
	integers[Reasons*number+i] = reasons
}

// sum writes the reward of an agent, and adds it to the return of its episode with its rounding errors (L-42).
func sum(i, number int32, settings, floats []float32) {
	reward := float32(0)
	for k := int32(0); k < Terms; k++ {
		reward += float32(settings[k] * floats[k*number+i])
	}
	reward = bounded(reward)
	total := kernel.TwoFloat{Hi: floats[Return*number+i], Lo: floats[ReturnLow*number+i]}.Add(reward)
	floats[Reward*number+i] = reward
	if kernel.IsFinite(total.Hi) && kernel.IsFinite(total.Lo) {
		floats[Return*number+i] = total.Hi
		floats[ReturnLow*number+i] = total.Lo
	}
}
