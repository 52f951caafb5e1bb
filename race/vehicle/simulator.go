package vehicle

import (
	"context"
	"errors"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/seeding"
	"github.com/trackgen-go/trackgen/kernels/vehicle"
	"github.com/trackgen-go/trackgen/seeds"
)

// prefix stands once in each message of the package, in front of what a function of the package was doing.
const prefix = "vehicle: "

// Option is an option of New.
type Option = generation.Option

// WithStream sets the stream of calls for which neither the call nor an ambient context names one (R6).
func WithStream(stream backend.Stream) Option { return generation.WithStream(stream) }

// WithWarnings passes warnings to warn instead of the default logger.
func WithWarnings(warn exec.WarnFunc) Option { return generation.WithWarnings(warn) }

// Simulator moves a batch of vehicles. It is a producer in the sense of package exec: a step or a reset can run
// eagerly, be recorded into a capture of the caller, or replay a graph. A step is one launch.
//
// Only one goroutine at a time may use a Simulator; different simulators are independent.
type Simulator struct {
	component  *component.Component
	config     Config
	settings   vehicle.Settings
	state      *State
	parameters *Parameters
	source     Source
	own        *seeds.State // of a simulator without a source; else nil

	ranges exec.Array[float32]     // [P, 2]
	zeros  exec.Array[int32]       // [E] in the place of integers that are not given
	noLine exec.Array[kernel.Quat] // [1] in the place of an index that is not given

	inputs  Inputs // bound
	bound   component.Works[Inputs]
	perCall component.Works[Inputs]
	resets  component.Works[exec.Array[int32]]
}

// New allocates the state and the parameters of config.NumEnvs*config.Agents vehicles, which are at rest at the origin.
// It must not be called inside a capture. The arrays of source stay open as long as the simulator is used.
//
// It returns a *ConfigError (ErrConfig) for each wrong field of config, a *backend.ArgumentError for a wrong device,
// source or option, exec.ErrCapture inside a capture, or an error of the device.
func New(device backend.Device, source Source, config Config, with ...Option) (_ *Simulator, err error) {
	const op = "new"
	if err := config.Validate(); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	o, err := component.Check(device, prefix, op, with)
	if err != nil {
		return nil, err
	}
	if err := source.check(prefix+op, device, config.NumEnvs); err != nil {
		return nil, err
	}
	s := &Simulator{config: config, settings: config.settings(), source: source}
	made := false
	defer func() {
		if !made {
			err = errors.Join(exec.Doing(prefix+op, err), s.Close())
		}
	}()
	if err = s.build(device, o); err != nil {
		return nil, err
	}
	made = true
	return s, nil
}

// build allocates the memory and the component, and does its work once.
func (s *Simulator) build(device backend.Device, o generation.Options) (err error) {
	place := component.Place{Prefix: prefix, Device: device, Stream: o.Seeds.DefaultStream}
	if err = s.allocate(place); err != nil {
		return err
	}
	s.component, err = component.New(device, component.Plan{
		Prefix: prefix, Name: "vehicle", Envs: s.config.NumEnvs, Owner: exec.WeakOwner(s),
		Kernels: slices.Concat(seeding.Defs, vehicle.Defs),
	}, o)
	if err != nil {
		return err
	}
	s.bound.Make = func(in Inputs) exec.Enqueue {
		return func(lc *exec.LaunchContext) {
			s.component.Recorded(lc)
			s.step(lc, in)
		}
	}
	s.perCall.Make = func(in Inputs) exec.Enqueue {
		return func(lc *exec.LaunchContext) { s.step(lc, in) }
	}
	s.resets.Make = func(mask exec.Array[int32]) exec.Enqueue {
		return func(lc *exec.LaunchContext) { s.reset(lc, mask) }
	}
	return s.prepare()
}

// allocate allocates the memory.
func (s *Simulator) allocate(place component.Place) (err error) {
	if s.state, err = newState(place, s.config); err != nil {
		return err
	}
	if s.parameters, err = newParameters(place, s.config); err != nil {
		return err
	}
	if s.source.isNone() {
		s.own, err = seeds.New(place.Device, s.config.NumEnvs,
			seeds.Options{Base: int32(s.config.Seed), DefaultStream: place.Stream})
		if err != nil {
			return err
		}
		s.source = SourceOf(s.own)
	}
	var ends []float32
	for _, r := range s.config.parameters() {
		ends = append(ends, float32(r.Min), float32(r.Max))
	}
	if s.ranges, err = exec.FromSlice(place.Device, ends); err != nil {
		return err
	}
	if s.zeros, err = exec.NewArray[int32](place.Device, s.config.NumEnvs); err != nil {
		return err
	}
	s.noLine, err = exec.NewArray[kernel.Quat](place.Device, 1)
	return err
}

// prepare starts all vehicles at the origin, and makes a step in which all are held, which loads everything.
func (s *Simulator) prepare() error {
	actions, err := exec.NewArray[float32](s.component.Device(), s.number()*Channels(s.config.Model))
	if err != nil {
		return err
	}
	all, err := s.component.Mask("prepare", exec.Array[int32]{})
	if err == nil {
		err = s.component.Prepare(func(lc *exec.LaunchContext) {
			s.start(lc, all)
			s.step(lc, Inputs{Actions: actions, Hold: all})
		})
	}
	lc, failed := s.component.Context(context.Background(), "prepare")
	if failed == nil {
		failed = lc.Stream().Sync() // the launches read actions
	}
	return errors.Join(err, failed, actions.Close())
}

