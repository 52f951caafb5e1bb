package spawn

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/seeding"
	"github.com/trackgen-go/trackgen/kernels/spawn"
	"github.com/trackgen-go/trackgen/seeds"
)

// Option is an option of New.
type Option = generation.Option

// WithStream sets the stream of calls for which neither the call nor an ambient context names one (R6).
func WithStream(stream backend.Stream) Option { return generation.WithStream(stream) }

// WithWarnings passes warnings to warn instead of the default logger.
func WithWarnings(warn exec.WarnFunc) Option { return generation.WithWarnings(warn) }

// Spawner puts agents on lines. It is a producer in the sense of package exec: a spawn can run eagerly, be recorded
// into a capture of the caller, or replay a graph. Its work is one launch, and one more with seeds of its own.
//
// Only one goroutine at a time may use a Spawner; different spawners are independent.
type Spawner struct {
	component *component.Component
	config    Config
	mode      int32
	source    Source
	own       *seeds.State // of a spawner without seeds of a source; else nil
	spots     *Spots
	settings  exec.Array[float32] // see package kernels/spawn
	absent    absent

	agents  Agents // bound
	bound   component.Works[call]
	perCall component.Works[call]
}

// call is what a spawn works on.
type call struct {
	agents Agents
	mask   exec.Array[int32]
}

// absent is what the kernel is given for optional arrays that there are not, and does not touch.
type absent struct {
	widths exec.Array[float32]     // [1]
	half   exec.Array[kernel.Vec2] // [1]
	speeds exec.Array[kernel.Vec3] // [1]
}

// Close releases the memory.
func (a absent) Close() error { return errors.Join(a.widths.Close(), a.half.Close(), a.speeds.Close()) }

