package collision

import (
	"context"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
)

// AgentColumns are the arrays of contacts of boxes with each other, which have one element for each box: slot b of env
// e is element e*B + b (C-79).
type AgentColumns[Integers, Floats, Points any] struct {
	Hit      Integers `column:"hit,box,none,agents" doc:"1 if the box touches another one of its env, else 0"`
	Other    Integers `column:"other,box,none,agents" doc:"slot of the nearest, or deepest, other box; -1 if none"`
	Distance Floats   `column:"distance,box,length,agents" doc:"distance from that box; if they touch, minus how far one must move to part them; NaN if none"`
	Normal   Points   `column:"normal,box,none,agents" doc:"unit direction away from that box; NaN if none"`

	FirstContact Floats `column:"first_contact,box,none,agents,unknown" doc:"part of the motion of the step, from 0 to 1, after which the box first touches another one; NaN: it touches none"`
}

// HostAgentContacts are contacts of boxes with each other in host memory. Columns that the contacts lack are nil.
type HostAgentContacts = AgentColumns[[]int32, []float32, []kernel.Vec2]

// deviceAgentContacts are the same columns in device memory.
type deviceAgentContacts = AgentColumns[exec.Array[int32], exec.Array[float32], exec.Array[kernel.Vec2]]

// AgentSchema is the list of the columns of contacts of boxes with each other.
var AgentSchema = column.NewSchema[HostAgentContacts, deviceAgentContacts]()

// AgentContacts is what a query finds for every box, in device memory. Each query of a checker rewrites the same
// AgentContacts. FirstContact is the zero array unless the configuration asks for swept motion.
type AgentContacts struct {
	Envs, Boxes int // E, and B boxes per env

	AgentColumns[exec.Array[int32], exec.Array[float32], exec.Array[kernel.Vec2]]

	result component.Result[HostAgentContacts, deviceAgentContacts]
	packed column.Packed // zero for a clone
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the contacts to host memory.
// It returns exec.ErrCapture while that stream is being captured.
func (c *AgentContacts) Read(ctx context.Context) (*HostAgentContacts, error) {
	if c == nil || !c.result.Made() {
		return nil, noContacts("read")
	}
	host := new(HostAgentContacts)
	if err := c.result.Read(ctx, &c.AgentColumns, host); err != nil {
		return nil, err
	}
	return host, nil
}

// Clone copies the contacts to new device memory, on the stream that ctx resolves to, and waits for the copy. No query
// overwrites a clone. The caller closes it.
func (c *AgentContacts) Clone(ctx context.Context) (_ *AgentContacts, err error) {
	if c == nil || !c.result.Made() {
		return nil, noContacts("clone")
	}
	to := &AgentContacts{Envs: c.Envs, Boxes: c.Boxes}
	if to.result, err = c.result.Clone(ctx, &c.AgentColumns, &to.AgentColumns); err != nil {
		return nil, err
	}
	return to, nil
}

// Close releases the device memory of a clone. Closing twice is a no-op. Closing a checker closes its contacts.
func (c *AgentContacts) Close() error {
	if c == nil {
		return nil
	}
	return c.result.Close()
}
