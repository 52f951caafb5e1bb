package progress

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
)

// prefix stands once in each message of the package, in front of what a function of the package was doing.
const prefix = "progress: "

// EventColumns are what an update reports of each agent, [E*A]: whole numbers (I) and numbers (F). Agent a of env e is
// element e*A + a.
type EventColumns[I, F any] struct {
	Passed           I `column:"passed,agent,none,progress" doc:"1 if the agent has passed the next checkpoint, else 0"`
	CheckpointPassed I `column:"checkpoint_passed,agent,none,progress" doc:"index of that checkpoint, or -1"`
	NextCheckpoint   I `column:"next_checkpoint,agent,none,progress" doc:"index of the checkpoint to pass next"`
	Laps             I `column:"laps,agent,none,progress" doc:"complete laps"`
	Progress         I `column:"progress,agent,none,progress" doc:"checkpoints passed, in all laps"`
	WrongWay         I `column:"wrong_way,agent,none,progress" doc:"1 if it has gone back through the next one, else 0"`
	WrongCheckpoint  I `column:"wrong_checkpoint,agent,none,progress" doc:"index of the first other one passed, or -1"`
	Place            I `column:"place,agent,none,progress" doc:"place among the agents of the env, 1 for the leader"`
	DistToNext       F `column:"dist_to_next,agent,length,progress" doc:"distance from the next checkpoint, or NaN"`
	Gap              F `column:"gap,agent,length,progress" doc:"distance to the agent in front, or NaN"`
}

// HostEvents are events in host memory.
type HostEvents = EventColumns[[]int32, []float32]

// DeviceEvents are the arrays of an Events.
type DeviceEvents = EventColumns[exec.Array[int32], exec.Array[float32]]

// EventSchema lists the columns of events.
var EventSchema = column.NewSchema[HostEvents, DeviceEvents]()

// Events are what an update reports, in device memory. A Tracker fills the same Events at every update; Clone makes a
// copy that no update overwrites. Before the first update there are no events, and every agent has to pass checkpoint
// 0.
//
// The agents of an env are ranked by laps, then by progress, then by the distance from the next checkpoint, then by
// their index; agents without such a distance, because they are paused or there is no checkpoint, come last. Gap is the
// way from an agent to the one in front of it along the checkpoints: from its position to the checkpoint that is next
// for it, on in straight lines to the checkpoint that is next for the other, less what the other has still to go. It is
// at least 0, NaN for the leader and for agents without a distance.
type Events struct {
	Envs, Agents int // E, A

	DeviceEvents

	result component.Result[HostEvents, DeviceEvents]
}

// noEvents is the error of events that no Tracker has made.
func noEvents(op string) error {
	return &backend.ArgumentError{Op: prefix + op, Argument: "events", Value: nil, Allowed: "those of a Tracker"}
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the events to host memory. It
// returns exec.ErrCapture inside a capture.
func (e *Events) Read(ctx context.Context) (*HostEvents, error) {
	if e == nil || !e.result.Made() {
		return nil, noEvents("read")
	}
	host := new(HostEvents)
	if err := e.result.Read(ctx, &e.DeviceEvents, host); err != nil {
		return nil, err
	}
	return host, nil
}

// Clone copies the events to new device memory, on the stream that ctx resolves to, and waits for the copy. The caller
// closes the clone. It returns exec.ErrCapture inside a capture.
func (e *Events) Clone(ctx context.Context) (_ *Events, err error) {
	if e == nil || !e.result.Made() {
		return nil, noEvents("clone")
	}
	clone := &Events{Envs: e.Envs, Agents: e.Agents}
	if clone.result, err = e.result.Clone(ctx, &e.DeviceEvents, &clone.DeviceEvents); err != nil {
		return nil, err
	}
	return clone, nil
}

// Close releases the memory. Closing twice is a no-op. Closing a Tracker closes its Events.
func (e *Events) Close() error {
	if e == nil {
		return nil
	}
	return e.result.Close()
}

// StateColumns are what a Tracker remembers of each agent, [E*A]: whole numbers (I) and vectors (V). Every update reads
// and writes them, and a reset puts them to their values at the start. A program may set them, to begin somewhere else.
type StateColumns[I, V any] struct {
	Target   I `column:"target,agent,none,progress" doc:"index of the checkpoint to pass, 0 at the start"`
	Laps     I `column:"laps,agent,none,progress" doc:"complete laps, 0 at the start"`
	Total    I `column:"total,agent,none,progress" doc:"checkpoints passed, in all laps, 0 at the start"`
	Previous V `column:"previous,agent,length,progress" doc:"position at the last update, NaN at the start"`
}

// HostState is a state in host memory.
type HostState = StateColumns[[]int32, []kernel.Vec3]

// State is the state of a Tracker in device memory.
type State = StateColumns[exec.Array[int32], exec.Array[kernel.Vec3]]

// StateSchema lists the columns of a state.
var StateSchema = column.NewSchema[HostState, State]()
