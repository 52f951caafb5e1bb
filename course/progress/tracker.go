package progress

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/progress"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// Option is an option of NewTracker.
type Option = generation.Option

// WithStream sets the stream of calls for which neither the call nor an ambient context names one (R6).
func WithStream(stream backend.Stream) Option { return generation.WithStream(stream) }

// WithWarnings passes warnings to warn instead of the default logger.
func WithWarnings(warn exec.WarnFunc) Option { return generation.WithWarnings(warn) }

// Tracker follows agents past checkpoints. It is a producer in the sense of package exec: an update or a reset can run
// eagerly, be recorded into a capture of the caller, or replay a graph. Its work is one launch.
//
// Only one goroutine at a time may use a Tracker; different trackers are independent.
type Tracker struct {
	component *component.Component
	set       checkpoints.Set
	agents    int           // per env
	packed    column.Packed // of the events and of the state
	events    *Events
	state     State

	position exec.Array[kernel.Vec3] // bound
	bound    component.Works[exec.Array[kernel.Vec3]]
	perCall  component.Works[exec.Array[kernel.Vec3]]
	resets   component.Works[exec.Array[int32]]
}

// NewTracker allocates the events and the state of config.Agents agents in each env of set, which are at the start. It
// must not be called inside a capture. The arrays of set stay open as long as the tracker is used, and each update
// reads the checkpoints that they hold then.
//
// It returns a *ConfigError (ErrConfig) for each wrong field of config, a *backend.ArgumentError for a wrong device,
// set or option, exec.ErrCapture inside a capture, backend.ErrUnsupported for too many checkpoints for the loops of the
// device (see backend.Caps), or an error of the device.
func NewTracker(device backend.Device, set *checkpoints.Set, config Config, with ...Option) (_ *Tracker, err error) {
	const op = "new tracker"
	if err := config.Validate(); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	o, err := component.Check(device, prefix, op, with)
	if err != nil {
		return nil, err
	}
	if err := set.Check(prefix+op, device); err != nil {
		return nil, err
	}
	if err := config.checkEnvs(set.Envs); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	t := &Tracker{agents: config.agents()}
	t.set.Envs, t.set.MaxCheckpoints, t.set.DeviceColumns = set.Envs, set.MaxCheckpoints, set.DeviceColumns
	made := false
	defer func() {
		if !made {
			err = errors.Join(exec.Doing(prefix+op, err), t.Close())
		}
	}()
	if err = t.build(device, o); err != nil {
		return nil, err
	}
	made = true
	return t, nil
}

// build allocates the memory, and makes an update of paused agents at the start, which loads everything and fills the
// events.
func (t *Tracker) build(device backend.Device, o generation.Options) (err error) {
	t.events = &Events{Envs: t.set.Envs, Agents: t.agents}
	place := component.Place{Prefix: prefix, Device: device, Stream: o.Seeds.DefaultStream}
	t.events.result, t.packed, err = component.NewPacked(place, EventSchema, &t.events.DeviceEvents, t.number(), nil,
		StateSchema.Device(&t.state)...)
	if err != nil {
		return err
	}
	t.component, err = component.New(device, component.Plan{
		Prefix: prefix, Name: "progress", Envs: t.set.Envs, Kernels: progress.Defs, Stages: []exec.Stage{t.stage()},
		Owner: exec.WeakOwner(t),
	}, o)
	if err != nil {
		return err
	}
	t.bound.Make = func(position exec.Array[kernel.Vec3]) exec.Enqueue {
		return func(lc *exec.LaunchContext) {
			t.component.Recorded(lc)
			t.follow(lc, position)
		}
	}
	t.perCall.Make = func(position exec.Array[kernel.Vec3]) exec.Enqueue {
		return func(lc *exec.LaunchContext) { t.follow(lc, position) }
	}
	t.resets.Make = func(mask exec.Array[int32]) exec.Enqueue {
		return func(lc *exec.LaunchContext) { t.reset(lc, mask) }
	}
	return t.prepare()
}

// prepare makes an update of paused agents at the start.
func (t *Tracker) prepare() error {
	nowhere := make([]kernel.Vec3, t.number())
	for i := range nowhere {
		nowhere[i] = kernel.V3(kernel.NaN(), kernel.NaN(), kernel.NaN())
	}
	position, err := exec.FromSlice(t.component.Device(), nowhere)
	if err != nil {
		return err
	}
	err = t.component.Prepare(func(lc *exec.LaunchContext) {
		t.component.EnqueueRefresh(lc)
		exec.Fill(lc, t.events.Place, 1) // the update of a single agent writes neither
		exec.Fill(lc, t.events.Gap, kernel.NaN())
		t.follow(lc, position)
	})
	lc, failed := t.component.Context(context.Background(), "prepare")
	if failed == nil {
		failed = lc.Stream().Sync() // the launches read position
	}
	return errors.Join(err, failed, position.Close())
}

