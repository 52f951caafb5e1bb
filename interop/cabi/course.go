//go:build cgo

package main

import (
	"context"
	"encoding/json"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/course/localise"
	"github.com/trackgen-go/trackgen/course/progress"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/settings"
	"github.com/trackgen-go/trackgen/kernel"
)

// courses is a producer of the kind course.
type courses struct {
	producing
	lacking
	course  *course.Course
	inputs  course.Inputs
	pending bool // inputs are to be bound
}

func newCourse(d *device, text string, options []generation.Option) (producer, error) {
	c, err := readCourse(text)
	if err != nil {
		return nil, err
	}
	made, err := course.New(d.Device, c, options...)
	if err != nil {
		return nil, err
	}
	return &courses{producing: producing{kind: kindCourse}, lacking: kindCourse, course: made}, nil
}

// readCourse reads a configuration of a course, with that of its generator.
func readCourse(text string) (course.Config, error) {
	parts, err := splitParts(text)
	if err != nil {
		return course.Config{}, err
	}
	c, err := readSettings(settings.Courses, course.DefaultConfig(), parts.own, unchecked)
	if err != nil {
		return c, err
	}
	if c.Tracks, c.Gates, err = parts.generator(); err != nil {
		return c, err
	}
	return c, c.Validate()
}

// resolveCourse returns a configuration of a course with all settings.
func resolveCourse(text string) (json.RawMessage, error) {
	c, err := readCourse(text)
	if err != nil {
		return nil, err
	}
	return joinParts(course.Kind(), c, c.Tracks, c.Gates)
}

func (c *courses) config() (json.RawMessage, error) {
	config := c.course.Config()
	return joinParts(course.Kind(), config, config.Tracks, config.Gates)
}

func (c *courses) results() []result {
	list := resultList{envs: envsOf(c.course)}
	list.course(c.course)
	return list.list
}

// envsOf returns the number of envs of a course.
func envsOf(c *course.Course) int {
	if source := c.Source(); source.Tracks != nil {
		return source.Tracks.Envs
	}
	return c.Source().Gates.Envs
}

// course adds the batch of a course, its checkpoints, and what its steps find.
func (l *resultList) course(c *course.Course) {
	source, signals, config := c.Source(), c.Signals(), c.Config()
	l.tracks("tracks.", source.Tracks)
	l.gates("gates.", source.Gates)
	l.seeds(c.Seeds())
	if set := c.Checkpoints(); set != nil {
		l.columns("checkpoints.", checkpoints.Schema.Device(&set.DeviceColumns), set.MaxCheckpoints)
	}
	if sampler := c.Line(); sampler != nil {
		l.columns("line.", line.Schema.Device(&sampler.Line().DeviceColumns), sampler.Line().NMax)
	}
	if s := signals.Events; s != nil {
		l.columns("events.", progress.EventSchema.Device(&s.DeviceEvents), s.Agents)
	}
	if s := signals.Places; s != nil {
		l.columns("places.", localise.Schema.Device(&s.DeviceColumns), config.Agents)
	}
	if s := signals.Contacts; s != nil {
		l.columns("contacts.", collision.ContactSchema.Device(&s.ContactColumns), s.Boxes)
	}
	if s := signals.Posts; s != nil {
		l.columns("posts.", collision.DiscSchema.Device(&s.DiscColumns), s.Boxes)
	}
	if s := signals.Frames; s != nil {
		l.columns("frames.", collision.FrameSchema.Device(&s.FrameColumns), s.Agents)
	}
	if s := signals.Others; s != nil {
		l.columns("others.", collision.AgentSchema.Device(&s.AgentColumns), s.Boxes)
	}
}

func (c *courses) generate(ctx context.Context) error { return c.course.Generate(ctx) }

func (c *courses) regenerate(ctx context.Context, mask exec.Array[int32], sameEpoch bool) error {
	if sameEpoch {
		return c.course.Regenerate(ctx, mask, course.SameEpoch())
	}
	return c.course.Regenerate(ctx, mask)
}

func (c *courses) reset(ctx context.Context, mask exec.Array[int32]) error {
	return c.course.Reset(ctx, mask)
}

// bind notes an input. Those of a course are bound together, at the next step.
func (c *courses) bind(name string, input exec.Array[float32]) (err error) {
	next := c.inputs
	switch name {
	case "position":
		next.Position, err = exec.Reinterpret[kernel.Vec3](input)
	case "orientation":
		next.Orientation, err = exec.Reinterpret[kernel.Quat](input)
	case "half_extents":
		next.HalfExtents, err = exec.Reinterpret[kernel.Vec2](input)
	case "box_position":
		next.BoxPosition, err = exec.Reinterpret[kernel.Vec3](input)
	default:
		return &backend.ArgumentError{Op: "bind", Argument: "name", Value: name,
			Allowed: "position, orientation, half_extents or box_position"}
	}
	if err != nil {
		return err
	}
	c.inputs, c.pending = next, true
	return nil
}

// step binds what is new, and makes a step.
func (c *courses) step(ctx context.Context) error {
	if c.pending {
		if err := c.course.Bind(c.inputs); err != nil {
			return err
		}
		c.pending = false
	}
	_, err := c.course.Step(ctx)
	return err
}

func (c *courses) setSeeds(ctx context.Context, values []int32) error {
	return c.course.SetSeeds(ctx, values)
}

func (c *courses) setEpoch(ctx context.Context, epoch int32) error {
	return c.course.SetEpoch(ctx, epoch)
}

func (c *courses) close() error { return c.course.Close() }
