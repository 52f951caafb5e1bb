// Package observing is what the components share that read where agents are and fill an array: observations, or the
// actions of a driver. It has their hot methods, for arrays that are bound or that a call names, and the refresh of
// what they note of tracks.
package observing

import (
	"context"
	"io"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
)

// Plan describes an observer. I is the struct of its inputs: the arrays that an update reads.
type Plan[I comparable] struct {
	Prefix string // of messages: "preview: "

	// Check returns a *backend.ArgumentError, which names the array, unless each array fits on a device.
	Check func(op string, device backend.Device, inputs I) error
	// Named names the arrays for warnings about a later Bind (R97).
	Named func(inputs I) []exec.Input
	// Emit launches an update.
	Emit func(lc *exec.LaunchContext, inputs I)
	// Result is what updates fill. The observer closes it.
	Result io.Closer
}

// Observer is a component that observes. The zero Observer refuses every call. Only one goroutine at a time may use it.
type Observer[I comparable] struct {
	component.Refresher
	plan Plan[I]

	inputs  I // bound
	bound   component.Works[I]
	perCall component.Works[I]
	resets  component.Works[exec.Array[int32]]
}

// None returns an observer that refuses every call, in the place of one that no constructor has made.
func None[I comparable](prefix string) *Observer[I] {
	return &Observer[I]{Refresher: component.Refresher{Prefix: prefix}}
}

// New returns the observer with a plan, and a component that it closes.
func New[I comparable](c *component.Component, plan Plan[I]) *Observer[I] {
	o := &Observer[I]{plan: plan,
		Refresher: component.Refresher{Prefix: plan.Prefix, Component: c, Result: plan.Result}}
	o.bound.Make = func(inputs I) exec.Enqueue {
		return func(lc *exec.LaunchContext) {
			c.Recorded(lc)
			plan.Emit(lc, inputs)
		}
	}
	o.perCall.Make = func(inputs I) exec.Enqueue {
		return func(lc *exec.LaunchContext) { plan.Emit(lc, inputs) }
	}
	return o
}

// Resets sets what a reset of the envs of a mask launches.
func (o *Observer[I]) Resets(emit func(lc *exec.LaunchContext, mask exec.Array[int32])) {
	o.resets.Make = func(mask exec.Array[int32]) exec.Enqueue {
		return func(lc *exec.LaunchContext) { emit(lc, mask) }
	}
}

// check refuses inputs of another length or device. Hot methods must not make the text of op, which takes memory,
// unless there is an error.
func (o *Observer[I]) check(op string, inputs I) error {
	if o.plan.Check(op, o.Component.Device(), inputs) == nil {
		return nil
	}
	return o.plan.Check(o.Prefix+op, o.Component.Device(), inputs)
}

// Bind checks inputs, and makes them those of later updates.
func (o *Observer[I]) Bind(inputs I) error {
	const op = "bind"
	if err := o.Open(op); err != nil {
		return err
	}
	if err := o.check(op, inputs); err != nil {
		return err
	}
	o.inputs = inputs
	o.Component.Bind(o.plan.Named(inputs)...)
	return nil
}

// Update runs an update with the bound inputs.
func (o *Observer[I]) Update(ctx context.Context) error {
	const op = "update"
	if err := o.Open(op); err != nil {
		return err
	}
	if err := o.Component.CheckBound(op, true); err != nil {
		return err
	}
	return o.Component.Run(ctx, op, o.bound.Get(o.inputs))
}

// UpdateAt runs an update with the inputs of the call.
func (o *Observer[I]) UpdateAt(ctx context.Context, inputs I) error {
	const op = "update at"
	if err := o.ready(op, inputs); err != nil {
		return err
	}
	return o.Component.Run(ctx, op, o.perCall.Get(inputs))
}

// ready refuses a call with inputs that must not be.
func (o *Observer[I]) ready(op string, inputs I) error {
	if err := o.Open(op); err != nil {
		return err
	}
	if err := o.Component.CheckBound(op, false); err != nil {
		return err
	}
	return o.check(op, inputs)
}

// EnqueueUpdate emits an update with the bound inputs without any policy.
func (o *Observer[I]) EnqueueUpdate(lc *exec.LaunchContext) {
	const op = "enqueue update"
	err := o.Open(op)
	if err == nil {
		err = o.Component.CheckBound(op, true)
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	o.Component.Recorded(lc)
	o.plan.Emit(lc, o.inputs)
}

// EnqueueUpdateAt emits an update with the inputs of the call without any policy.
func (o *Observer[I]) EnqueueUpdateAt(lc *exec.LaunchContext, inputs I) {
	if err := o.ready("enqueue update at", inputs); err != nil {
		lc.Fail(err)
		return
	}
	o.plan.Emit(lc, inputs)
}

// Reset runs a reset of the envs of a mask, of all for the zero array.
func (o *Observer[I]) Reset(ctx context.Context, mask exec.Array[int32]) error {
	const op = "reset"
	if err := o.Open(op); err != nil {
		return err
	}
	mask, err := o.Component.Mask(op, mask)
	if err != nil {
		return err
	}
	return o.Component.Run(ctx, op, o.resets.Get(mask))
}

// EnqueueReset emits a reset of the envs of a mask without any policy.
func (o *Observer[I]) EnqueueReset(lc *exec.LaunchContext, mask exec.Array[int32]) {
	const op = "enqueue reset"
	err := o.Open(op)
	if err == nil {
		mask, err = o.Component.Mask(op, mask)
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	o.resets.Get(mask).Body(lc)
}
