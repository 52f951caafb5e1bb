package exec

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
)

// scopes are the flags that a new LaunchContext copies from the call's context.Context (D16).
type scopes struct {
	unconditional bool // no device conditional is recorded in any capture
	conditional   bool // the caller's own capture may hold conditionals even if a foreign library could own its stream
	allowHostPoll bool // an eager loop may read its flag on the host between windows

	foreignStream    backend.Stream // the stream on which a foreign library is working (D18)
	foreignCapturing bool           // the foreign library is capturing in this thread
}

type scopesKey struct{}

// scopesOf returns the scopes in force in ctx.
func scopesOf(ctx context.Context) scopes {
	s, _ := ctx.Value(scopesKey{}).(scopes)
	return s
}

// withScopes returns a context with other scopes. A nil ctx stays nil, and the call that receives it refuses it.
func withScopes(ctx context.Context, change func(s *scopes)) context.Context {
	if ctx == nil {
		return nil
	}
	s := scopesOf(ctx)
	change(&s)
	return context.WithValue(ctx, scopesKey{}, s)
}

// Unconditional returns a context in which no capture records a device conditional: bodies are recorded
// unconditionally, with the same results. It is for graphs that become child graphs. A runner's graph that was captured
// under it stays unconditional. Eager calls are unchanged. Unconditional(ctx, false) restores the default for the calls
// below.
//
// It does not affect existing launch contexts; LaunchContext.Unconditional derives one from such a context.
func Unconditional(ctx context.Context, enabled bool) context.Context {
	return withScopes(ctx, func(s *scopes) { s.unconditional = enabled })
}

// Conditional returns a context in which the caller's own capture may record device conditionals even if its stream is
// one that a foreign library could be capturing. Unconditional takes precedence. Graphs that the library owns are
// unaffected. Conditional(ctx, false) undoes an outer Conditional.
func Conditional(ctx context.Context, enabled bool) context.Context {
	return withScopes(ctx, func(s *scopes) { s.conditional = enabled })
}

// AllowHostPoll returns a context in which an eager bounded loop, on a device without eager conditionals, reads its
// flag on the host between windows and ends early (D3). Reading waits for the stream, so this is off by default. The
// results are the same. It has no effect in a capture or on a device where reading is free. While a foreign library is
// capturing in GLOBAL mode nothing may wait, so all windows run (R72).
func AllowHostPoll(ctx context.Context, enabled bool) context.Context {
	return withScopes(ctx, func(s *scopes) { s.allowHostPoll = enabled })
}

// WithForeignStream returns a context that knows the stream on which a foreign library, such as PyTorch, is working,
// and whether that library is capturing in this thread (D18). While the stream is being captured, calls that name no
// other stream use it (R6). While the foreign library is capturing on any stream, no call waits for a stream, prepares,
// or captures a first graph (R59, R72, R164), regardless of AllowHostPoll and RunOptions.Sync. Explicit waits still
// wait: the HostOps of a HOST stage, and Array.Read. Package interop creates such streams.
func WithForeignStream(ctx context.Context, stream backend.Stream, capturing bool) context.Context {
	return withScopes(ctx, func(s *scopes) { s.foreignStream, s.foreignCapturing = stream, capturing })
}
