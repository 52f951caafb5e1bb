package course

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/track"
)

// prefix stands once in each message of the package, in front of what a function of the package was doing.
const prefix = "course: "

// during returns err with a note of what a function of the package was doing.
func during(op string, err error) error {
	if err == nil {
		return nil
	}
	return exec.Doing(prefix+op, err)
}

// Course follows a batch of tracks or gate courses through a training loop. It is a producer in the sense of package
// exec: the same work can run eagerly, be recorded into a capture of the caller, or replay a graph.
//
// Only one goroutine at a time may use a Course; different courses are independent.
type Course struct {
	config Config
	source Source

	generator generator        // nil for Over
	tracks    *track.Generator // the generator, or nil
	gates     *gate.Generator  // the generator, or nil

	tools     *tools
	component *component.Component
	signals   *Signals

	busy   atomic.Bool // a call is going on: its parts, the components, do not know of each other
	inputs Inputs
	steps  component.Works[Inputs]
	resets component.Works[exec.Array[int32]]
}

// New allocates the memory of a generator and of all signals, generates once, and prepares the signals, so that later
// captures load nothing. It must not be called inside a capture. Options are those of generators.
//
// It returns a *ConfigError (ErrConfig) for each wrong field of config, and for checkpoints whose number no valid track
// says; a *backend.ArgumentError for a wrong device or option, exec.ErrCapture inside a capture, backend.ErrUnsupported
// for a configuration that the device cannot run, or an error of the device.
func New(device backend.Device, config Config, with ...Option) (_ *Course, err error) {
	const op = "new"
	if err := config.Validate(); err != nil {
		return nil, during(op, err)
	}
	if err := exec.CheckDevice(prefix+op, device); err != nil {
		return nil, err
	}
	o, err := generation.Collect(prefix, op, with)
	if err != nil {
		return nil, err
	}
	if err := o.CheckSeeds(prefix+op, config.sizes().envs); err != nil {
		return nil, err
	}
	c := &Course{config: config.copied(), tools: &tools{}}
	made := false
	defer func() {
		if !made { // also after a panic in a stage of the caller
			err = errors.Join(during(op, err), c.close())
		}
	}()
	_ = device.Load(config.Kernels()...) // all at once; who needs a kernel that cannot be loaded says so
	stages := generation.WithStages(c.tools.stage())
	if err = c.makeGenerator(device, append(with[:len(with):len(with)], stages)); err != nil {
		return nil, err
	}
	if err = c.build(device, o); err != nil {
		return nil, err
	}
	made = true
	return c, nil
}

// Over follows a batch that the caller makes, such as imported circuits (track.Import) or gates along tracks
// (gate.Along). Tracks and Gates of config must be nil. The batch must stay open as long as the course is used. After
// each change of it, Refresh or RefreshMasked prepares the signals again; Generate and Regenerate return an error.
// WithStream and WithWarnings apply; other options are refused.
//
// It returns a *backend.ArgumentError for a source that is empty or on another device, and the errors of New.
func Over(device backend.Device, source Source, config Config, with ...Option) (_ *Course, err error) {
	const op = "over"
	if err := source.check(prefix + op); err != nil {
		return nil, err
	}
	if err := config.validateOver(source); err != nil {
		return nil, during(op, err)
	}
	o, err := component.Check(device, prefix, op, with)
	if err != nil {
		return nil, err
	}
	c := &Course{config: config, source: source, tools: &tools{}}
	made := false
	defer func() {
		if !made {
			err = errors.Join(during(op, err), c.close())
		}
	}()
	if err = c.build(device, o); err != nil {
		return nil, err
	}
	made = true
	return c, nil
}

// makeGenerator makes the generator and the first batch.
func (c *Course) makeGenerator(device backend.Device, with []Option) (err error) {
	if c.config.Gates != nil {
		if c.gates, err = gate.NewGenerator(device, *c.config.Gates, with...); err != nil {
			return err
		}
		c.generator, c.source.Gates = filling[*gate.Sequence]{c.gates}, c.gates.Sequence()
		return nil
	}
	if c.tracks, err = track.NewGenerator(device, *c.config.Tracks, with...); err != nil {
		return err
	}
	c.generator, c.source.Tracks = filling[*track.Track]{c.tracks}, c.tracks.Track()
	return nil
}

// open returns a *backend.ArgumentError for a Course that no constructor made, and a *backend.ClosedError for a closed
// one.
func (c *Course) open(op string) error {
	if c == nil {
		return (*component.Component)(nil).Open(prefix, op)
	}
	return c.component.Open(prefix, op)
}

