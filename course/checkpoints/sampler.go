package checkpoints

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/internal/resample"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/resampling"
	"github.com/trackgen-go/trackgen/pipeline"
)

// Option is an option of NewSampler.
type Option = generation.Option

// WithStream sets the stream of calls for which neither the call nor an ambient context names one (R6).
func WithStream(stream backend.Stream) Option { return generation.WithStream(stream) }

// WithWarnings passes warnings to warn instead of the default logger.
func WithWarnings(warn exec.WarnFunc) Option { return generation.WithWarnings(warn) }

// Sampler places checkpoints on a batch of tracks, whenever it is told to. It is a producer in the sense of package
// exec: the same work can run eagerly, be recorded into a capture of the caller, or replay a graph.
//
// Only one goroutine at a time may use a Sampler; different samplers are independent.
type Sampler struct {
	component *component.Component
	config    Config
	set       *Set
	truncated exec.Array[int32]
	step      exec.Array[float32]
}

// NewSampler allocates the checkpoints of the tracks in source, and places them. It must not be called inside a
// capture. The arrays of source stay open as long as the sampler is used, and each refresh reads what they hold then.
//
// If config says no MaxCheckpoints, NewSampler measures the tracks and reads their lengths. The room never changes
// later.
//
// It returns a *ConfigError (ErrConfig) for each wrong field of config, and for a room that no valid track says; a
// *backend.ArgumentError for a wrong device, source or option, exec.ErrCapture inside a capture, or an error of the
// device.
func NewSampler(device backend.Device, source Source, config Config, with ...Option) (_ *Sampler, err error) {
	const op = "new sampler"
	if err := config.Validate(); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	o, err := component.Check(device, prefix, op, with)
	if err != nil {
		return nil, err
	}
	envs := source.Count.Len()
	if err := source.check(prefix+op, device, envs); err != nil {
		return nil, err
	}
	if config.MaxCheckpoints == 0 {
		config.MaxCheckpoints, err = resample.Room(device, o.Seeds.DefaultStream, source.line(), source.Valid, config.Spacing,
			roomField)
		if err != nil {
			return nil, exec.Doing(prefix+op, err)
		}
	}
	s := &Sampler{config: config}
	made := false
	defer func() {
		if !made {
			err = errors.Join(exec.Doing(prefix+op, err), s.Close())
		}
	}()
	s.component, err = component.New(device, component.Plan{
		Prefix: prefix, Name: "checkpoints", Envs: envs, Kernels: resampling.Defs, Provide: source.provide,
		Stages: []exec.Stage{Stage(config)}, Owner: exec.WeakOwner(s),
	}, o)
	if err != nil {
		return nil, err
	}
	if err = s.outputs(); err != nil {
		return nil, err
	}
	if err = s.component.Prepare(s.component.EnqueueRefresh); err != nil {
		return nil, err
	}
	made = true
	return s, nil
}

// provide gives the stage the arrays of the tracks.
func (s Source) provide(b *pipeline.Builder) error {
	return errors.Join(
		pipeline.Provide(b, outerInput, s.Outer), pipeline.Provide(b, centerInput, s.Center),
		pipeline.Provide(b, innerInput, s.Inner), pipeline.Provide(b, countInput, s.Count),
		pipeline.Provide(b, validInput, s.Valid))
}

// outputs finds the arrays that the stage writes.
func (s *Sampler) outputs() error {
	program := s.component.Program()
	s.set = &Set{Envs: s.component.Envs(), MaxCheckpoints: s.config.MaxCheckpoints,
		stream: s.component.Place().Stream}
	var failed [8]error
	s.set.Position, failed[0] = pipeline.ArrayOf[kernel.Vec3](program, PositionOutput)
	s.set.Left, failed[1] = pipeline.ArrayOf[kernel.Vec3](program, LeftOutput)
	s.set.Right, failed[2] = pipeline.ArrayOf[kernel.Vec3](program, RightOutput)
	s.set.Forward, failed[3] = pipeline.ArrayOf[kernel.Vec3](program, ForwardOutput)
	s.set.UpHalf, failed[4] = pipeline.ArrayOf[float32](program, UpHalfOutput)
	s.set.Count, failed[5] = pipeline.ArrayOf[int32](program, CountOutput)
	s.truncated, failed[6] = pipeline.ArrayOf[int32](program, TruncatedOutput)
	s.step, failed[7] = pipeline.ArrayOf[float32](program, StepOutput)
	return errors.Join(failed[:]...)
}

