package race

import (
	"context"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/race"
	"github.com/trackgen-go/trackgen/race/reward"
)

// TotalColumns are what each agent has done in all of its episodes, [E*A]: whole numbers (I) and numbers (F). Agent a
// of env e is element e*A + a. An episode may end for several reasons at once.
type TotalColumns[I, F any] struct {
	Episodes   I `column:"episodes,agent,none,race" doc:"episodes that are over"`
	Laps       I `column:"laps,agent,none,race" doc:"complete laps of all episodes"`
	OffRoad    I `column:"off_road,agent,none,race" doc:"episodes that have ended off the road"`
	WrongWay   I `column:"wrong_way,agent,none,race" doc:"episodes that have ended the wrong way"`
	Stuck      I `column:"stuck,agent,none,race" doc:"episodes that have ended without progress"`
	Collisions I `column:"collisions,agent,none,race" doc:"episodes that have ended by a collision"`
	LapsDone   I `column:"laps_done,agent,none,race" doc:"episodes that have ended after all laps"`
	TimeOuts   I `column:"time_outs,agent,none,race" doc:"episodes that were cut off"`
	Over       I `column:"over,agent,none,race" doc:"1 if the episode of the agent is over, else 0"`

	BestLap F `column:"best_lap,agent,none,race" doc:"seconds of the fastest lap, NaN without one"`
}

// HostTotals are totals in host memory.
type HostTotals = TotalColumns[[]int32, []float32]

// DeviceTotals are the arrays of Totals.
type DeviceTotals = TotalColumns[exec.Array[int32], exec.Array[float32]]

// TotalSchema lists the columns of totals.
var TotalSchema = column.NewSchema[HostTotals, DeviceTotals]()

// Totals are what the agents have done since the race was made, in device memory. Every step adds to the same Totals.
type Totals struct {
	Envs, Agents int // E, A

	DeviceTotals

	result component.Result[HostTotals, DeviceTotals]
	packed column.Packed // zero for a clone
}

func newTotals(place component.Place, envs, agents int) (_ *Totals, err error) {
	t := &Totals{Envs: envs, Agents: agents}
	t.result, t.packed, err = component.NewPacked(place, TotalSchema, &t.DeviceTotals, envs*agents, nil)
	return t, err
}

// clear gives the totals the values of the begin.
func (t *Totals) clear(lc *exec.LaunchContext) {
	exec.Fill(lc, t.packed.Integers, 0)
	exec.Fill(lc, t.packed.Floats, kernel.NaN())
}

// add launches what a step adds.
func (t *Totals) add(lc *exec.LaunchContext, o *reward.Outcomes) {
	n := t.Envs * t.Agents
	race.Tally(lc, n, race.TallyArgs{Number: int32(n), Lap: o.Lap, BestLap: o.BestLap, Terminated: o.Terminated,
		Truncated: o.Truncated, Reason: o.Reasons, Integers: t.packed.Integers, Best: t.packed.Floats})
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the totals to host memory. It
// returns exec.ErrCapture inside a capture.
func (t *Totals) Read(ctx context.Context) (*HostTotals, error) {
	if t == nil {
		return nil, noReceiver("read", "the Totals of a Race")
	}
	host := new(HostTotals)
	if err := t.result.Read(ctx, &t.DeviceTotals, host); err != nil {
		return nil, err
	}
	return host, nil
}

// Clone copies the totals to new device memory, on the stream that ctx resolves to, and waits for the copy. The caller
// closes the clone. It returns exec.ErrCapture inside a capture.
func (t *Totals) Clone(ctx context.Context) (_ *Totals, err error) {
	if t == nil {
		return nil, noReceiver("clone", "the Totals of a Race")
	}
	clone := &Totals{Envs: t.Envs, Agents: t.Agents}
	if clone.result, err = t.result.Clone(ctx, &t.DeviceTotals, &clone.DeviceTotals); err != nil {
		return nil, err
	}
	return clone, nil
}

// Close releases the memory of a clone. The totals of a Race belong to it.
func (t *Totals) Close() error {
	if t == nil || !t.packed.Integers.IsZero() {
		return nil
	}
	return t.result.Close()
}

// close releases the memory.
func (t *Totals) close() error { return t.result.Close() }
