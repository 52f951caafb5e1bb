package exec

import "github.com/trackgen-go/trackgen/backend"

// Option is an option of For.
type Option interface {
	apply(*callOptions)
}

// callOptions is what the options of one call add up to.
type callOptions struct {
	stream        backend.Stream // R6(1): explicit
	defaultStream backend.Stream // R6(3): bound at construction
	launch        launchOptions
}

// launchOptions tune the launches of a context; they never change a result (R17, C24).
type launchOptions struct {
	block     int32 // threads of a block, 0 = the backend's choice
	maxBlocks int32 // most blocks or workers at once, 0 = no limit
}

type streamOption struct{ stream backend.Stream }

func (o streamOption) apply(c *callOptions) { c.stream = o.stream }

// OnStream uses stream, whatever the ambient context says (R6). A nil stream means none was named.
func OnStream(stream backend.Stream) Option { return streamOption{stream} }

type defaultStreamOption struct{ stream backend.Stream }

func (o defaultStreamOption) apply(c *callOptions) { c.defaultStream = o.stream }

// DefaultStream uses stream where neither an explicit stream nor an ambient context says otherwise (R6). A producer
// passes the stream that it was constructed with.
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

// Block sets the threads of a block, a hint; 0 leaves it to the backend.
func Block(threads int32) LaunchOption { return LaunchOption{value: threads} }

// MaxBlocks bounds the blocks (on the CPU: the workers) that run at once; 0 is no bound.
func MaxBlocks(blocks int32) LaunchOption { return LaunchOption{value: blocks, isBlockMax: true} }
