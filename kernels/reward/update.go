package reward

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// Rules are the limits of an episode in steps, laps and bits; 0 is none.
type Rules struct {
	OffRoad  int32 // successive steps off the road
	WrongWay int32 // successive steps against the line
	Stuck    int32 // steps without enough progress
	Laps     int32
	Steps    int32
	Bits     int32 // ByCollision, Walls, ByAny and ByPause
}

// terms are those of a step (L-43), without the failure.
type terms struct {
	progress, passed, lap, wrongWay, offRoad, collision, smoothness, lateral, travel, nearBorder float32
}

// Update rewards agent i of number in all envs for a step, and ends its episode where the rules say so (L-41 to L-51).
// length is that of its line. Bits of has say which of n, outOfBounds, distance, hit, obstacle and velocity there are.
func Update(i, number, channels, has int32, r Rules, length float32, s, n []float32, checkpoint, outOfBounds []int32,
	distance []float32, hit, obstacle []int32, velocity []kernel.Vec3, action, previous, settings []float32,
	integers []int32, floats []float32) {
	here := s[i]
	phase := integers[Phase*number+i]
	if phase == Noted {
		begin(i, number, 1, integers, floats)
		phase = Running
		integers[Phase*number+i] = phase
	}
	if !kernel.IsFinite(here) || phase != Running {
		wait(i, number, channels, here, phase, previous, integers, floats)
		return
	}
	before := floats[PreviousS*number+i]
	floats[PreviousS*number+i] = here
	dt := settings[TimeStep]
	way := wayFrom(before, here, length)
	lateral, travel, near := shape(i, has, dt, settings[NearDistance], n, distance, velocity)
	contact, off := touched(i, has, r.Bits, outOfBounds, hit, obstacle)
	change := changeOf(i, channels, action, previous)
	integers[Length*number+i]++
	passed, lap := pass(i, number, checkpoint[i], before, way, length, dt, integers, floats)
	byWay, wrong := follow(i, number, way, r, settings, integers, floats)
	byTouch, begins := touch(i, number, contact, off, r, integers)
	failure := finish(i, number, byWay|byTouch, r, integers)
	t := terms{progress: way, passed: passed, lap: lap, wrongWay: float32(wrong * dt), offRoad: float32(one(off) * dt),
		collision: begins, smoothness: bounded(change), lateral: lateral, travel: travel, nearBorder: near}
	write(i, number, t, failure, settings, floats)
}