// ready is open for the calls that need a generator.
func (c *Course) ready(op string) error {
	if err := c.open(op); err != nil {
		return err
	}
	if c.generator == nil {
		return &backend.ArgumentError{Op: prefix + op, Argument: "receiver", Value: "a course over a batch of the caller",
			Allowed: "one with a generator; change the batch and call Refresh"}
	}
	return nil
}

// begin is open, and reserves the course for one call. Its end sets busy to false.
func (c *Course) begin(op string) error {
	if err := c.open(op); err != nil {
		return err
	}
	return c.reserve(op)
}

// beginGeneration is begin for the calls that need a generator.
func (c *Course) beginGeneration(op string) error {
	if err := c.ready(op); err != nil {
		return err
	}
	return c.reserve(op)
}

// reserve refuses a call while another one goes on.
func (c *Course) reserve(op string) error {
	if !c.busy.CompareAndSwap(false, true) {
		return during(op, exec.ErrConcurrentUse)
	}
	return nil
}

// Generate makes the batch of the current seeds and epochs, prepares its signals, and puts all agents to the start.
// Inside a capture of the stream that ctx resolves to, the work is recorded, not run. Without new seeds or epochs it
// makes the same batch again (C-103).
func (c *Course) Generate(ctx context.Context) error {
	if err := c.beginGeneration("generate"); err != nil {
		return err
	}
	defer c.busy.Store(false)
	return c.generator.generate(ctx)
}

// Regenerate makes new tracks or gate courses for the envs whose mask is not 0, prepares their signals, and puts their
// agents to the start: their checkpoints, fields, lines and posts are those of the new tracks. It changes no byte of
// the other envs, whose progress goes on. It first advances the epochs of the masked envs, unless SameEpoch is given.
// mask has one int32 per env and is read on the device, so its values may change between calls and between replays of a
// graph. The zero array stands for all envs.
//
// Inside a capture on a device with conditionals, the device skips all work if no env is masked (C-109). On an eager
// CPU device, only the first call with a mask allocates.
func (c *Course) Regenerate(ctx context.Context, mask exec.Array[int32], options ...RegenerateOption) error {
	const op = "regenerate"
	if err := c.beginGeneration(op); err != nil {
		return err
	}
	defer c.busy.Store(false)
	if _, err := c.component.Mask(op, mask); err != nil {
		return err
	}
	return c.generator.regenerate(ctx, mask, options...)
}

// SetSeeds replaces the seeds of all envs, one value for each, and sets their epochs to 0. The next generation uses
// them. It waits for its work, so it returns exec.ErrCapture inside a capture.
func (c *Course) SetSeeds(ctx context.Context, values []int32) error {
	if err := c.beginGeneration("set seeds"); err != nil {
		return err
	}
	defer c.busy.Store(false)
	return c.generator.SetSeeds(ctx, values)
}

// SetEpoch sets the epoch of every env. It waits for its work, so it returns exec.ErrCapture inside a capture.
func (c *Course) SetEpoch(ctx context.Context, epoch int32) error {
	if err := c.beginGeneration("set epoch"); err != nil {
		return err
	}
	defer c.busy.Store(false)
	return c.generator.SetEpoch(ctx, epoch)
}

// Refresh prepares the signals of all envs and puts their agents to the start, after the batch has been changed by
// other means than Generate and Regenerate.
func (c *Course) Refresh(ctx context.Context) error {
	const op = "refresh"
	if err := c.begin(op); err != nil {
		return err
	}
	defer c.busy.Store(false)
	return c.component.Refresh(ctx, op)
}

// RefreshMasked is Refresh for the envs whose mask is not 0. It changes no byte of the others. The zero array stands
// for all envs.
func (c *Course) RefreshMasked(ctx context.Context, mask exec.Array[int32]) error {
	const op = "refresh masked"
	if err := c.begin(op); err != nil {
		return err
	}
	defer c.busy.Store(false)
	return c.component.RefreshMasked(ctx, op, mask)
}

// Close releases the course: its generator, its components and their results. Graphs of the caller with work of the
// course keep the memory that they use, and can still be replayed (R166). Closing twice is a no-op. While another
// goroutine is in a call of the course, Close returns exec.ErrConcurrentUse and releases nothing.
func (c *Course) Close() error {
	if c == nil {
		return nil
	}
	if err := c.reserve("close"); err != nil {
		return err
	}
	defer c.busy.Store(false)
	return during("close", c.close())
}

// close releases what the course has. It may have been built in part.
func (c *Course) close() error {
	err := c.component.Close()
	if errors.Is(err, exec.ErrConcurrentUse) {
		return err
	}
	var generator error
	if c.generator != nil {
		generator = c.generator.Close()
		if errors.Is(generator, exec.ErrConcurrentUse) {
			return generator
		}
	}
	return errors.Join(err, generator, c.tools.close())
}
