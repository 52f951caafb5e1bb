package collision

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
)

// Values of the column boundary.
const (
	NoBoundary int32 = -1 // the box is paused, or the track is degenerate
	Inner      int32 = 0
	Outer      int32 = 1
)

// ContactColumns are the arrays of contacts, which have one element for each box: slot b of env e is element e*B + b
// (C-71 to C-73).
type ContactColumns[Integers, Floats, Points any] struct {
	OutOfBounds Integers `column:"oob,box,none,collision" doc:"1 if a part of the box is not on the road, else 0"`
	Boundary    Integers `column:"boundary,box,none,collision" doc:"nearest border: 0 inner, 1 outer, -1 none"`
	Distance    Floats   `column:"distance,box,length,collision" doc:"distance from the nearest border; out of bounds: minus the depth of the deepest corner"`
	Nearest     Points   `column:"nearest,box,length,collision" doc:"nearest point of the nearest border"`
	Normal      Points   `column:"normal,box,none,collision" doc:"unit normal of that border, into the road"`

	FirstContact  Floats   `column:"first_contact,box,none,collision,unknown" doc:"part of the motion of the step after which the box first touches a border, from 0 to 1; NaN: it touches none"`
	FirstBoundary Integers `column:"first_boundary,box,none,collision,unknown" doc:"border that the box first touches: 0 inner, 1 outer, -1 none"`
}

// HostContacts are contacts in host memory. Columns that the contacts lack are nil.
type HostContacts = ContactColumns[[]int32, []float32, []kernel.Vec2]

// deviceContacts are the same columns in device memory.
type deviceContacts = ContactColumns[exec.Array[int32], exec.Array[float32], exec.Array[kernel.Vec2]]

// ContactSchema is the list of the columns of contacts.
var ContactSchema = column.NewSchema[HostContacts, deviceContacts]()

// Contacts is what a query finds for every box, in device memory. Each query of a checker rewrites the same Contacts.
// A column that the checker does not compute is the zero array: FirstContact and FirstBoundary exist if the
// configuration asks for swept motion.
type Contacts struct {
	Envs, Boxes int // E, and B boxes per env

	ContactColumns[exec.Array[int32], exec.Array[float32], exec.Array[kernel.Vec2]]

	result component.Result[HostContacts, deviceContacts]
	packed column.Packed // zero for a clone
}

// newContacts allocates contacts, and behind them the columns of the state of a checker. A column for which has returns
// false is left out.
func newContacts(device backend.Device, envs, boxes int, stream backend.Stream, has func(name string) bool,
	state ...column.Device) (_ *Contacts, err error) {
	c := &Contacts{Envs: envs, Boxes: boxes}
	c.result, c.packed, err = component.NewPacked(placeOf(device, stream), ContactSchema, &c.ContactColumns, envs*boxes,
		has, state...)
	return c, err
}

// placeOf returns the place of the results of checkers.
func placeOf(device backend.Device, stream backend.Stream) component.Place {
	return component.Place{Prefix: prefix, Device: device, Stream: stream}
}

// noContacts is the error of contacts that no checker has made.
func noContacts(op string) error {
	return &backend.ArgumentError{Op: prefix + op, Argument: "contacts", Value: nil, Allowed: "those of a checker"}
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the contacts to host memory.
// It returns exec.ErrCapture while that stream is being captured.
func (c *Contacts) Read(ctx context.Context) (*HostContacts, error) {
	if c == nil || !c.result.Made() {
		return nil, noContacts("read")
	}
	host := new(HostContacts)
	if err := c.result.Read(ctx, &c.ContactColumns, host); err != nil {
		return nil, err
	}
	return host, nil
}

// Clone copies the contacts to new device memory, on the stream that ctx resolves to, and waits for the copy. No query
// overwrites a clone. The caller closes it.
func (c *Contacts) Clone(ctx context.Context) (_ *Contacts, err error) {
	if c == nil || !c.result.Made() {
		return nil, noContacts("clone")
	}
	to := &Contacts{Envs: c.Envs, Boxes: c.Boxes}
	if to.result, err = c.result.Clone(ctx, &c.ContactColumns, &to.ContactColumns); err != nil {
		return nil, err
	}
	return to, nil
}

// Close releases the device memory of a clone. Closing twice is a no-op. Closing a checker closes its Contacts.
func (c *Contacts) Close() error {
	if c == nil {
		return nil
	}
	return c.result.Close()
}
