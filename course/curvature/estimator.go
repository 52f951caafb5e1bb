package curvature

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
const prefix = "curvature: "

// Option is an option of New.
type Option = generation.Option

// WithStream sets the stream of calls for which neither the call nor an ambient context names one (R6).
func WithStream(stream backend.Stream) Option { return generation.WithStream(stream) }

// WithWarnings passes warnings to warn instead of the default logger.
func WithWarnings(warn exec.WarnFunc) Option { return generation.WithWarnings(warn) }

// Estimator measures the curvature of a batch of lines, whenever it is told to. It is a producer in the sense of
// package exec: the same work can run eagerly, be recorded into a capture of the caller, or replay a graph.
//
// Only one goroutine at a time may use an Estimator; different estimators are independent.
type Estimator struct {
	refresher *component.Refresher
	curvature *Curvature
}

// New allocates and measures the curvature of the lines in source. It must not be called inside a capture. The arrays
// of source stay open as long as the estimator is used, and each refresh reads what they hold then. Options of
// generators alone are refused.
//
// It returns a *ConfigError (ErrConfig) for a wrong field of config, a *backend.ArgumentError for a wrong device,
// source or option, exec.ErrCapture inside a capture, backend.ErrUnsupported for lines with too many points for the
// loops of the device (see backend.Caps), or an error of the device.
func New(device backend.Device, source Source, config Config, with ...Option) (_ *Estimator, err error) {
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
			Allowed: "the arrays of a batch of tracks or lines, as SourceOf or SourceOfLine returns them"}
	}
	if err := source.check(prefix+op, device, envs); err != nil {
		return nil, err
	}
	m := &Estimator{refresher: &component.Refresher{Prefix: prefix}}
	made := false
	defer func() {
		if !made {
			err = errors.Join(exec.Doing(prefix+op, err), m.Close())
		}
	}()
	if err = m.build(device, source, config, o); err != nil {
		return nil, err
	}
	made = true
	return m, nil
}

// build allocates the curvature and the component.
func (m *Estimator) build(device backend.Device, source Source, config Config, o generation.Options) (err error) {
	envs := source.Count.Len()
	place := component.Place{Prefix: prefix, Device: device, Stream: o.Seeds.DefaultStream}
	if m.curvature, err = newCurvature(place, envs, source.Center.Len()/envs); err != nil {
		return err
	}
	m.refresher.Result = m.curvature
	m.refresher.Component, err = component.New(device, component.Plan{
		Prefix: prefix, Name: "curvature", Envs: envs, Owner: exec.WeakOwner(m), Stages: []exec.Stage{Stage(config)},
		Provide: func(b *pipeline.Builder) error { return m.provide(b, source) },
	}, o)
	if err != nil {
		return err
	}
	return m.refresher.Component.Prepare(m.refresher.Component.EnqueueRefresh)
}

// provide gives the stage its inputs and the memory of its outputs.
func (m *Estimator) provide(b *pipeline.Builder, source Source) error {
	failed := []error{
		pipeline.Provide(b, trackInputs.center, source.Center), pipeline.Provide(b, trackInputs.count, source.Count),
	}
	for _, c := range Schema.Device(&m.curvature.DeviceColumns) {
		failed = append(failed, c.Provide(b, 0, c.Len()))
	}
	return errors.Join(failed...)
}

// Curvature returns what every refresh fills. The estimator owns it.
func (m *Estimator) Curvature() *Curvature {
	if m == nil {
		return nil
	}
	return m.curvature
}

// of returns the refresher, or one that refuses every call.
func (m *Estimator) of() *component.Refresher {
	if m == nil || m.refresher == nil {
		return &component.Refresher{Prefix: prefix}
	}
	return m.refresher
}

// Refresh measures the lines of all envs from what the source holds now. Inside a capture of the stream that ctx
// resolves to, the work is recorded, not run. Refresh allocates nothing on an eager CPU device.
func (m *Estimator) Refresh(ctx context.Context) error { return m.of().Refresh(ctx) }

// RefreshMasked measures the lines of the envs whose mask is not 0, and changes no byte of the other envs. mask has one
// int32 per env and is read on the device, so its values may change between calls and between replays of a graph. On an
// eager CPU device, only the first call with a mask allocates. The zero array stands for all envs.
func (m *Estimator) RefreshMasked(ctx context.Context, mask exec.Array[int32]) error {
	return m.of().RefreshMasked(ctx, mask)
}

// EnqueueRefresh emits one Refresh on lc without any policy, for callers that record it as a part of their own work.
func (m *Estimator) EnqueueRefresh(lc *exec.LaunchContext) { m.of().EnqueueRefresh(lc) }

// EnqueueRefreshMasked emits one RefreshMasked on lc without any policy.
func (m *Estimator) EnqueueRefreshMasked(lc *exec.LaunchContext, mask exec.Array[int32]) {
	m.of().EnqueueRefreshMasked(lc, mask)
}

// EnqueueEnvs emits a refresh of the envs of a list, which has the layout of pipeline.List, without any policy.
func (m *Estimator) EnqueueEnvs(lc *exec.LaunchContext, list exec.Array[int32]) {
	m.of().EnqueueEnvs(lc, list)
}

// Bytes returns the size of the device memory that the estimator has allocated, without the Curvature.
func (m *Estimator) Bytes() int64 { return m.of().Bytes() }

// Close releases the estimator and its Curvature. Graphs of the caller with work of the estimator keep the memory that
// they use, and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of the
// estimator, Close returns exec.ErrConcurrentUse and releases nothing.
func (m *Estimator) Close() error { return m.of().Close() }
