// Package component is what height fields and the components of a course share: the memory and the stages of a refresh,
// the policy by which calls run, inputs that are bound, and masks.
//
// A component answers one question about every env, such as whether a car has passed its checkpoint. Its refresh
// prepares what depends on the tracks, for all envs or for those of a mask. Its hot methods answer for the present
// state of the cars. Both obey the capture contract of package exec.
package component

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/selection"
	"github.com/trackgen-go/trackgen/pipeline"
)

// Plan describes a component.
type Plan struct {
	Prefix string // of messages: "progress: "
	Name   string // in warnings and of the runner: "progress"
	Envs   int

	Kernels []*kernel.Def // of the hot methods; they are loaded at once, so that captures load none

	// Provide gives the stages their inputs, and allocates memory that the component keeps. It may be nil.
	Provide func(b *pipeline.Builder) error
	// Stages are the refresh. There may be none.
	Stages []exec.Stage

	Owner exec.Owner
}

// Component is the common part of the components. Only one goroutine at a time may use it.
type Component struct {
	plan     Plan
	device   backend.Device
	stream   backend.Stream // for calls that name no stream; nil is the device's current stream
	program  *pipeline.Program
	runner   *exec.GraphRunner
	bindings exec.Bindings
	bound    bool

	everyone  exec.Array[int32] // [E] mask of all envs
	masked    exec.Array[int32] // [1+E] list of the envs of a mask, see package selection
	anyMasked exec.Array[int32] // [1] its length
	refresh   exec.Enqueue      // of all envs
	refreshed exec.Enqueue      // of the envs of the list
	masks     Works[exec.Array[int32]]

	closed atomic.Bool
}

// Check does the checks of a constructor that need no configuration: the device, the options, and that no capture is
// going on. op is what the constructor does.
func Check(device backend.Device, prefix, op string, with []generation.Option) (generation.Options, error) {
	if err := exec.CheckDevice(prefix+op, device); err != nil {
		return generation.Options{}, err
	}
	o, err := generation.Collect(prefix, op, with)
	if err != nil {
		return o, err
	}
	if len(o.Stages) > 0 {
		return o, &backend.ArgumentError{Op: prefix + op, Argument: "options", Value: "stages", Allowed: "none"}
	}
	if err := o.RefuseOrigins(prefix + op); err != nil {
		return o, err
	}
	return o, o.CheckNotCapturing(device, strings.TrimSuffix(prefix, ": "))
}

// New allocates the memory of a component, builds its stages and loads its kernels. It refreshes nothing. If it fails,
// it releases everything.
func New(device backend.Device, plan Plan, o generation.Options) (_ *Component, err error) {
	c := &Component{plan: plan, device: device, stream: o.Seeds.DefaultStream,
		bindings: exec.Bindings{Component: plan.Name, Warn: o.Warn}}
	made := false
	defer func() {
		if !made { // also after a panic in a stage
			err = errors.Join(err, c.Close())
		}
	}()
	if err := device.Load(slices.Concat(selection.Defs, plan.Kernels)...); err != nil {
		return nil, err
	}
	builder, err := pipeline.NewBuilder(device, plan.Envs)
	if err != nil {
		return nil, err
	}
	if err = c.provide(builder); err != nil {
		return nil, errors.Join(err, builder.Close())
	}
	stages := plan.Stages
	if len(stages) == 0 {
		stages = []exec.Stage{nothing} // a program has a stage
	}
	if c.program, err = builder.Build(stages...); err != nil {
		return nil, err
	}
	if err = c.everyone.Write(context.Background(), slices.Repeat([]int32{1}, plan.Envs)); err != nil {
		return nil, err
	}
	c.refresh = c.program.Enqueue
	c.refreshed = func(lc *exec.LaunchContext) { c.program.EnqueueEnvs(lc, c.masked) }
	c.masks.Make = func(mask exec.Array[int32]) exec.Enqueue {
		return func(lc *exec.LaunchContext) { c.enqueueMasked(lc, mask) }
	}
	options := c.program.RunnerOptions(plan.Name)
	options.DefaultStream, options.Owner, options.Warn = o.Seeds.DefaultStream, plan.Owner, o.Warn
	if c.runner, err = exec.NewGraphRunner(device, options); err != nil {
		return nil, err
	}
	made = true
	return c, nil
}

