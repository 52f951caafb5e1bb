package reward

// Terms of a reward: columns of numbers of an agent, and their weights at the begin of the settings (L-43).
const (
	Progress   = iota // way along the line
	Passed            // checkpoints passed
	Lap               // laps completed
	WrongWay          // seconds against the line
	OffRoad           // seconds off the road
	Collision         // contacts that began
	Smoothness        // squared change of the actions
	Lateral           // distance from the line, times seconds
	Travel            // way in space
	NearBorder        // how much nearer to a border than allowed, times seconds
	Failure           // 1 in the step of a failure

	Terms // number of terms
)

// Further columns of numbers of an agent.
const (
	Reward    = Terms + iota // weighted sum of the terms
	Return                   // sum of the rewards of the episode
	LastLap                  // seconds, NaN before the first lap
	BestLap                  // seconds, NaN before the first lap
	ReturnLow                // state: what Return lacks
	PreviousS                // state: arc length at the last update, or NaN
	StuckWay                 // state: way since the last mark (L-48)
	ClockPart                // state: part of the step in which the lap began

	Floats // number of columns of numbers
)

// Settings after the weights of the terms.
const (
	TimeStep      = Terms + iota // seconds of a step
	BackwardSpeed                // speed against the line from which on the way is wrong
	StuckProgress                // way that an agent must make
	NearDistance                 // distance from a border from which on an agent is near

	Settings // number of settings
)

// Columns of integers of an agent.
const (
	Alive         = iota // 1 while the episode goes on
	Terminated           // 1 if it has ended in a terminal state
	Truncated            // 1 if it was cut off
	Reasons              // bits: why
	Laps                 // complete laps
	Length               // steps
	Phase                // state: Beginning, Running, Ended or Noted
	OffRoadSteps         // state: successive steps off the road
	WrongWaySteps        // state: successive steps against the line
	StuckSteps           // state: steps since the last mark (L-48)
	InContact            // state: 1 if the agent touches something
	ClockStep            // state: steps before that in which the lap began, -1 if no lap has begun

	Integers // number of columns of integers
)

// Phases of an episode. Memory that is zero thus begins.
const (
	Beginning = iota
	Running
	Ended
	Noted // begins, and where it begins is known: see noteAgents
)

// Bits of Reasons.
const (
	EndOffRoad = 1 << iota
	EndWrongWay
	EndStuck
	EndCollision
	EndLaps
	EndTime
	EndEnv // the episode of the env is over

	Failures     = EndOffRoad | EndWrongWay | EndStuck | EndCollision
	Terminations = Failures | EndLaps
	Truncations  = EndTime | EndEnv
)

// Bits of what inputs there are.
const (
	HasN = 1 << iota
	HasOutOfBounds
	HasDistance
	HasHit
	HasObstacle
	HasVelocity
)

// Bits of rules that have no number.
const (
	ByCollision = 1 << iota // a contact ends the episode
	Walls                   // leaving the road is a contact
	ByAny                   // the first agent that ends, ends the env
	ByPause                 // an env of which all agents are paused is done
)