// number returns the number of vehicles in all envs.
func (s *Simulator) number() int { return s.config.NumEnvs * s.config.Agents }

// start emits a new begin of the vehicles of the envs of a mask.
func (s *Simulator) start(lc *exec.LaunchContext, mask exec.Array[int32]) {
	kept := int32(0)
	if s.config.StartVelocity {
		kept = 1
	}
	agents, number, envs := int32(s.config.Agents), int32(s.number()), int32(s.config.NumEnvs)
	low, high := float32(s.config.StartSpeed.Min), float32(s.config.StartSpeed.Max)
	place, motion, parameters := s.state.packed, s.state.packed.Floats, s.parameters.packed.Floats
	if s.config.Model == Drone {
		vehicle.StartDrones(lc, s.config.NumEnvs, vehicle.StartDronesArgs{
			Agents: agents, Number: number, Envs: envs, Kept: kept, Low: low, High: high, Mask: mask, Seed: s.source.Seed,
			Epoch: s.source.Epoch, Ranges: s.ranges, Parameters: parameters, Place: place.Vec3, Orientation: place.Quat,
			Half: place.Vec2, Motion: motion,
		})
		return
	}
	vehicle.StartCars(lc, s.config.NumEnvs, vehicle.StartCarsArgs{
		Agents: agents, Number: number, Envs: envs, Kept: kept, Low: low, High: high, Mask: mask, Seed: s.source.Seed,
		Epoch: s.source.Epoch, Ranges: s.ranges, Parameters: parameters, Place: place.Vec3, Orientation: place.Quat,
		Half: place.Vec2, Motion: motion,
	})
}

// State returns the state, which every step changes. The simulator owns it.
func (s *Simulator) State() *State {
	if s == nil {
		return nil
	}
	return s.state
}

// Parameters returns what the envs have drawn. The simulator owns them.
func (s *Simulator) Parameters() *Parameters {
	if s == nil {
		return nil
	}
	return s.parameters
}

// Seeds returns the seeds and epochs by which the envs draw. Those of a source are the caller's.
func (s *Simulator) Seeds() Source {
	if s.open("seeds") != nil {
		return Source{}
	}
	return s.source
}

// Arrays are the arrays of a Simulator, for kernels that do its work in a launch of their own: see package
// kernels/vehicle, whose constants name the columns.
type Arrays struct {
	Settings     vehicle.Settings
	Envs, Agents int // E, A

	Parameters  exec.Array[float32]     // [P, E]
	Place       exec.Array[kernel.Vec3] // [2, E*A] position and velocity
	Orientation exec.Array[kernel.Quat] // [E*A]
	Motion      exec.Array[float32]     // [columns of the model, E*A]
}

// Arrays returns the arrays of the simulator. It returns no arrays for one that is closed.
func (s *Simulator) Arrays() Arrays {
	if s.open("arrays") != nil {
		return Arrays{}
	}
	return Arrays{Settings: s.settings, Envs: s.config.NumEnvs, Agents: s.config.Agents,
		Parameters: s.parameters.packed.Floats, Place: s.state.packed.Vec3, Orientation: s.state.packed.Quat,
		Motion: s.state.packed.Floats}
}

// Config returns the configuration of the simulator.
func (s *Simulator) Config() Config {
	if s == nil {
		return Config{}
	}
	return s.config
}

// Bytes returns the size of the device memory that the simulator has allocated, without the seeds.
func (s *Simulator) Bytes() int64 {
	if s.open("bytes") != nil {
		return 0
	}
	p := s.state.packed
	return s.component.Bytes() + p.Vec2.View().Bytes + p.Vec3.View().Bytes + p.Quat.View().Bytes +
		p.Floats.View().Bytes + s.parameters.packed.Floats.View().Bytes + s.ranges.View().Bytes +
		s.zeros.View().Bytes + s.noLine.View().Bytes
}

// open refuses a simulator that New did not make, or that is closed.
func (s *Simulator) open(op string) error {
	if s == nil {
		return (*component.Component)(nil).Open(prefix, op)
	}
	return s.component.Open(prefix, op)
}

// Close releases the simulator, its state and its parameters. Graphs of the caller with work of the simulator keep the
// memory that they use, and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a
// call of the simulator, Close returns exec.ErrConcurrentUse and releases nothing.
func (s *Simulator) Close() error {
	if s == nil {
		return nil
	}
	if err := s.component.Close(); err != nil {
		return err
	}
	failed := []error{s.ranges.Close(), s.zeros.Close(), s.noLine.Close()}
	if s.state != nil {
		failed = append(failed, s.state.packed.Close())
	}
	if s.parameters != nil {
		failed = append(failed, s.parameters.packed.Close())
	}
	if s.own != nil {
		failed = append(failed, s.own.Close())
	}
	return errors.Join(failed...)
}
