package component

import (
	"context"
	"errors"
	"io"

	"github.com/trackgen-go/trackgen/exec"
)

// Refresher has the methods of a component that prepares something for each batch of tracks, and the end of its life.
// Packages forward to it, so that each method has its documentation where users read it. A Refresher without a
// component refuses every call but Close.
type Refresher struct {
	Prefix    string // of messages: "speed: "
	Component *Component
	Result    io.Closer // what refreshes or hot methods fill; Close releases it. It may be nil
}

// Open refuses a component that no constructor has made, or that is closed.
func (r *Refresher) Open(op string) error { return r.Component.Open(r.Prefix, op) }

// Refresh runs a refresh of all envs.
func (r *Refresher) Refresh(ctx context.Context) error {
	const op = "refresh"
	if err := r.Open(op); err != nil {
		return err
	}
	return r.Component.Refresh(ctx, op)
}

// RefreshMasked runs a refresh of the envs of a mask, of all for the zero array.
func (r *Refresher) RefreshMasked(ctx context.Context, mask exec.Array[int32]) error {
	const op = "refresh masked"
	if err := r.Open(op); err != nil {
		return err
	}
	return r.Component.RefreshMasked(ctx, op, mask)
}

// EnqueueRefresh emits a refresh of all envs without any policy.
func (r *Refresher) EnqueueRefresh(lc *exec.LaunchContext) {
	if err := r.Open("enqueue refresh"); err != nil {
		lc.Fail(err)
		return
	}
	r.Component.EnqueueRefresh(lc)
}

// EnqueueRefreshMasked emits a refresh of the envs of a mask without any policy.
func (r *Refresher) EnqueueRefreshMasked(lc *exec.LaunchContext, mask exec.Array[int32]) {
	if err := r.Open("enqueue refresh masked"); err != nil {
		lc.Fail(err)
		return
	}
	r.Component.EnqueueRefreshMasked(lc, mask)
}

// EnqueueEnvs emits a refresh of the envs of a list, which has the layout of pipeline.List, without any policy.
func (r *Refresher) EnqueueEnvs(lc *exec.LaunchContext, list exec.Array[int32]) {
	if err := r.Open("enqueue envs"); err != nil {
		lc.Fail(err)
		return
	}
	r.Component.EnqueueEnvs(lc, list)
}

// Bytes returns the size of the device memory that the component has allocated, 0 if it is not open.
func (r *Refresher) Bytes() int64 {
	if r.Open("bytes") != nil {
		return 0
	}
	return r.Component.Bytes()
}

// Close releases the component and the result. While another goroutine is in a call, it returns exec.ErrConcurrentUse
// and releases nothing.
func (r *Refresher) Close() error {
	err := r.Component.Close()
	if errors.Is(err, exec.ErrConcurrentUse) || r.Result == nil {
		return err
	}
	return errors.Join(err, r.Result.Close())
}
