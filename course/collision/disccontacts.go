package collision

import (
	"context"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
)

// DiscColumns are the arrays of contacts with discs, which have one element for each box: slot b of env e is element
// e*B + b (C-77).
type DiscColumns[Integers, Floats, Points any] struct {
	Hit     Integers `column:"hit,box,none,discs" doc:"1 if the box touches a disc, else 0"`
	Disc    Integers `column:"disc,box,none,discs" doc:"index in its env of the disc that is deepest in the box, -1 if none"`
	Depth   Floats   `column:"depth,box,length,discs" doc:"how far that disc is in the box, at most its radius; 0 if none"`
	Nearest Points   `column:"nearest,box,length,discs" doc:"point of that disc that is nearest to the box; NaN if none"`

	FirstContact Floats `column:"first_contact,box,none,discs,unknown" doc:"part of the motion of the step, from 0 to 1, after which the box first touches a disc; NaN: it touches none"`
}

// HostDiscContacts are contacts with discs in host memory. Columns that the contacts lack are nil.
type HostDiscContacts = DiscColumns[[]int32, []float32, []kernel.Vec2]

// deviceDiscContacts are the same columns in device memory.
type deviceDiscContacts = DiscColumns[exec.Array[int32], exec.Array[float32], exec.Array[kernel.Vec2]]

// DiscSchema is the list of the columns of contacts with discs.
var DiscSchema = column.NewSchema[HostDiscContacts, deviceDiscContacts]()

// DiscContacts is what a query finds for every box, in device memory. Each query of a checker rewrites the same
// DiscContacts. FirstContact is the zero array unless the configuration asks for swept motion.
type DiscContacts struct {
	Envs, Boxes int // E, and B boxes per env

	DiscColumns[exec.Array[int32], exec.Array[float32], exec.Array[kernel.Vec2]]

	result component.Result[HostDiscContacts, deviceDiscContacts]
	packed column.Packed // zero for a clone
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the contacts to host memory.
// It returns exec.ErrCapture while that stream is being captured.
func (c *DiscContacts) Read(ctx context.Context) (*HostDiscContacts, error) {
	if c == nil || !c.result.Made() {
		return nil, noContacts("read")
	}
	host := new(HostDiscContacts)
	if err := c.result.Read(ctx, &c.DiscColumns, host); err != nil {
		return nil, err
	}
	return host, nil
}

// Clone copies the contacts to new device memory, on the stream that ctx resolves to, and waits for the copy. No query
// overwrites a clone. The caller closes it.
func (c *DiscContacts) Clone(ctx context.Context) (_ *DiscContacts, err error) {
	if c == nil || !c.result.Made() {
		return nil, noContacts("clone")
	}
	to := &DiscContacts{Envs: c.Envs, Boxes: c.Boxes}
	if to.result, err = c.result.Clone(ctx, &c.DiscColumns, &to.DiscColumns); err != nil {
		return nil, err
	}
	return to, nil
}

// Close releases the device memory of a clone. Closing twice is a no-op. Closing a checker closes its contacts.
func (c *DiscContacts) Close() error {
	if c == nil {
		return nil
	}
	return c.result.Close()
}