// nothing is a refresh that does nothing.
var nothing = pipeline.StageFunc("nothing", exec.Static, func(exec.Builder) (exec.Enqueue, error) {
	return func(*exec.LaunchContext) {}, nil
})

// provide allocates the mask of all envs, the list of the envs of a mask, and what the plan needs.
func (c *Component) provide(b *pipeline.Builder) (err error) {
	if c.everyone, err = exec.Scratch[int32](b, c.plan.Envs); err != nil {
		return err
	}
	if c.masked, err = exec.Scratch[int32](b, c.plan.Envs+1); err != nil {
		return err
	}
	if c.anyMasked, err = c.masked.Slice(0, 1); err != nil {
		return err
	}
	if c.plan.Provide == nil {
		return nil
	}
	return c.plan.Provide(b)
}

// Device returns the device of the component.
func (c *Component) Device() backend.Device { return c.device }

// Envs returns the number of envs.
func (c *Component) Envs() int { return c.plan.Envs }

// Program returns the stages of the refresh, whose outputs pipeline.ArrayOf finds by name.
func (c *Component) Program() *pipeline.Program { return c.program }

// Bytes returns the size of the device memory that the component has allocated.
func (c *Component) Bytes() int64 { return c.program.Bytes() }

// During returns err with a note of what the component was doing.
func (c *Component) During(op string, err error) error {
	if err == nil {
		return nil
	}
	return exec.Doing(c.plan.Prefix+op, err)
}

// Open returns a *backend.ArgumentError for a component that no constructor has made, named by prefix, and a
// *backend.ClosedError for a closed one.
func (c *Component) Open(prefix, op string) error {
	if c == nil || c.runner == nil {
		return &backend.ArgumentError{Op: prefix + op, Argument: "receiver", Value: nil, Allowed: "what a constructor made"}
	}
	if c.closed.Load() {
		return &backend.ClosedError{Op: prefix + op, What: c.plan.Name}
	}
	return nil
}

// Prepare runs body once, eagerly, so that later calls load nothing. Constructors call it at their end.
func (c *Component) Prepare(body exec.Enqueue) error {
	return c.runner.Prepare(context.Background(), body)
}

// Run runs work in the mode that fits the call: into the capture of the stream that ctx resolves to, eagerly, or as a
// replay of an own graph.
func (c *Component) Run(ctx context.Context, op string, work Work) error {
	_, err := c.runner.Run(ctx, work.Body, exec.RunOptions{Key: work.Key})
	return c.During(op, err)
}

// Context returns the launch context of a call that waits for its own work, such as a download. It returns
// exec.ErrCapture inside a capture.
func (c *Component) Context(ctx context.Context, op string) (*exec.LaunchContext, error) {
	lc, err := exec.For(ctx, c.device, exec.DefaultStream(c.stream))
	if err != nil {
		return nil, c.During(op, err)
	}
	return lc, generation.RefuseCapture(lc, c.plan.Prefix, op)
}

// Refresh runs the stages for all envs.
func (c *Component) Refresh(ctx context.Context, op string) error {
	return c.Run(ctx, op, Work{Key: refreshKey{}, Body: c.refresh})
}

// refreshKey is the key of a refresh of all envs.
type refreshKey struct{}

// RefreshMasked runs the stages for the envs whose mask is not 0, and changes no byte of the other envs. mask has one
// int32 per env and is read on the device. The zero array stands for all envs.
func (c *Component) RefreshMasked(ctx context.Context, op string, mask exec.Array[int32]) error {
	if mask.IsZero() {
		return c.Refresh(ctx, op)
	}
	if _, err := c.Mask(op, mask); err != nil {
		return err
	}
	return c.Run(ctx, op, c.masks.Get(mask))
}

