package course

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/internal/component"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/seeds"
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

	generator generator // nil for Over
	tracks    *track.Generator
	gates     *gate.Generator

	tools     *tools
	component *component.Component
	everyone  exec.Array[int32] // [E] mask of all envs

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
	c := &Course{config: config, tools: &tools{}}
	defer c.closeAfter(op, &err)
	if err = c.generate(device, append(with[:len(with):len(with)], generation.WithStages(c.tools.stage()))); err != nil {
		return nil, err
	}
	return c, c.build(device, o)
}

// Over follows a batch that the caller makes, such as imported circuits (track.Import) or gates along tracks
// (gate.Along). Tracks and Gates of config must be nil. The batch must stay open as long as the course is used. After
// each change of it, Refresh or RefreshMasked prepares the signals again; Generate and Regenerate return an error.
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
	defer c.closeAfter(op, &err)
	return c, c.build(device, o)
}

// closeAfter releases the course if a constructor has failed, also after a panic in a stage of the caller.
func (c *Course) closeAfter(op string, err *error) {
	if *err != nil || c.component == nil {
		*err = errors.Join(during(op, *err), c.close())
	}
}

// generate makes the generator and the first batch.
func (c *Course) generate(device backend.Device, with []Option) (err error) {
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
