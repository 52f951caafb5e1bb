package reward

import (
	"context"
	"errors"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/reward"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// Option is an option of New.
type Option = generation.Option

// WithStream sets the stream of calls for which neither the call nor an ambient context names one (R6).
func WithStream(stream backend.Stream) Option { return generation.WithStream(stream) }

// WithWarnings passes warnings to warn instead of the default logger.
func WithWarnings(warn exec.WarnFunc) Option { return generation.WithWarnings(warn) }

// Judge rewards agents and ends their episodes. It is a producer in the sense of package exec: an update or a reset can
// run eagerly, be recorded into a capture of the caller, or replay a graph. Its work is one launch.
//
// Only one goroutine at a time may use a Judge; different judges are independent.
type Judge struct {
	component *component.Component
	config    Config
	rules     reward.Rules
	source    Source
	packed    column.Packed // of the outcomes and of the state
	outcomes  *Outcomes
	settings  exec.Array[float32] // see package kernels/reward
	previous  exec.Array[float32] // [E*A*C] the last actions
	absent    absent

	inputs  Inputs // bound
	bound   component.Works[Inputs]
	perCall component.Works[Inputs]
	resets  component.Works[exec.Array[int32]]
}

// New allocates the outcomes of config.Agents agents in each env of source, whose episodes begin with the first update.
// It must not be called inside a capture. The arrays of source stay open as long as the judge is used, and each update
// reads what they hold then.
//
// It returns a *ConfigError (ErrConfig) for each wrong field of config, a *backend.ArgumentError for a wrong device,
// source or option, exec.ErrCapture inside a capture, or an error of the device.
func New(device backend.Device, source Source, config Config, with ...Option) (_ *Judge, err error) {
	const op = "new judge"
	if err := config.Validate(); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	config = config.resolved()
	o, err := component.Check(device, prefix, op, with)
	if err != nil {
		return nil, err
	}
	if err := source.check(prefix+op, device); err != nil {
		return nil, err
	}
	if err := config.checkRoom(source.Length.Len()); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	j := &Judge{config: config, rules: config.rules(), source: source}
	made := false
	defer func() {
		if !made {
			err = errors.Join(exec.Doing(prefix+op, err), j.Close())
		}
	}()
	if err = j.build(device, o); err != nil {
		return nil, err
	}
	made = true
	return j, nil
}

// build allocates the memory and makes the component.
func (j *Judge) build(device backend.Device, o generation.Options) (err error) {
	if err = j.allocate(component.Place{Prefix: prefix, Device: device, Stream: o.Seeds.DefaultStream}); err != nil {
		return err
	}
	j.component, err = component.New(device, component.Plan{
		Prefix: prefix, Name: "reward", Envs: j.envs(), Kernels: reward.Defs, Stages: []exec.Stage{j.stage()},
		Owner: exec.WeakOwner(j),
	}, o)
	if err != nil {
		return err
	}
	j.bound.Make = func(in Inputs) exec.Enqueue {
		return func(lc *exec.LaunchContext) {
			j.component.Recorded(lc)
			j.emit(lc, in)
		}
	}
	j.perCall.Make = func(in Inputs) exec.Enqueue {
		return func(lc *exec.LaunchContext) { j.emit(lc, in) }
	}
	j.resets.Make = func(mask exec.Array[int32]) exec.Enqueue {
		return func(lc *exec.LaunchContext) { j.reset(lc, mask) }
	}
	return j.prepare()
}

// allocate allocates the outcomes, the state and the settings.
func (j *Judge) allocate(place component.Place) (err error) {
	device := place.Device
	j.outcomes = &Outcomes{Envs: j.envs(), Agents: j.config.Agents}
	var state deviceState
	j.outcomes.result, j.packed, err = component.NewPacked(place, Schema, &j.outcomes.DeviceColumns, j.number(),
		func(name string) bool { return name != "done" }, stateSchema.Device(&state)...)
	if err != nil {
		return err
	}
	if j.outcomes.Done, err = exec.NewArray[int32](device, j.envs()); err != nil {
		return err
	}
	if j.settings, err = exec.FromSlice(device, j.config.settings()); err != nil {
		return err
	}
	if j.previous, err = exec.NewArray[float32](device, max(1, j.number()*j.config.Channels)); err != nil {
		return err
	}
	j.absent, err = newAbsent(device)
	return err
}

// prepare makes an update of paused agents, which loads everything and fills the outcomes.
func (j *Judge) prepare() error {
	device := j.component.Device()
	nowhere, err := exec.FromSlice(device, slices.Repeat([]float32{kernel.NaN()}, j.number()))
	if err != nil {
		return err
	}
	err = j.component.Prepare(func(lc *exec.LaunchContext) {
		j.component.EnqueueRefresh(lc)
		j.emit(lc, Inputs{S: nowhere})
		exec.Fill(lc, j.outcomes.Done, 0)
	})
	lc, failed := j.component.Context(context.Background(), "prepare")
	if failed == nil {
		failed = lc.Stream().Sync() // the launches read nowhere
	}
	return errors.Join(err, failed, nowhere.Close())
}

// envs returns the number of envs.
func (j *Judge) envs() int { return j.source.Length.Len() }

// number returns the number of agents in all envs.
func (j *Judge) number() int { return j.envs() * j.config.Agents }

// stage returns the stage that resets all agents of the active envs.
func (j *Judge) stage() exec.Stage {
	return pipeline.StageFunc("reward", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		return func(lc *exec.LaunchContext) {
			reward.ResetEnvs(lc, j.envs(), a.Active.Array(), int32(j.number()), int32(j.config.Agents), j.packed.Integers)
		}, a.Err
	})
}

