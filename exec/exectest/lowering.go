package exectest

import (
	"context"
	"fmt"

	"github.com/trackgen-go/trackgen/exec/internal/seam"
)

// Lowering forces how bounded loops are emitted (C20).
type Lowering uint8

// The lowerings by the letters of the specification.
const (
	Free        Lowering = iota // the policy decides
	HostPoll                    // (a): the host reads the flag before each window
	Conditional                 // (b): each window under a device conditional
	All                         // (c): every window
)

// Force returns a context in which every bounded loop has the given lowering. The call fails if that is impossible: a
// host poll inside a capture, or a conditional on a device without conditionals.
func Force(ctx context.Context, lowering Lowering) (context.Context, error) {
	if lowering > All {
		return nil, fmt.Errorf("exectest: Lowering(%d) is invalid; allowed: Free, HostPoll, Conditional, All", lowering)
	}
	return context.WithValue(ctx, seam.TestKey{}, &seam.Test{Lowering: seam.Lowering(lowering)}), nil
}