// New returns a spawner of config.Agents agents in each env of source. It must not be called inside a capture. The
// arrays of source stay open as long as the spawner is used, and each spawn reads what they hold then.
//
// It returns a *ConfigError (ErrConfig) for each wrong field of config, a *backend.ArgumentError for a wrong device,
// source or option, exec.ErrCapture inside a capture, backend.ErrUnsupported for too many points for the loops of the
// device (see backend.Caps), or an error of the device.
func New(device backend.Device, source Source, config Config, with ...Option) (_ *Spawner, err error) {
	const op = "new spawner"
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
	if err := config.checkRoom(source.envs()); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	s := &Spawner{config: config, mode: config.mode(), source: source}
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

// build allocates the memory and makes the component.
func (s *Spawner) build(device backend.Device, o generation.Options) (err error) {
	place := component.Place{Prefix: prefix, Device: device, Stream: o.Seeds.DefaultStream}
	if err = s.allocate(place); err != nil {
		return err
	}
	s.component, err = component.New(device, component.Plan{
		Prefix: prefix, Name: "spawn", Envs: s.source.envs(), Owner: exec.WeakOwner(s),
		Kernels: append(seeding.Defs[:len(seeding.Defs):len(seeding.Defs)], spawn.Defs...),
	}, o)
	if err != nil {
		return err
	}
	s.bound.Make = func(c call) exec.Enqueue {
		return func(lc *exec.LaunchContext) {
			s.component.Recorded(lc)
			s.emit(lc, c)
		}
	}
	s.perCall.Make = func(c call) exec.Enqueue {
		return func(lc *exec.LaunchContext) { s.emit(lc, c) }
	}
	return s.prepare()
}

// allocate allocates the spots, the settings and, unless there are some, the seeds.
func (s *Spawner) allocate(place component.Place) (err error) {
	device := place.Device
	if s.spots, err = newSpots(place, s.source.envs(), s.config.Agents); err != nil {
		return err
	}
	if s.settings, err = exec.FromSlice(device, s.config.settings()); err != nil {
		return err
	}
	if s.absent.widths, err = exec.NewArray[float32](device, 1); err != nil {
		return err
	}
	if s.absent.half, err = exec.NewArray[kernel.Vec2](device, 1); err != nil {
		return err
	}
	if s.absent.speeds, err = exec.NewArray[kernel.Vec3](device, 1); err != nil {
		return err
	}
	if s.source.hasSeeds() {
		return nil
	}
	s.own, err = seeds.New(device, s.source.envs(),
		seeds.Options{Base: int32(s.config.Seed), DefaultStream: place.Stream})
	if err == nil {
		s.source = s.source.WithSeeds(s.own)
	}
	return err
}

// prepare makes a spawn of no env, which loads everything, and fills the spots with NaN.
func (s *Spawner) prepare() (err error) {
	device, n := s.component.Device(), s.number()
	var none exec.Array[int32]
	var a Agents
	defer func() {
		err = errors.Join(err, a.Position.Close(), a.Orientation.Close(), none.Close())
	}()
	if a.Position, err = exec.NewArray[kernel.Vec3](device, n); err != nil {
		return err
	}
	if a.Orientation, err = exec.NewArray[kernel.Quat](device, n); err != nil {
		return err
	}
	if none, err = exec.NewArray[int32](device, s.source.envs()); err != nil {
		return err
	}
	err = s.component.Prepare(func(lc *exec.LaunchContext) {
		exec.Fill(lc, s.spots.packed.Floats, kernel.NaN())
		s.emit(lc, call{agents: a, mask: none})
	})
	if err != nil {
		return err
	}
	lc, err := s.component.Context(context.Background(), "prepare")
	if err != nil {
		return err
	}
	return lc.Stream().Sync() // the launches use the arrays
}

// number returns the number of agents in all envs.
func (s *Spawner) number() int { return s.source.envs() * s.config.Agents }

// emit launches a spawn.
func (s *Spawner) emit(lc *exec.LaunchContext, c call) {
	has := int32(0)
	right, left := s.absent.widths, s.absent.widths
	if s.source.hasWidths() {
		has, right, left = has|spawn.HasWidths, s.source.WidthRight, s.source.WidthLeft
	}
	half := s.absent.half
	if !c.agents.HalfExtents.IsZero() {
		has, half = has|spawn.HasHalf, c.agents.HalfExtents
	}
	velocity := s.absent.speeds
	if !c.agents.Velocity.IsZero() {
		has, velocity = has|spawn.HasVelocity, c.agents.Velocity
	}
	if s.config.Attitude == Pitched {
		has |= spawn.Pitched
	}
	if s.own != nil {
		s.own.AdvanceMasked(lc, c.mask)
	}
	spawn.Spawn(lc, s.number(), spawn.SpawnArgs{
		Agents: int32(s.config.Agents), Number: int32(s.number()),
		MaxPoints: int32(s.source.Center.Len() / s.source.envs()), Has: has, Mode: s.mode,
		Columns: int32(s.config.Grid.Columns), Settings: s.settings, Center: s.source.Center, Arclen: s.source.Arclen,
		Length: s.source.Length, Right: right, Left: left, Count: s.source.Count, Half: half, Seed: s.source.Seed,
		Epoch: s.source.Epoch, Mask: c.mask, Position: c.agents.Position, Orientation: c.agents.Orientation,
		Velocity: velocity, Spots: s.spots.packed.Floats,
	})
}

// Spots returns where the agents were put, which every spawn writes for its envs. The spawner owns them.
func (s *Spawner) Spots() *Spots {
	if s == nil {
		return nil
	}
	return s.spots
}

// Config returns the configuration of the spawner.
func (s *Spawner) Config() Config {
	if s == nil {
		return Config{}
	}
	return s.config
}

// Source returns the arrays that the spawner reads, with the seeds and the epochs by which the envs draw.
func (s *Spawner) Source() Source {
	if s == nil {
		return Source{}
	}
	return s.source
}

// Bytes returns the size of the device memory that the spawner has allocated, without the spots and the seeds.
func (s *Spawner) Bytes() int64 {
	if s.open("bytes") != nil {
		return 0
	}
	return s.component.Bytes() + s.settings.View().Bytes + s.absent.widths.View().Bytes +
		s.absent.half.View().Bytes + s.absent.speeds.View().Bytes
}

// Close releases the spawner, its spots and its seeds. Graphs of the caller with work of the spawner keep the memory
// that they use, and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of
// the spawner, Close returns exec.ErrConcurrentUse and releases nothing.
func (s *Spawner) Close() error {
	if s == nil {
		return nil
	}
	if err := s.component.Close(); errors.Is(err, exec.ErrConcurrentUse) {
		return err
	}
	err := errors.Join(s.spots.Close(), s.settings.Close(), s.absent.Close())
	if s.own != nil {
		err = errors.Join(err, s.own.Close())
	}
	return err
}