// number returns the number of agents in all envs.
func (t *Tracker) number() int { return t.set.Envs * t.agents }

// stage returns the stage that resets all agents of the active envs.
func (t *Tracker) stage() exec.Stage {
	return pipeline.StageFunc("progress", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		return func(lc *exec.LaunchContext) {
			progress.ResetEnvs(lc, t.set.Envs, a.Active.Array(), int32(t.number()), int32(t.agents), t.packed.Vec3,
				t.packed.Integers)
		}, a.Err
	})
}

// follow emits one update.
func (t *Tracker) follow(lc *exec.LaunchContext, position exec.Array[kernel.Vec3]) {
	if t.agents == 1 {
		progress.Follow(lc, t.number(), progress.FollowArgs{
			Agents: int32(t.number()), Room: int32(t.set.MaxCheckpoints), Position: position, Checkpoint: t.set.Position,
			Left: t.set.Left, Right: t.set.Right, Forward: t.set.Forward, UpHalf: t.set.UpHalf, Count: t.set.Count,
			Previous: t.packed.Vec3, Integers: t.packed.Integers, Floats: t.packed.Floats,
		})
		return
	}
	progress.FollowRanked(lc, t.set.Envs, progress.FollowRankedArgs{
		Agents: int32(t.number()), PerEnv: int32(t.agents), Room: int32(t.set.MaxCheckpoints), Position: position,
		Checkpoint: t.set.Position, Left: t.set.Left, Right: t.set.Right, Forward: t.set.Forward, UpHalf: t.set.UpHalf,
		Count: t.set.Count, Previous: t.packed.Vec3, Integers: t.packed.Integers, Floats: t.packed.Floats,
	})
}

// reset emits one reset of the agents of a mask.
func (t *Tracker) reset(lc *exec.LaunchContext, mask exec.Array[int32]) {
	progress.ResetAgents(lc, t.number(), int32(t.number()), int32(t.number()/mask.Len()), mask, t.packed.Vec3,
		t.packed.Integers)
}

// Events returns the events, which every update writes. The tracker owns them.
func (t *Tracker) Events() *Events {
	if t == nil {
		return nil
	}
	return t.events
}

// State returns the arrays of the state. Target is the checkpoint that each agent has to pass at present: another
// kernel that reads it after an update sees the new one.
func (t *Tracker) State() State {
	if t == nil {
		return State{}
	}
	return t.state
}

// Arrays are the arrays of a Tracker, for kernels that do its work in a launch of their own (package kernels/progress).
// Columns of one type follow each other in one array.
type Arrays struct {
	Checkpoints    checkpoints.DeviceColumns
	Envs, Agents   int // E, A
	MaxCheckpoints int
	Previous       exec.Array[kernel.Vec3] // [E*A]
	Integers       exec.Array[int32]       // [progress.Integers * E*A]
	Floats         exec.Array[float32]     // [progress.Floats * E*A]
}

// Arrays returns the arrays of the tracker.
func (t *Tracker) Arrays() Arrays {
	if t == nil {
		return Arrays{}
	}
	return Arrays{Checkpoints: t.set.DeviceColumns, Envs: t.set.Envs, Agents: t.agents,
		MaxCheckpoints: t.set.MaxCheckpoints, Previous: t.packed.Vec3, Integers: t.packed.Integers, Floats: t.packed.Floats}
}

// Bytes returns the size of the device memory that the tracker has allocated.
func (t *Tracker) Bytes() int64 {
	if t.open("bytes") != nil {
		return 0
	}
	return t.component.Bytes() + t.packed.Vec3.View().Bytes + t.packed.Integers.View().Bytes +
		t.packed.Floats.View().Bytes
}

// Close releases the tracker, its events and its state. Graphs of the caller with work of the tracker keep the memory
// that they use, and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of
// the tracker, Close returns exec.ErrConcurrentUse and releases nothing.
func (t *Tracker) Close() error {
	if t == nil {
		return nil
	}
	if err := t.component.Close(); err != nil {
		return err
	}
	return t.events.Close()
}
