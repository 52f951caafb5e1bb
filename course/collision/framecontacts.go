package collision

import (
	"context"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
)

// FrameColumns are the arrays of contacts with frames, which have one element for each agent: agent a of env e is
// element e*A + a (C-78).
type FrameColumns[Integers, Floats any] struct {
	Hit   Integers `column:"hit,agent,none,frames" doc:"1 if the agent touches a frame, else 0"`
	Gate  Integers `column:"gate,agent,none,frames" doc:"index in its env of the gate whose frame the agent is deepest in, -1 if none"`
	Depth Floats   `column:"depth,agent,length,frames" doc:"how far the agent is in that frame, 0 if none"`
}

// HostFrameContacts are contacts with frames in host memory.
type HostFrameContacts = FrameColumns[[]int32, []float32]

// deviceFrameContacts are the same columns in device memory.
type deviceFrameContacts = FrameColumns[exec.Array[int32], exec.Array[float32]]

// FrameSchema is the list of the columns of contacts with frames.
var FrameSchema = column.NewSchema[HostFrameContacts, deviceFrameContacts]()

// FrameContacts is what a query finds for every agent, in device memory. Each query of a checker rewrites the same
// FrameContacts.
type FrameContacts struct {
	Envs, Agents int // E, and A agents per env

	FrameColumns[exec.Array[int32], exec.Array[float32]]

	result component.Result[HostFrameContacts, deviceFrameContacts]
	packed column.Packed // zero for a clone
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the contacts to host memory.
// It returns exec.ErrCapture while that stream is being captured.
func (c *FrameContacts) Read(ctx context.Context) (*HostFrameContacts, error) {
	if c == nil || !c.result.Made() {
		return nil, noContacts("read")
	}
	host := new(HostFrameContacts)
	if err := c.result.Read(ctx, &c.FrameColumns, host); err != nil {
		return nil, err
	}
	return host, nil
}

// Clone copies the contacts to new device memory, on the stream that ctx resolves to, and waits for the copy. No query
// overwrites a clone. The caller closes it.
func (c *FrameContacts) Clone(ctx context.Context) (_ *FrameContacts, err error) {
	if c == nil || !c.result.Made() {
		return nil, noContacts("clone")
	}
	to := &FrameContacts{Envs: c.Envs, Agents: c.Agents}
	if to.result, err = c.result.Clone(ctx, &c.FrameColumns, &to.FrameColumns); err != nil {
		return nil, err
	}
	return to, nil
}

// Close releases the device memory of a clone. Closing twice is a no-op. Closing a checker closes its contacts.
func (c *FrameContacts) Close() error {
	if c == nil {
		return nil
	}
	return c.result.Close()
}