// emit launches an update.
func (j *Judge) emit(lc *exec.LaunchContext, in Inputs) {
	has, r := in.has(), j.rules
	in = j.absent.complete(in)
	if j.config.Agents == 1 {
		reward.UpdateAll(lc, j.number(), reward.UpdateAllArgs{
			Number: int32(j.number()), Channels: int32(j.config.Channels), Has: has,
			OffRoad: r.OffRoad, WrongWay: r.WrongWay, Stuck: r.Stuck, Laps: r.Laps, Steps: r.Steps, Bits: r.Bits,
			S: in.S, N: in.N, Length: j.source.Length, Checkpoint: in.CheckpointPassed, OutOfBounds: in.OutOfBounds,
			Distance: in.Distance, Hit: in.Hit, Obstacle: in.Obstacle, Velocity: in.Velocity, Action: in.Action,
			Previous: j.previous, Settings: j.settings, Integers: j.packed.Integers, Floats: j.packed.Floats,
			Done: j.outcomes.Done,
		})
		return
	}
	reward.UpdateEnv(lc, j.envs(), reward.UpdateEnvArgs{
		Number: int32(j.number()), PerEnv: int32(j.config.Agents), Channels: int32(j.config.Channels), Has: has,
		OffRoad: r.OffRoad, WrongWay: r.WrongWay, Stuck: r.Stuck, Laps: r.Laps, Steps: r.Steps, Bits: r.Bits,
		S: in.S, N: in.N, Length: j.source.Length, Checkpoint: in.CheckpointPassed, OutOfBounds: in.OutOfBounds,
		Distance: in.Distance, Hit: in.Hit, Obstacle: in.Obstacle, Velocity: in.Velocity, Action: in.Action,
		Previous: j.previous, Settings: j.settings, Integers: j.packed.Integers, Floats: j.packed.Floats,
		Done: j.outcomes.Done,
	})
}

// reset launches a reset of the agents of a mask.
func (j *Judge) reset(lc *exec.LaunchContext, mask exec.Array[int32]) {
	reward.ResetAgents(lc, j.number(), int32(j.number()), int32(j.number()/mask.Len()), mask, j.packed.Integers)
}

// Outcomes returns the outcomes, which every update writes. The judge owns them.
func (j *Judge) Outcomes() *Outcomes {
	if j == nil {
		return nil
	}
	return j.outcomes
}

// Config returns the configuration of the judge, with the weights of the last SetWeights.
func (j *Judge) Config() Config {
	if j == nil {
		return Config{}
	}
	return j.config
}

// Arrays are the arrays of a Judge, for kernels that do its work in a launch of their own (package kernels/reward).
// Columns of one type follow each other in one array.
type Arrays struct {
	Envs, Agents, Channels int // E, A, C

	Length   exec.Array[float32] // [E]
	Settings exec.Array[float32] // [reward.Settings]
	Previous exec.Array[float32] // [E*A*C]
	Integers exec.Array[int32]   // [reward.Integers * E*A]
	Floats   exec.Array[float32] // [reward.Floats * E*A]
	Done     exec.Array[int32]   // [E]
	Rules    reward.Rules
}

// Arrays returns the arrays of the judge.
func (j *Judge) Arrays() Arrays {
	if j == nil || j.outcomes == nil {
		return Arrays{}
	}
	return Arrays{Envs: j.envs(), Agents: j.config.Agents, Channels: j.config.Channels, Length: j.source.Length,
		Settings: j.settings, Previous: j.previous, Integers: j.packed.Integers, Floats: j.packed.Floats,
		Done: j.outcomes.Done, Rules: j.rules}
}

// Bytes returns the size of the device memory that the judge has allocated.
func (j *Judge) Bytes() int64 {
	if j.open("bytes") != nil {
		return 0
	}
	return j.component.Bytes() + j.packed.Integers.View().Bytes + j.packed.Floats.View().Bytes +
		j.outcomes.Done.View().Bytes + j.settings.View().Bytes + j.previous.View().Bytes +
		j.absent.floats.View().Bytes + j.absent.integers.View().Bytes + j.absent.vectors.View().Bytes
}

// Close releases the judge, its outcomes and its state. Graphs of the caller with work of the judge keep the memory
// that they use, and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of
// the judge, Close returns exec.ErrConcurrentUse and releases nothing.
func (j *Judge) Close() error {
	if j == nil {
		return nil
	}
	if err := j.component.Close(); errors.Is(err, exec.ErrConcurrentUse) {
		return err
	}
	return errors.Join(j.outcomes.Close(), j.settings.Close(), j.previous.Close(), j.absent.Close())
}
