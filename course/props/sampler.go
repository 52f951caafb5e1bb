package props

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

// Sampler places props along a batch of tracks, whenever it is told to. It is a producer in the sense of package exec:
// the same work can run eagerly, be recorded into a capture of the caller, or replay a graph.
//
// Only one goroutine at a time may use a Sampler; different samplers are independent.
type Sampler struct {
	component *component.Component
	config    Config
	props     *Props
}

// NewSampler allocates the props of the tracks in source, and places them. It must not be called inside a capture. The
// arrays of source stay open as long as the sampler is used, and each refresh reads what they hold then.
//
// If config says no MaxProps, NewSampler measures the tracks and reads their lengths. The room never changes later.
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
	if err := source.check(prefix+op, device, envs, config.Boundary); err != nil {
		return nil, err
	}
	if config.MaxProps == 0 {
		config.MaxProps, err = resample.Room(device, o.Seeds.DefaultStream, source.along(config.Boundary), source.Valid,
			config.Spacing, roomField)
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
		Prefix: prefix, Name: "props", Envs: envs, Kernels: resampling.Defs, Provide: config.provide(source),
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
func (c Config) provide(s Source) func(b *pipeline.Builder) error {
	return func(b *pipeline.Builder) error {
		return errors.Join(pipeline.Provide(b, c.Boundary, s.along(c.Boundary).Point),
			pipeline.Provide(b, countInput, s.Count), pipeline.Provide(b, validInput, s.Valid))
	}
}

// outputs finds the arrays that the stage writes.
func (s *Sampler) outputs() error {
	program := s.component.Program()
	s.props = &Props{Envs: s.component.Envs(), MaxProps: s.config.MaxProps, place: s.component.Place()}
	var failed [7]error
	s.props.Position, failed[0] = pipeline.ArrayOf[kernel.Vec3](program, PositionOutput)
	s.props.Tangent, failed[1] = pipeline.ArrayOf[kernel.Vec2](program, TangentOutput)
	s.props.Yaw, failed[2] = pipeline.ArrayOf[float32](program, YawOutput)
	s.props.Length, failed[3] = pipeline.ArrayOf[float32](program, LengthOutput)
	s.props.Count, failed[4] = pipeline.ArrayOf[int32](program, CountOutput)
	s.props.Truncated, failed[5] = pipeline.ArrayOf[int32](program, TruncatedOutput)
	s.props.Step, failed[6] = pipeline.ArrayOf[float32](program, StepOutput)
	return errors.Join(failed[:]...)
}

// Config returns the configuration, with the room that NewSampler has derived.
func (s *Sampler) Config() Config {
	if s == nil {
		return Config{}
	}
	return s.config
}

// Props returns the props, which every refresh places again. The sampler owns them.
func (s *Sampler) Props() *Props {
	if s == nil {
		return nil
	}
	return s.props
}

// open returns a *backend.ArgumentError for a Sampler that NewSampler did not make, and a *backend.ClosedError for a
// closed one.
func (s *Sampler) open(op string) error {
	if s == nil {
		return (*component.Component)(nil).Open(prefix, op)
	}
	return s.component.Open(prefix, op)
}

// Refresh places the props of all envs and returns the Props of the sampler. Inside a capture of the stream that
// ctx resolves to, the work is recorded, not run. Refresh allocates nothing on an eager CPU device.
func (s *Sampler) Refresh(ctx context.Context) (*Props, error) {
	const op = "refresh"
	if err := s.open(op); err != nil {
		return nil, err
	}
	if err := s.component.Refresh(ctx, op); err != nil {
		return nil, err
	}
	return s.props, nil
}

// RefreshMasked places the props of the envs whose mask is not 0, and changes no byte of the other envs. mask has one
// int32 per env and is read on the device, so its values may change between calls and between replays of a graph. The
// zero array stands for all envs. On an eager CPU device, only the first call with a mask allocates.
func (s *Sampler) RefreshMasked(ctx context.Context, mask exec.Array[int32]) (*Props, error) {
	const op = "refresh masked"
	if err := s.open(op); err != nil {
		return nil, err
	}
	if err := s.component.RefreshMasked(ctx, op, mask); err != nil {
		return nil, err
	}
	return s.props, nil
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

// Close releases the sampler and its Props. Graphs of the caller with work of the sampler keep the memory that they
// use, and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of the sampler,
// Close returns exec.ErrConcurrentUse and releases nothing.
func (s *Sampler) Close() error {
	if s == nil {
		return nil
	}
	return s.component.Close()
}