// Config returns the configuration, with the room that NewSampler has derived.
func (s *Sampler) Config() Config {
	if s == nil {
		return Config{}
	}
	return s.config
}

// Set returns the checkpoints, which every refresh places again. The sampler owns them.
func (s *Sampler) Set() *Set {
	if s == nil {
		return nil
	}
	return s.set
}

// Truncated returns the array [E] that is 1 for an env that needs more checkpoints than there is room for, else 0.
func (s *Sampler) Truncated() exec.Array[int32] {
	if s == nil {
		return exec.Array[int32]{}
	}
	return s.truncated
}

// Step returns the array [E] of the distances of successive checkpoints along the centreline, in track units: the
// length of the track over the number of its checkpoints, NaN for a track of fewer than 3 points.
func (s *Sampler) Step() exec.Array[float32] {
	if s == nil {
		return exec.Array[float32]{}
	}
	return s.step
}

// open returns a *backend.ArgumentError for a Sampler that NewSampler did not make, and a *backend.ClosedError for a
// closed one.
func (s *Sampler) open(op string) error {
	if s == nil {
		return (*component.Component)(nil).Open(prefix, op)
	}
	return s.component.Open(prefix, op)
}

// Refresh places the checkpoints of all envs and returns the Set of the sampler. Inside a capture of the stream that
// ctx resolves to, the work is recorded, not run. Refresh allocates nothing on an eager CPU device.
func (s *Sampler) Refresh(ctx context.Context) (*Set, error) {
	const op = "refresh"
	if err := s.open(op); err != nil {
		return nil, err
	}
	if err := s.component.Refresh(ctx, op); err != nil {
		return nil, err
	}
	return s.set, nil
}

// RefreshMasked places the checkpoints of the envs whose mask is not 0, and changes no byte of the other envs. mask has
// one int32 per env and is read on the device, so its values may change between calls and between replays of a graph.
// The zero array stands for all envs. On an eager CPU device, only the first call with a mask allocates.
func (s *Sampler) RefreshMasked(ctx context.Context, mask exec.Array[int32]) (*Set, error) {
	const op = "refresh masked"
	if err := s.open(op); err != nil {
		return nil, err
	}
	if err := s.component.RefreshMasked(ctx, op, mask); err != nil {
		return nil, err
	}
	return s.set, nil
}

// EnqueueRefresh emits one Refresh on lc without any policy, for callers that record it as a part of their own work.
func (s *Sampler) EnqueueRefresh(lc *exec.LaunchContext) {
	if err := s.open("enqueue refresh"); err != nil {
		lc.Fail(err)
		return
	}
	s.component.EnqueueRefresh(lc)
}

// EnqueueRefreshMasked emits one RefreshMasked on lc without any policy.
func (s *Sampler) EnqueueRefreshMasked(lc *exec.LaunchContext, mask exec.Array[int32]) {
	const op = "enqueue refresh masked"
	if err := s.open(op); err != nil {
		lc.Fail(err)
		return
	}
	s.component.EnqueueRefreshMasked(lc, mask)
}

// EnqueueEnvs emits one refresh of the envs of a list, which has the layout of pipeline.List, without any policy.
func (s *Sampler) EnqueueEnvs(lc *exec.LaunchContext, list exec.Array[int32]) {
	if err := s.open("enqueue envs"); err != nil {
		lc.Fail(err)
		return
	}
	s.component.EnqueueEnvs(lc, list)
}

// Bytes returns the size of the device memory that the sampler has allocated.
func (s *Sampler) Bytes() int64 {
	if s.open("bytes") != nil {
		return 0
	}
	return s.component.Bytes()
}

// Close releases the sampler and its Set. Graphs of the caller with work of the sampler keep the memory that they use,
// and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of the sampler,
// Close returns exec.ErrConcurrentUse and releases nothing.
func (s *Sampler) Close() error {
	if s == nil {
		return nil
	}
	return s.component.Close()
}
