package reward

import (
	"context"
	"errors"
	"strings"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernels/reward"
)

// prefix stands once in each message of the package, in front of what a function of the package was doing.
const prefix = "reward: "

// Reason says why an episode has ended, with one bit for each reason. Zero means that it goes on.
type Reason int32

// The reasons. The first five are terminations, the last two truncations.
const (
	OffRoad   Reason = reward.EndOffRoad
	WrongWay  Reason = reward.EndWrongWay
	Stuck     Reason = reward.EndStuck
	Collision Reason = reward.EndCollision
	LapsDone  Reason = reward.EndLaps
	TimeOut   Reason = reward.EndTime
	EnvDone   Reason = reward.EndEnv // other agents have ended, and with them the episode of the env (ends.env)
)

var reasonNames = [...]string{"off road", "wrong way", "stuck", "collision", "laps done", "time out", "env done"}

// Names returns one short name for each reason, in the order of the constants.
func (r Reason) Names() []string {
	var names []string
	for bit, name := range reasonNames {
		if r&(1<<bit) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// String returns the names joined by commas, or "none" for zero.
func (r Reason) String() string {
	if r == 0 {
		return "none"
	}
	return strings.Join(r.Names(), ", ")
}

// Columns are what an update reports of each agent, [E*A]: numbers (F), whole numbers (I) and reasons (R). Agent a of
// env e is element e*A + a. The first columns are the terms of the reward, in their own units; Reward is their weighted
// sum.
type Columns[F, I, R any] struct {
	Progress   F `column:"progress,agent,length,reward" doc:"way along the line since the last step, below 0 against it"`
	Passed     F `column:"passed,agent,none,reward" doc:"1 if a checkpoint was passed, else 0"`
	Lap        F `column:"lap,agent,none,reward" doc:"1 if a lap was completed, else 0"`
	WrongWay   F `column:"wrong_way,agent,none,reward" doc:"seconds against the line"`
	OffRoad    F `column:"off_road,agent,none,reward" doc:"seconds off the road"`
	Collision  F `column:"collision,agent,none,reward" doc:"1 if a contact has begun, else 0"`
	Smoothness F `column:"smoothness,agent,none,reward" doc:"squared change of the actions"`
	Lateral    F `column:"lateral,agent,length,reward" doc:"distance from the line, times seconds"`
	Travel     F `column:"travel,agent,length,reward" doc:"way in space, by the velocity"`
	NearBorder F `column:"near_border,agent,length,reward" doc:"what lacks to near_distance from a border, times seconds"`
	Failure    F `column:"failure,agent,none,reward" doc:"1 in the step in which the agent fails, else 0"`

	Reward  F `column:"reward,agent,none,reward" doc:"weighted sum of the terms"`
	Return  F `column:"return,agent,none,reward" doc:"sum of the rewards of the episode"`
	LastLap F `column:"last_lap,agent,none,reward" doc:"seconds of the last lap of the episode, NaN without one"`
	BestLap F `column:"best_lap,agent,none,reward" doc:"seconds of the fastest lap of the episode, NaN without one"`

	Alive      I `column:"alive,agent,none,reward" doc:"1 while the episode of the agent goes on, else 0"`
	Terminated I `column:"terminated,agent,none,reward" doc:"1 if it has ended in a terminal state, else 0"`
	Truncated  I `column:"truncated,agent,none,reward" doc:"1 if it was cut off, else 0"`
	Reasons    R `column:"reasons,agent,none,reward" doc:"why it has ended, one bit each"`
	Laps       I `column:"laps,agent,none,reward" doc:"complete laps of the episode"`
	Length     I `column:"length,agent,none,reward" doc:"steps of the episode"`

	Done I `column:"done,env,none,reward" doc:"1 if the episode of the env is over, else 0"`
}

// HostColumns are the arrays of outcomes in host memory.
type HostColumns = Columns[[]float32, []int32, []Reason]

// DeviceColumns are the arrays of Outcomes.
type DeviceColumns = Columns[exec.Array[float32], exec.Array[int32], exec.Array[int32]]

// Schema lists the columns of outcomes.
var Schema = column.NewSchema[HostColumns, DeviceColumns]()

// stateColumns are what a judge remembers of each agent, [E*A]: see package kernels/reward.
type stateColumns[F, I any] struct {
	ReturnLow F `column:"return_low,agent,none,reward" doc:"what the return lacks"`
	PreviousS F `column:"previous_s,agent,length,reward" doc:"arc length at the last update, or NaN"`
	StuckWay  F `column:"stuck_way,agent,length,reward" doc:"way since the last mark"`
	ClockPart F `column:"clock_part,agent,none,reward" doc:"part of the step in which the lap began"`

	Phase         I `column:"phase,agent,none,reward" doc:"0 if the episode begins, 1 if it goes on, 2 if it has ended"`
	OffRoadSteps  I `column:"off_road_steps,agent,none,reward" doc:"successive steps off the road"`
	WrongWaySteps I `column:"wrong_way_steps,agent,none,reward" doc:"successive steps against the line"`
	StuckSteps    I `column:"stuck_steps,agent,none,reward" doc:"steps since the last mark"`
	InContact     I `column:"in_contact,agent,none,reward" doc:"1 if the agent touches something"`
	ClockStep     I `column:"clock_step,agent,none,reward" doc:"steps before that in which the lap began, or -1"`
}

type deviceState = stateColumns[exec.Array[float32], exec.Array[int32]]

var stateSchema = column.NewSchema[stateColumns[[]float32, []int32], deviceState]()

// Outcomes are what an update reports, in device memory. A Judge fills the same Outcomes at every update; Clone makes a
// copy that no update overwrites. Before the first update, all rewards are 0 and no episode has begun.
//
// In the step in which an agent ends, Terminated or Truncated or both become 1, Reasons says why, and Alive becomes 0.
// They stay so, with rewards of 0, until the agent is reset. Reward, Return and all terms are finite.
type Outcomes struct {
	Envs, Agents int // E, A

	DeviceColumns

	result component.Result[HostColumns, DeviceColumns]
}

// noOutcomes is the error of outcomes that no Judge has made.
func noOutcomes(op string) error {
	return &backend.ArgumentError{Op: prefix + op, Argument: "outcomes", Value: nil, Allowed: "those of a Judge"}
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the outcomes to host memory.
// It returns exec.ErrCapture inside a capture.
func (o *Outcomes) Read(ctx context.Context) (*HostColumns, error) {
	if o == nil || !o.result.Made() {
		return nil, noOutcomes("read")
	}
	host := new(HostColumns)
	if err := o.result.Read(ctx, &o.DeviceColumns, host); err != nil {
		return nil, err
	}
	return host, nil
}

// Clone copies the outcomes to new device memory, on the stream that ctx resolves to, and waits for the copy. The
// caller closes the clone. It returns exec.ErrCapture inside a capture.
func (o *Outcomes) Clone(ctx context.Context) (_ *Outcomes, err error) {
	if o == nil || !o.result.Made() {
		return nil, noOutcomes("clone")
	}
	clone := &Outcomes{Envs: o.Envs, Agents: o.Agents}
	if clone.result, err = o.result.Clone(ctx, &o.DeviceColumns, &clone.DeviceColumns); err != nil {
		return nil, err
	}
	return clone, nil
}

// Close releases the memory. Closing twice is a no-op. Closing a Judge closes its Outcomes.
func (o *Outcomes) Close() error {
	if o == nil {
		return nil
	}
	return errors.Join(o.result.Close(), o.Done.Close()) // done is not among the packed columns
}