// Mask returns a mask of a call, or that of all envs for the zero array. It returns a *backend.ArgumentError unless
// mask has one int32 per env on the device of the component.
func (c *Component) Mask(op string, mask exec.Array[int32]) (exec.Array[int32], error) {
	if mask.IsZero() {
		return c.everyone, nil
	}
	if mask.Check(op, "mask", c.device, c.plan.Envs) == nil { // hot methods must not make the text of op
		return mask, nil
	}
	return mask, mask.Check(c.plan.Prefix+op, "mask", c.device, c.plan.Envs)
}

// EnqueueRefresh emits a refresh of all envs without any policy.
func (c *Component) EnqueueRefresh(lc *exec.LaunchContext) { c.refresh(lc) }

// EnqueueRefreshMasked emits a refresh of the envs of a mask without any policy.
func (c *Component) EnqueueRefreshMasked(lc *exec.LaunchContext, mask exec.Array[int32]) {
	if mask.IsZero() {
		c.refresh(lc)
		return
	}
	if _, err := c.Mask("enqueue refresh masked", mask); err != nil {
		lc.Fail(err)
		return
	}
	c.enqueueMasked(lc, mask)
}

func (c *Component) enqueueMasked(lc *exec.LaunchContext, mask exec.Array[int32]) {
	selection.Compact(lc, selection.Groups(c.plan.Envs), int32(c.plan.Envs), mask, c.masked)
	// The length of the list serves as the flag, because a refresh of no envs changes nothing (R23).
	exec.SkipUnless(lc, c.anyMasked, c.refreshed)
}

// EnqueueNone emits a refresh of no envs, which loads everything and changes nothing. Constructors may prepare with it.
func (c *Component) EnqueueNone(lc *exec.LaunchContext) { c.refreshed(lc) }

// EnqueueEnvs emits a refresh of the envs of a list, which has the layout of pipeline.List.
func (c *Component) EnqueueEnvs(lc *exec.LaunchContext, list exec.Array[int32]) {
	c.program.EnqueueEnvs(lc, list)
}

// Bind notes the inputs that hot methods read from now on. It warns if a capture has recorded others (R97).
func (c *Component) Bind(inputs ...exec.Input) {
	c.bound = true
	c.bindings.Bind(inputs...)
}

// Bound reports whether inputs are bound.
func (c *Component) Bound() bool { return c.bound }

// Recorded notes that a hot method which reads the bound inputs was emitted on lc. The bodies of such methods call it.
func (c *Component) Recorded(lc *exec.LaunchContext) { c.bindings.Recorded(lc) }

// CheckBound returns a *backend.ArgumentError if a call without inputs finds none bound, or if a call with inputs finds
// some bound (C-90).
func (c *Component) CheckBound(op string, wanted bool) error {
	switch {
	case wanted && !c.bound:
		return &backend.ArgumentError{Op: c.plan.Prefix + op, Argument: "inputs", Value: "none",
			Allowed: "those of Bind before, or those of the call"}
	case !wanted && c.bound:
		return &backend.ArgumentError{Op: c.plan.Prefix + op, Argument: "inputs", Value: "of the call and of Bind",
			Allowed: "one of the two"}
	}
	return nil
}

// Close releases the memory. Graphs of the caller with work of the component keep what they use (R166). Closing twice
// is a no-op. While another goroutine is in a call, Close returns exec.ErrConcurrentUse and releases nothing.
func (c *Component) Close() error {
	if c == nil || !c.closed.CompareAndSwap(false, true) {
		return nil
	}
	var failed []error
	if c.runner != nil {
		err := c.runner.Close()
		if errors.Is(err, exec.ErrConcurrentUse) {
			c.closed.Store(false)
			return c.During("close", err)
		}
		failed = append(failed, err)
	}
	return errors.Join(append(failed, c.program.Close())...)
}
