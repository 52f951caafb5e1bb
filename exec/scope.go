package exec

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
)

// scopes are the flags that a LaunchContext copies from the call's context.Context when it is built (D16).
type scopes struct {
	unconditional bool // no device conditional is recorded in any capture
	conditional   bool // the caller's own capture may hold conditionals although a foreigner could own its stream
	allowHostPoll bool // an eager loop may read its flag on the host between windows

	foreignStream    backend.Stream // that a foreign library works on at present (D18)
	foreignCapturing bool           // the foreign library is capturing in this thread
}

type scopesKey struct{}

// scopesOf returns the scopes in force in ctx.
func scopesOf(ctx context.Context) scopes {
	s, _ := ctx.Value(scopesKey{}).(scopes)
	return s
}

// withScopes returns a context with other scopes. A nil ctx stays nil, which the call that it is given to refuses.
func withScopes(ctx context.Context, change func(s *scopes)) context.Context {
	if ctx == nil {
		return nil
	}
	s := scopesOf(ctx)
	change(&s)
	return context.WithValue(ctx, scopesKey{}, s)
}

// Unconditional returns a context in which no capture records a device conditional: bodies are recorded
// unconditionally, with the same results. It is meant for graphs that become child graphs. A runner's own graph
// captured under it stays unconditional. Eager calls are unchanged. Unconditional(ctx, false) restores the default
// for a call inside.
//
// Launch contexts built before keep their flags; LaunchContext.Unconditional derives one.
func Unconditional(ctx context.Context, enabled bool) context.Context {
	return withScopes(ctx, func(s *scopes) { s.unconditional = enabled })
}

// Conditional returns a context in which the caller's own capture may record device conditionals even though it is on a
// stream that a foreign library could be capturing. Unconditional wins over it, and graphs that the library
// owns are unaffected. Conditional(ctx, false) undoes an outer one.
func Conditional(ctx context.Context, enabled bool) context.Context {
	return withScopes(ctx, func(s *scopes) { s.conditional = enabled })
}

// AllowHostPoll returns a context in which an eager bounded loop, on a device without eager conditionals, reads its flag
// on the host between windows and ends early (D3). That waits for the stream, so it is off by default. The results are
// the same. It changes nothing in a capture, on a device where reading costs nothing, nor while a foreign library is
// capturing in the global mode, when nothing waits (R72): all windows run then.
func AllowHostPoll(ctx context.Context, enabled bool) context.Context {
	return withScopes(ctx, func(s *scopes) { s.allowHostPoll = enabled })
}

// WithForeignStream returns a context that knows the stream on which a foreign library, such as PyTorch, works at present,
// and whether it is capturing in this thread (D18). While that stream is captured, calls that name no other stream use it
// (R6). While the foreign library is capturing, whichever stream, nothing waits for a stream, prepares, or captures a
// first graph (R59, R72, R164), whatever AllowHostPoll and RunOptions.Sync say. What asks for a wait itself gets it: the
// HostOps of a HOST stage, and a read of an Array. Package interop makes such streams.
func WithForeignStream(ctx context.Context, stream backend.Stream, capturing bool) context.Context {
	return withScopes(ctx, func(s *scopes) { s.foreignStream, s.foreignCapturing = stream, capturing })
}
