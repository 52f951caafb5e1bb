package line

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/pipeline"
)

// prefix stands once in each message of the package, in front of what a function of the package was doing.
const prefix = "line: "

// Option is an option of New.
type Option = generation.Option

// WithStream sets the stream of calls for which neither the call nor an ambient context names one (R6).
func WithStream(stream backend.Stream) Option { return generation.WithStream(stream) }

// WithWarnings passes warnings to warn instead of the default logger.
func WithWarnings(warn exec.WarnFunc) Option { return generation.WithWarnings(warn) }

// Sampler draws the lines of a batch of gate courses, whenever it is told to. It is a producer in the sense of package
// exec: the same work can run eagerly, be recorded into a capture of the caller, or replay a graph.
//
// Only one goroutine at a time may use a Sampler; different samplers are independent.
type Sampler struct {
	refresher *component.Refresher
	line      *Line
}

// New allocates and draws the lines of the courses in source. It must not be called inside a capture. The arrays of
// source stay open as long as the sampler is used, and each refresh reads what they hold then. Options of generators
// alone are refused.
//
// It returns a *ConfigError (ErrConfig) for a wrong field of config, a *backend.ArgumentError for a wrong device,
// source or option, exec.ErrCapture inside a capture, backend.ErrUnsupported for lines with too many points for the
// loops of the device (see backend.Caps), or an error of the device.
func New(device backend.Device, source Source, config Config, with ...Option) (_ *Sampler, err error) {
	const op = "new"
	if err := config.Validate(); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	o, err := component.Check(device, prefix, op, with)
	if err != nil {
		return nil, err
	}
	envs := source.Count.Len()
	if envs == 0 {
		return nil, &backend.ArgumentError{Op: prefix + op, Argument: "source", Value: "without arrays",
			Allowed: "the arrays of a batch of gate courses, as SourceOf returns them"}
	}
	err = errors.Join(source.check(prefix+op, device, envs), config.checkPoints(source.Position.Len()))
	if err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	s := &Sampler{refresher: &component.Refresher{Prefix: prefix}}
	made := false
	defer func() {
		if !made {
			err = errors.Join(exec.Doing(prefix+op, err), s.Close())
		}
	}()
	if err = s.build(device, source, config, o); err != nil {
		return nil, err
	}
	made = true
	return s, nil
}

// build allocates the lines and the component.
func (s *Sampler) build(device backend.Device, source Source, config Config, o generation.Options) (err error) {
	envs := source.Count.Len()
	place := component.Place{Prefix: prefix, Device: device, Stream: o.Seeds.DefaultStream}
	if s.line, err = newLine(place, envs, source.Position.Len()/envs*config.SamplesPerGate); err != nil {
		return err
	}
	s.refresher.Result = s.line
	s.refresher.Component, err = component.New(device, component.Plan{
		Prefix: prefix, Name: "line", Envs: envs, Owner: exec.WeakOwner(s), Stages: []exec.Stage{Stage(config)},
		Provide: func(b *pipeline.Builder) error { return s.provide(b, source) },
	}, o)
	if err != nil {
		return err
	}
	return s.refresher.Component.Prepare(s.refresher.Component.EnqueueRefresh)
}

// provide gives the stage its inputs and the memory of its outputs.
func (s *Sampler) provide(b *pipeline.Builder, source Source) error {
	failed := []error{
		pipeline.Provide(b, positionInput, source.Position), pipeline.Provide(b, countInput, source.Count),
		pipeline.Provide(b, validInput, source.Valid),
	}
	for _, c := range Schema.Device(&s.line.DeviceColumns) {
		failed = append(failed, c.Provide(b, 0, c.Len()))
	}
	return errors.Join(failed...)
}

// Line returns the lines that every refresh fills. The sampler owns them.
func (s *Sampler) Line() *Line {
	if s == nil {
		return nil
	}
	return s.line
}

// of returns the refresher, or one that refuses every call.
func (s *Sampler) of() *component.Refresher {
	if s == nil || s.refresher == nil {
		return &component.Refresher{Prefix: prefix}
	}
	return s.refresher
}

// Refresh draws the lines of all envs from what the source holds now. Inside a capture of the stream that ctx resolves
// to, the work is recorded, not run. Refresh allocates nothing on an eager CPU device.
func (s *Sampler) Refresh(ctx context.Context) error { return s.of().Refresh(ctx) }

// RefreshMasked draws the lines of the envs whose mask is not 0, and changes no byte of the other envs. mask has one
// int32 per env and is read on the device, so its values may change between calls and between replays of a graph. On an
// eager CPU device, only the first call with a mask allocates. The zero array stands for all envs.
func (s *Sampler) RefreshMasked(ctx context.Context, mask exec.Array[int32]) error {
	return s.of().RefreshMasked(ctx, mask)
}

// EnqueueRefresh emits one Refresh on lc without any policy, for callers that record it as a part of their own work.
func (s *Sampler) EnqueueRefresh(lc *exec.LaunchContext) { s.of().EnqueueRefresh(lc) }

// EnqueueRefreshMasked emits one RefreshMasked on lc without any policy.
func (s *Sampler) EnqueueRefreshMasked(lc *exec.LaunchContext, mask exec.Array[int32]) {
	s.of().EnqueueRefreshMasked(lc, mask)
}

// EnqueueEnvs emits a refresh of the envs of a list, which has the layout of pipeline.List, without any policy.
func (s *Sampler) EnqueueEnvs(lc *exec.LaunchContext, list exec.Array[int32]) {
	s.of().EnqueueEnvs(lc, list)
}

// Bytes returns the size of the device memory that the sampler has allocated, without the Line.
func (s *Sampler) Bytes() int64 { return s.of().Bytes() }

// Close releases the sampler and its Line. Graphs of the caller with work of the sampler keep the memory that they use,
// and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of the sampler,
// Close returns exec.ErrConcurrentUse and releases nothing.
func (s *Sampler) Close() error { return s.of().Close() }
