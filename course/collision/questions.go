package collision

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
)

// asked is what a checker is asked about, such as boxes: arrays of one element for each.
type asked interface {
	comparable

	// Check returns a *backend.ArgumentError, which names the array, unless each array has n elements on a device.
	Check(op string, device backend.Device, n int) error
	// inputs names the arrays for warnings about a later Bind (R97).
	inputs() []exec.Input
}

// questions are the hot methods of a checker, about what is bound, or about what a call names (C-90).
type questions[A asked] struct {
	*component.Component
	number int // of boxes, or agents, in all envs
	emit   func(lc *exec.LaunchContext, about A)

	about   A // bound
	bound   component.Works[A]
	perCall component.Works[A]
}

// setUp sets the questions of a checker of number boxes or agents. emit launches a query.
func (q *questions[A]) setUp(c *component.Component, number int, emit func(lc *exec.LaunchContext, about A)) {
	q.Component, q.number, q.emit = c, number, emit
	q.bound.Make = func(about A) exec.Enqueue {
		return func(lc *exec.LaunchContext) {
			c.Recorded(lc)
			emit(lc, about)
		}
	}
	q.perCall.Make = func(about A) exec.Enqueue {
		return func(lc *exec.LaunchContext) { emit(lc, about) }
	}
}

// check returns a *backend.ArgumentError for arrays of another length or device. Hot methods must not make the text of
// op, which takes memory, unless there is an error.
func (q *questions[A]) check(op string, about A) error {
	if about.Check(op, q.Device(), q.number) == nil {
		return nil
	}
	return about.Check(prefix+op, q.Device(), q.number)
}

// bind checks arrays, and makes them those of later queries.
func (q *questions[A]) bind(op string, about A) error {
	if err := q.check(op, about); err != nil {
		return err
	}
	q.about = about
	q.Bind(about.inputs()...)
	return nil
}

// query asks about what is bound.
func (q *questions[A]) query(ctx context.Context, op string) error {
	if err := q.CheckBound(op, true); err != nil {
		return err
	}
	return q.Run(ctx, op, q.bound.Get(q.about))
}

// queryThese asks about what the call names.
func (q *questions[A]) queryThese(ctx context.Context, op string, about A) error {
	if err := q.CheckBound(op, false); err != nil {
		return err
	}
	if err := q.check(op, about); err != nil {
		return err
	}
	return q.Run(ctx, op, q.perCall.Get(about))
}

// enqueue emits a query about what is bound without any policy.
func (q *questions[A]) enqueue(lc *exec.LaunchContext, op string) {
	if err := q.CheckBound(op, true); err != nil {
		lc.Fail(err)
		return
	}
	q.Recorded(lc)
	q.emit(lc, q.about)
}

// enqueueThese emits a query about what the call names without any policy.
func (q *questions[A]) enqueueThese(lc *exec.LaunchContext, op string, about A) {
	if err := errors.Join(q.CheckBound(op, false), q.check(op, about)); err != nil {
		lc.Fail(err)
		return
	}
	q.emit(lc, about)
}
