package exec

import "github.com/trackgen-go/trackgen/backend"

// Option is an option of For.
type Option interface {
	apply(*callOptions)
}

// callOptions collects the options of one call.
type callOptions struct {
	stream        backend.Stream // R6(1): explicit
	context       *LaunchContext // R167: given
	defaultStream backend.Stream // R6(3): bound at construction
	launch        launchOptions
}

// launchOptions tune the launches of a context; they never change results.
type launchOptions struct {
	block     int32 // threads per block, 0 = the backend's choice
	maxBlocks int32 // maximum number of concurrent blocks or workers, 0 = no limit
}

type streamOption struct{ stream backend.Stream }

func (o streamOption) apply(c *callOptions) { c.stream = o.stream }

// OnStream uses stream and ignores the ambient context (R6). A nil stream names none.
func OnStream(stream backend.Stream) Option { return streamOption{stream} }

type defaultStreamOption struct{ stream backend.Stream }

func (o defaultStreamOption) apply(c *callOptions) { c.defaultStream = o.stream }

// DefaultStream uses stream if neither an explicit stream nor an ambient context names one (R6). A producer passes the
// stream with which it was constructed.
func DefaultStream(stream backend.Stream) Option { return defaultStreamOption{stream} }

// LaunchOption is an option of For and of LaunchContext.With.
type LaunchOption struct {
	value      int32
	isBlockMax bool
}

func (o LaunchOption) apply(c *callOptions) { o.applyLaunch(&c.launch) }

func (o LaunchOption) applyLaunch(l *launchOptions) {
	if o.isBlockMax {
		l.maxBlocks = o.value
	} else {
		l.block = o.value
	}
}

// Block sets the number of threads per block, as a hint; 0 leaves it to the backend.
func Block(threads int32) LaunchOption { return LaunchOption{value: threads} }

// MaxBlocks limits the number of blocks (workers on the CPU) that run concurrently; 0 means no limit.
func MaxBlocks(blocks int32) LaunchOption { return LaunchOption{value: blocks, isBlockMax: true} }

type contextOption struct{ lc *LaunchContext }

func (o contextOption) apply(c *callOptions) { c.context = o.lc }

// OnContext uses the device and the stream of lc. An OnStream in the same call must name the same stream; otherwise the
// call returns a *backend.ArgumentError (R167). A nil lc names none.
func OnContext(lc *LaunchContext) Option { return contextOption{lc} }

// explicitStream returns the stream that the options name, nil if they name none.
func (o *callOptions) explicitStream(device backend.Device) (backend.Stream, error) {
	const op = "launch context"
	lc := o.context
	if lc == nil {
		return o.stream, nil
	}
	switch {
	case lc.device == nil:
		return nil, &backend.ArgumentError{Op: op, Argument: "context", Value: "the zero LaunchContext",
			Allowed: "one made by exec.For or a GraphRunner"}
	case lc.device != device:
		return nil, mismatch(op, "context", lc.device, device)
	case o.stream != nil && o.stream != lc.stream:
		return nil, &backend.ArgumentError{Op: op, Argument: "stream", Value: "another stream than the context's",
			Allowed: "a context, a stream, or both with the same stream"}
	}
	return lc.stream, lc.blocked(op)
}
