package difficulty

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernels/difficulty"
)

// prefix stands once in each message of the package, in front of what a function of the package was doing.
const prefix = "difficulty: "

// Option is an option of New.
type Option = generation.Option

// WithStream sets the stream of calls for which neither the call nor an ambient context names one (R6).
func WithStream(stream backend.Stream) Option { return generation.WithStream(stream) }

// WithWarnings passes warnings to warn instead of the default logger.
func WithWarnings(warn exec.WarnFunc) Option { return generation.WithWarnings(warn) }

// Assessor labels a batch of tracks, whenever it is told to. It is a producer in the sense of
// package exec: the same work can run eagerly, be recorded into a capture of the caller, or replay a graph.
//
// Only one goroutine at a time may use an Assessor; different assessors are independent.
type Assessor struct {
	refresher *component.Refresher
	labels    *Labels
}

// New allocates and labels the tracks of source. It must not be called inside a capture. The arrays
// of source stay open as long as the assessor is used, and each refresh reads what they hold then. Options of
// generators alone are refused.
//
// It returns a *ConfigError (ErrConfig) for a wrong field of config, a *backend.ArgumentError for a wrong device,
// source or option, exec.ErrCapture inside a capture, backend.ErrUnsupported for lines with too many points for the
// loops of the device (see backend.Caps), or an error of the device.
func New(device backend.Device, source Source, config Config, with ...Option) (_ *Assessor, err error) {
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
			Allowed: "the arrays of a batch of tracks and of their racing lines, as SourceOf returns them"}
	}
	if err = source.check(prefix+op, device, envs); err != nil {
		return nil, err
	}
	m := &Assessor{refresher: &component.Refresher{Prefix: prefix}}
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

// build allocates the labels and the component.
func (m *Assessor) build(device backend.Device, source Source, config Config, o generation.Options) (err error) {
	envs := source.Count.Len()
	place := component.Place{Prefix: prefix, Device: device, Stream: o.Seeds.DefaultStream}
	if m.labels, err = newLabels(place, envs); err != nil {
		return err
	}
	m.refresher.Result = m.labels
	m.refresher.Component, err = component.New(device, component.Plan{
		Prefix: prefix, Name: "difficulty", Envs: envs, Owner: exec.WeakOwner(m), Kernels: difficulty.Defs,
		Stages: []exec.Stage{stage(config, source, m.labels)},
	}, o)
	if err != nil {
		return err
	}
	return m.refresher.Component.Prepare(m.refresher.Component.EnqueueRefresh)
}

// Labels returns the labels that every refresh fills. The assessor owns them.
func (m *Assessor) Labels() *Labels {
	if m == nil {
		return nil
	}
	return m.labels
}

// of returns the refresher, or one that refuses every call.
func (m *Assessor) of() *component.Refresher {
	if m == nil || m.refresher == nil {
		return &component.Refresher{Prefix: prefix}
	}
	return m.refresher
}

// Refresh labels all envs from what the source holds now. Inside a capture of the stream that ctx resolves
// to, the work is recorded, not run. Refresh allocates nothing on an eager CPU device.
func (m *Assessor) Refresh(ctx context.Context) error { return m.of().Refresh(ctx) }

// RefreshMasked labels the envs whose mask is not 0, and changes no byte of the other envs. mask has one
// int32 per env and is read on the device, so its values may change between calls and between replays of a graph. On an
// eager CPU device, only the first call with a mask allocates. The zero array stands for all envs.
func (m *Assessor) RefreshMasked(ctx context.Context, mask exec.Array[int32]) error {
	return m.of().RefreshMasked(ctx, mask)
}

// EnqueueRefresh emits one Refresh on lc without any policy, for callers that record it as a part of their own work.
func (m *Assessor) EnqueueRefresh(lc *exec.LaunchContext) { m.of().EnqueueRefresh(lc) }

// EnqueueRefreshMasked emits one RefreshMasked on lc without any policy.
func (m *Assessor) EnqueueRefreshMasked(lc *exec.LaunchContext, mask exec.Array[int32]) {
	m.of().EnqueueRefreshMasked(lc, mask)
}

// EnqueueEnvs emits a refresh of the envs of a list, which has the layout of pipeline.List, without any policy.
func (m *Assessor) EnqueueEnvs(lc *exec.LaunchContext, list exec.Array[int32]) {
	m.of().EnqueueEnvs(lc, list)
}

// Bytes returns the size of the device memory that the assessor has allocated, without the Labels.
func (m *Assessor) Bytes() int64 { return m.of().Bytes() }

// Close releases the assessor and its Labels. Graphs of the caller with work of the assessor keep the memory that they
// use, and can still be replayed (R166). Closing twice is a no-op. While another goroutine is in a call of the
// assessor, Close returns exec.ErrConcurrentUse and releases nothing.
func (m *Assessor) Close() error { return m.of().Close() }