// wait is the update of an agent that is paused, begins or has ended.
func wait(i, number, channels int32, here float32, phase int32, previous []float32, integers []int32,
	floats []float32) {
	for k := int32(0); k <= Reward; k++ {
		floats[k*number+i] = 0
	}
	known := kernel.IsFinite(here)
	if phase == Beginning {
		begin(i, number, flag(known), integers, floats)
		if known {
			integers[Phase*number+i] = Running
		}
	}
	if !known || phase == Beginning {
		forget(i, channels, previous)
		floats[PreviousS*number+i] = vector.OneNaN(here)
	}
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

// shape returns the terms of where an agent is and how fast it moves: lateral, travel and near_border (L-43).
func shape(i, has int32, dt, nearDistance float32, n, distance []float32, velocity []kernel.Vec3) (float32, float32,
	float32) {
	lateral := float32(0)
	if has&HasN != 0 {
		lateral = bounded(float32(kernel.Abs(n[i]) * dt))
	}
	travel := float32(0)
	if has&HasVelocity != 0 {
		travel = bounded(float32(velocity[i].Len() * dt))
	}
	lacks := float32(0)
	if has&HasDistance != 0 {
		lacks = nearDistance - distance[i]
	}
	near := float32(0)
	if lacks > 0 {
		near = bounded(float32(lacks * dt))
	}
	return lateral, travel, near
}

// pass counts the checkpoint that an agent has passed in a step, or -1, and returns the terms passed and lap. The first
// checkpoint begins a lap, and ends the lap before (L-50).
func pass(i, number, checkpoint int32, before, way, length, dt float32, integers []int32,
	floats []float32) (float32, float32) {
	if checkpoint != 0 {
		return one(checkpoint > 0), 0
	}
	step := integers[Length*number+i] - 1
	part := partAtLine(before, way, length)
	began := integers[ClockStep*number+i]
	if began >= 0 {
		steps := float32(step-began) + (part - floats[ClockPart*number+i])
		lap := float32(steps * dt)
		best := floats[BestLap*number+i]
		if kernel.IsNaN(best) || lap < best {
			best = lap
		}
		floats[LastLap*number+i] = lap
		floats[BestLap*number+i] = best
		integers[Laps*number+i]++
	}
	integers[ClockStep*number+i] = step
	floats[ClockPart*number+i] = part
	return 1, one(began >= 0)
}

// follow returns why the way of an agent ends its episode, and 1 if it goes the wrong way, else 0 (L-47, L-48).
func follow(i, number int32, way float32, r Rules, settings []float32, integers []int32,
	floats []float32) (int32, float32) {
	reasons := int32(0)
	wrong := int32(0)
	if way < -float32(settings[BackwardSpeed]*settings[TimeStep]) {
		wrong = integers[WrongWaySteps*number+i] + 1
	}
	integers[WrongWaySteps*number+i] = wrong
	if r.WrongWay > 0 && wrong >= r.WrongWay {
		reasons |= EndWrongWay
	}
	made := bounded(floats[StuckWay*number+i] + way)
	steps := integers[StuckSteps*number+i] + 1
	if made >= settings[StuckProgress] {
		made = 0
		steps = 0
	}
	integers[StuckSteps*number+i] = steps
	floats[StuckWay*number+i] = made
	if r.Stuck > 0 && steps >= r.Stuck {
		reasons |= EndStuck
	}
	return reasons, one(wrong > 0)
}

// touched reports whether an agent touches something, and whether it is off the road (L-49).
func touched(i, has, bits int32, outOfBounds, hit, obstacle []int32) (bool, bool) {
	off := false
	if has&HasOutOfBounds != 0 {
		off = outOfBounds[i] != 0
	}
	contact := off && bits&Walls != 0
	if has&HasHit != 0 {
		contact = contact || hit[i] != 0
	}
	if has&HasObstacle != 0 {
		contact = contact || obstacle[i] != 0
	}
	return contact, off
}

// touch returns why the road and contacts end the episode of an agent, and 1 if a contact begins, else 0 (L-46, L-49).
func touch(i, number int32, contact, off bool, r Rules, integers []int32) (int32, float32) {
	reasons := int32(0)
	steps := int32(0)
	if off {
		steps = integers[OffRoadSteps*number+i] + 1
	}
	integers[OffRoadSteps*number+i] = steps
	if r.OffRoad > 0 && steps >= r.OffRoad {
		reasons |= EndOffRoad
	}
	if contact && r.Bits&ByCollision != 0 {
		reasons |= EndCollision
	}
	begins := one(contact && integers[InContact*number+i] == 0)
	integers[InContact*number+i] = flag(contact)
	return reasons, begins
}

// finish ends the episode of an agent for the given reasons, or because its laps are done or its time is over, and
// returns the term failure (L-45).
func finish(i, number, reasons int32, r Rules, integers []int32) float32 {
	why := reasons
	if r.Laps > 0 && integers[Laps*number+i] >= r.Laps {
		why |= EndLaps
	}
	if r.Steps > 0 && integers[Length*number+i] >= r.Steps {
		why |= EndTime
	}
	if why != 0 {
		end(i, number, why, integers)
	}
	return one(why&Failures != 0)
}

// end ends the episode of an agent.
func end(i, number, reasons int32, integers []int32) {
	integers[Phase*number+i] = Ended
	integers[Alive*number+i] = 0
	integers[Terminated*number+i] = flag(reasons&Terminations != 0)
	integers[Truncated*number+i] = flag(reasons&Truncations != 0)
	integers[Reasons*number+i] = reasons
}

// write writes the terms and the reward of an agent, and adds it to the return of its episode with its rounding errors
// (L-42).
func write(i, number int32, t terms, failure float32, settings, floats []float32) {
	floats[Progress*number+i] = t.progress
	floats[Passed*number+i] = t.passed
	floats[Lap*number+i] = t.lap
	floats[WrongWay*number+i] = t.wrongWay
	floats[OffRoad*number+i] = t.offRoad
	floats[Collision*number+i] = t.collision
	floats[Smoothness*number+i] = t.smoothness
	floats[Lateral*number+i] = t.lateral
	floats[Travel*number+i] = t.travel
	floats[NearBorder*number+i] = t.nearBorder
	floats[Failure*number+i] = failure
	reward := float32(settings[Progress] * t.progress)
	reward += float32(settings[Passed] * t.passed)
	reward += float32(settings[Lap] * t.lap)
	reward += float32(settings[WrongWay] * t.wrongWay)
	reward += float32(settings[OffRoad] * t.offRoad)
	reward += float32(settings[Collision] * t.collision)
	reward += float32(settings[Smoothness] * t.smoothness)
	reward += float32(settings[Lateral] * t.lateral)
	reward += float32(settings[Travel] * t.travel)
	reward += float32(settings[NearBorder] * t.nearBorder)
	reward += float32(settings[Failure] * failure)
	reward = bounded(reward)
	floats[Reward*number+i] = reward
	total := kernel.TwoFloat{Hi: floats[Return*number+i], Lo: floats[ReturnLow*number+i]}.Add(reward)
	if kernel.IsFinite(total.Hi) && kernel.IsFinite(total.Lo) {
		floats[Return*number+i] = total.Hi
		floats[ReturnLow*number+i] = total.Lo
	}
}
