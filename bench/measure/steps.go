package measure

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// motions is the number of places of each car, which the steps go through in turn: one moves by the length of a point
// of its line in each.
const motions = 8

// Steps is the subject of the steps of a course: what is measured as a generation is one step, for cars that drive
// along their tracks. A regeneration is that of the course.
func Steps(config course.Config) Subject {
	s := Subject{agents: max(config.Agents, 1), open: func(device backend.Device, envs int) (generator, error) {
		return openSteps(device, config, envs)
	}}
	if config.Gates != nil {
		s.generator, s.envs = config.Gates.Generator, config.Gates.NumEnvs
	} else {
		s.generator, s.envs = config.Tracks.Generator, config.Tracks.NumEnvs
	}
	return s
}

// steps is a course whose cars drive.
type steps struct {
	course *course.Course
	inputs [motions]course.Inputs
	next   int
	closed []func() error
}

// openSteps makes a course and the places of its cars.
func openSteps(device backend.Device, config course.Config, envs int) (_ *steps, err error) {
	if config.Gates != nil {
		gates := *config.Gates
		gates.NumEnvs, config.Gates = envs, &gates
	} else {
		tracks := *config.Tracks
		tracks.NumEnvs, config.Tracks = envs, &tracks
	}
	s := &steps{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	// The measurement binds other places after it has recorded some.
	s.course, err = course.New(device, config,
		course.WithWarnings(exec.IgnoreWarnings[exec.RebindAfterCaptureWarning](nil)))
	if err != nil {
		return nil, err
	}
	if err = s.place(device, config.Agents); err != nil {
		return nil, err
	}
	return s, s.generate(context.Background()) // the next step has places before it
}

// place puts the cars on their lines.
func (s *steps) place(device backend.Device, agents int) error {
	lines, err := linesOf(s.course)
	if err != nil {
		return err
	}
	n := len(lines) * agents
	half := make([]kernel.Vec2, n)
	for i := range half {
		half[i] = kernel.V2(0.04, 0.02)
	}
	extents, err := exec.FromSlice(device, half)
	if err != nil {
		return err
	}
	s.closed = append(s.closed, extents.Close)
	for k := range s.inputs {
		position, orientation := make([]kernel.Vec3, n), make([]kernel.Quat, n)
		for i := range position {
			if line := lines[i/agents]; len(line) > 1 {
				position[i], orientation[i] = carOn(line, 7*i+k, float32(i%9-4)*0.02)
			}
		}
		in := course.Inputs{HalfExtents: extents}
		if in.Position, err = exec.FromSlice(device, position); err != nil {
			return err
		}
		s.closed = append(s.closed, in.Position.Close)
		if in.Orientation, err = exec.FromSlice(device, orientation); err != nil {
			return err
		}
		s.closed = append(s.closed, in.Orientation.Close)
		s.inputs[k] = in
	}
	return s.course.Bind(s.inputs[0])
}

// linesOf returns the line that the cars of each env follow.
func linesOf(c *course.Course) ([][]kernel.Vec3, error) {
	ctx, source := context.Background(), c.Source()
	if source.Tracks != nil {
		batch, err := source.Tracks.Batch(ctx)
		if err != nil {
			return nil, err
		}
		list := make([][]kernel.Vec3, batch.Envs)
		for e := range list {
			list[e] = batch.Points(batch.Center, e)
		}
		return list, nil
	}
	lines, err := c.Line().Line().Read(ctx)
	if err != nil {
		return nil, err
	}
	list := make([][]kernel.Vec3, lines.Envs)
	for e := range list {
		list[e] = lines.Of(e)
	}
	return list, nil
}

// carOn returns the place of a car at a point of a line, to the right of it by aside.
func carOn(line []kernel.Vec3, point int, aside float32) (kernel.Vec3, kernel.Quat) {
	at, next := line[point%len(line)], line[(point+1)%len(line)]
	yaw := math.Atan2(float64(next.Y-at.Y), float64(next.X-at.X))
	sin, cos := math.Sincos(yaw)
	p := kernel.V3(at.X+float32(sin)*aside, at.Y-float32(cos)*aside, at.Z)
	return p, kernel.Quat{Z: float32(math.Sin(yaw / 2)), W: float32(math.Cos(yaw / 2))}
}

// generate makes one step, at the next place of each car.
func (s *steps) generate(ctx context.Context) error {
	if err := s.course.Bind(s.inputs[s.next]); err != nil {
		return err
	}
	s.next = (s.next + 1) % motions
	_, err := s.course.Step(ctx)
	return err
}

func (s *steps) regenerate(ctx context.Context, mask exec.Array[int32]) error {
	return s.course.Regenerate(ctx, mask)
}

// stages returns what a step does as the components do it by themselves, one launch each: in the step, progress and
// localisation are one launch.
func (s *steps) stages() []exec.Segment {
	var list []exec.Segment
	add := func(name string, body func(lc *exec.LaunchContext, in course.Inputs)) {
		next := 0
		list = append(list, exec.Segment{StageID: name, Body: func(lc *exec.LaunchContext) {
			body(lc, s.inputs[next])
			next = (next + 1) % motions
		}})
	}
	c := s.course
	add("progress", func(lc *exec.LaunchContext, in course.Inputs) { c.Progress().EnqueueUpdateAt(lc, in.Position) })
	if l := c.Localiser(); l != nil {
		add("localise", func(lc *exec.LaunchContext, in course.Inputs) { l.EnqueueLocateAt(lc, in.Position) })
	}
	boxes := func(in course.Inputs) collision.Boxes {
		return collision.Boxes{Position: in.Position, Orientation: in.Orientation, HalfExtents: in.HalfExtents}
	}
	if b := c.Borders(); b != nil {
		add("collision", func(lc *exec.LaunchContext, in course.Inputs) { b.EnqueueQueryBoxes(lc, boxes(in)) })
	}
	if f := c.Field(); f != nil {
		add("collision", func(lc *exec.LaunchContext, in course.Inputs) { f.EnqueueQueryBoxes(lc, boxes(in)) })
	}
	if p := c.Posts(); p != nil {
		add("collision", func(lc *exec.LaunchContext, in course.Inputs) { p.EnqueueQueryBoxes(lc, boxes(in)) })
	}
	return list
}

// Close releases the course and the places.
func (s *steps) Close() error {
	err := s.course.Close()
	if err != nil {
		return fmt.Errorf("close a course: %w", err)
	}
	var failed []error
	for _, closed := range s.closed {
		failed = append(failed, closed())
	}
	return errors.Join(failed...)
}
