package race

import (
	"context"
	"errors"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/course/speed"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernels/race"
	"github.com/trackgen-go/trackgen/kernels/selection"
	"github.com/trackgen-go/trackgen/race/preview"
	"github.com/trackgen-go/trackgen/race/raceline"
	"github.com/trackgen-go/trackgen/race/rangefinder"
	"github.com/trackgen-go/trackgen/race/reward"
	"github.com/trackgen-go/trackgen/race/spawn"
	"github.com/trackgen-go/trackgen/race/vehicle"
	"github.com/trackgen-go/trackgen/seeds"
	"github.com/trackgen-go/trackgen/track"
)

// parts are the components of a race beside its course; those that it has not are nil. They know nothing of each other:
// a race passes the arrays of one to another.
type parts struct {
	autoreset string

	episodes  *seeds.State // the seeds of the envs, with the numbers of their episodes
	simulator *vehicle.Simulator
	spawner   *spawn.Spawner
	planner   *speed.Planner
	racing    *raceline.Optimiser
	judge     *reward.Judge
	preview   *preview.Preview
	gates     *preview.Gates
	finder    *rangefinder.RangeFinder
	motion    *Motion
	vector    *Vector
	totals    *Totals

	refreshes []func(lc *exec.LaunchContext, list exec.Array[int32]) // what follows new tracks
	observers []observer
	closers   []func() error

	beside exec.Array[int32] // [E*A] for tracks with bridges: 1 beside the road
	road   *track.Track      // the same

	ended, chosen renewal // of the envs that are done, and of those of a reset by the program

	inputs   vehicle.Inputs    // of a step, without the actions
	judged   reward.Inputs     // the same
	list     exec.Array[int32] // [E+1] the envs of a mask: see pipeline.List
	any      exec.Array[int32] // [1] their number
	mask     exec.Array[int32] // [E] that of a reset
	everyone exec.Array[int32] // [E] mask of all envs
}

// observer is a part that fills observations after each step.
type observer struct {
	name    string
	observe exec.Enqueue
}

// build makes the parts, and begins the first episodes.
func (r *Race) build(device backend.Device, o generation.Options) (err error) {
	p := &r.parts
	p.autoreset = r.config.Autoreset
	envs := r.course.Signals().Events.Envs
	with := []Option{generation.WithWarnings(o.Warn), generation.WithStream(o.Seeds.DefaultStream)}
	place := component.Place{Prefix: prefix, Device: device, Stream: o.Seeds.DefaultStream}
	if err = p.allocate(device, envs, o); err != nil {
		return err
	}
	if err = p.buildVehicles(device, r.config, r.course, with); err != nil {
		return err
	}
	if err = p.buildObservers(device, r.config, r.course, place, with); err != nil {
		return err
	}
	r.component, err = component.New(device, component.Plan{Prefix: prefix, Name: "race", Envs: envs,
		Owner: exec.WeakOwner(r), Kernels: slices.Concat(selection.Defs, race.Defs)}, o)
	if err != nil {
		return err
	}
	if p.totals, err = newTotals(r.component.Place(), envs, r.config.Course.Agents); err != nil {
		return err
	}
	p.closers = append(p.closers, p.totals.close)
	p.ended, p.chosen = p.renewalOf(r.course, p.judge.Outcomes().Done), p.renewalOf(r.course, p.mask)
	r.steps.Make = func(actions exec.Array[float32]) exec.Enqueue {
		return func(lc *exec.LaunchContext) {
			r.component.Recorded(lc)
			p.step(lc, r.course, actions)
		}
	}
	r.perCall.Make = func(actions exec.Array[float32]) exec.Enqueue {
		return func(lc *exec.LaunchContext) { p.step(lc, r.course, actions) }
	}
	r.resets.Make = func(mask exec.Array[int32]) exec.Enqueue {
		return func(lc *exec.LaunchContext) { p.reset(lc, r.course, mask) }
	}
	return r.prepare(device)
}

// prepare makes a step with actions of 0, so that later calls load nothing, and then the first begin.
func (r *Race) prepare(device backend.Device) error {
	actions, err := exec.NewArray[float32](device, r.actionLength())
	if err != nil {
		return err
	}
	err = r.component.Prepare(func(lc *exec.LaunchContext) {
		r.parts.first(lc, r.course)
		r.parts.move(lc, r.course, actions)
		r.parts.first(lc, r.course)
	})
	return errors.Join(err, actions.Close())
}

// allocate makes the seeds and the arrays of the race itself.
func (p *parts) allocate(device backend.Device, envs int, o generation.Options) (err error) {
	if p.episodes, err = seeds.New(device, envs, o.Seeds); err != nil {
		return err
	}
	p.closers = append(p.closers, p.episodes.Close)
	if p.list, err = exec.NewArray[int32](device, envs+1); err != nil {
		return err
	}
	p.closers = append(p.closers, p.list.Close)
	if p.any, err = p.list.Slice(0, 1); err != nil {
		return err
	}
	if p.mask, err = exec.NewArray[int32](device, envs); err != nil {
		return err
	}
	p.closers = append(p.closers, p.mask.Close)
	if p.everyone, err = exec.NewArray[int32](device, envs); err != nil {
		return err
	}
	p.closers = append(p.closers, p.everyone.Close)
	return p.everyone.Write(context.Background(), slices.Repeat([]int32{1}, envs))
}

// buildVehicles makes what moves and rewards the agents.
func (p *parts) buildVehicles(device backend.Device, c Config, of *course.Course, with []Option) (err error) {
	if p.simulator, err = vehicle.New(device, vehicle.SourceOf(p.episodes), c.Vehicle, with...); err != nil {
		return err
	}
	p.closers = append(p.closers, p.simulator.Close)
	state, signals := p.simulator.State(), of.Signals()
	err = of.Bind(course.Inputs{Position: state.Position, Orientation: state.Orientation, HalfExtents: state.HalfExtents})
	if err != nil {
		return err
	}
	lines, lengths := spawn.SourceOf(of.Source().Tracks), reward.SourceOf(of.Source().Tracks)
	if of.Line() != nil {
		lines, lengths = spawn.SourceOfLine(of.Line().Line()), reward.SourceOfLine(of.Line().Line())
	}
	if p.spawner, err = spawn.New(device, lines.WithSeeds(p.episodes), c.Spawn, with...); err != nil {
		return err
	}
	p.closers = append(p.closers, p.spawner.Close)
	err = p.spawner.Bind(spawn.Agents{Position: state.Position, Orientation: state.Orientation,
		HalfExtents: state.HalfExtents})
	if err != nil {
		return err
	}
	if p.judge, err = reward.New(device, lengths, c.Reward, with...); err != nil {
		return err
	}
	p.closers = append(p.closers, p.judge.Close)
	p.judged = reward.Inputs{S: signals.Places.S, N: signals.Places.N, Velocity: state.Velocity,
		CheckpointPassed: signals.Events.CheckpointPassed}
	if signals.Contacts != nil {
		p.judged.OutOfBounds, p.judged.Distance = signals.Contacts.OutOfBounds, signals.Contacts.Distance
	}
	if c.Bridges {
		if p.beside, err = exec.NewArray[int32](device, state.Position.Len()); err != nil {
			return err
		}
		p.closers, p.road = append(p.closers, p.beside.Close), of.Source().Tracks
		p.judged.OutOfBounds = p.beside
	}
	if signals.Others != nil {
		p.judged.Hit = signals.Others.Hit
	}
	switch {
	case signals.Posts != nil:
		p.judged.Obstacle = signals.Posts.Hit
	case signals.Frames != nil:
		p.judged.Obstacle = signals.Frames.Hit
	}
	p.inputs = vehicle.Inputs{Hold: p.judge.Outcomes().Done}
	if c.Vehicle.Model != vehicle.Drone {
		p.inputs.Ground = groundOf(of)
	}
	return nil
}

// groundOf returns the line by whose height cars drive.
func groundOf(of *course.Course) vehicle.Ground {
	index := of.Localiser().Arrays()
	return vehicle.Ground{Index: index.Index, Segment: of.Signals().Places.Segment, MaxPoints: int(index.MaxPoints)}
}

// buildObservers makes the speed profiles, and what the agents see.
func (p *parts) buildObservers(device backend.Device, c Config, of *course.Course, place component.Place,
	with []Option) (err error) {
	source, ahead := speed.SourceOf(of.Source().Tracks), preview.SourceOf(of.Source().Tracks)
	if of.Line() != nil {
		source, ahead = speed.SourceOfLine(of.Line().Line()), preview.SourceOfLine(of.Line().Line())
	}
	if p.planner, err = speed.New(device, source, c.Speed, with...); err != nil {
		return err
	}
	p.closers, p.refreshes = append(p.closers, p.planner.Close), append(p.refreshes, p.planner.EnqueueEnvs)
	if c.Follow == Racing {
		if p.racing, err = raceline.New(device, raceline.SourceOf(of.Source().Tracks), c.Raceline, with...); err != nil {
			return err
		}
		p.closers, p.refreshes = append(p.closers, p.racing.Close), append(p.refreshes, p.racing.EnqueueEnvs)
	}
	if len(c.Observe.Motion) > 0 {
		if err = p.buildMotion(device, c, place); err != nil {
			return err
		}
	}
	if err = p.buildSight(device, c, of, ahead, with); err != nil {
		return err
	}
	if c.Observe.Vector {
		return p.buildVector(c, place)
	}
	return nil
}

// buildSight makes what the agents see of the way ahead and around them.
func (p *parts) buildSight(device backend.Device, c Config, of *course.Course, ahead preview.Source,
	with []Option) (err error) {
	if c.Preview != nil {
		state, places := p.simulator.State(), of.Signals().Places
		ahead.Speed = p.planner.Profile().Speed
		if p.preview, err = preview.New(device, ahead, *c.Preview, with...); err != nil {
			return err
		}
		p.closers, p.refreshes = append(p.closers, p.preview.Close), append(p.refreshes, p.preview.EnqueueEnvs)
		p.observers = append(p.observers, observer{"preview", p.preview.EnqueueUpdate})
		err = p.preview.Bind(preview.Inputs{Position: state.Position, Orientation: state.Orientation, S: places.S})
		if err != nil {
			return err
		}
	}
	if c.Gates != nil {
		if err = p.buildGates(device, *c.Gates, of, with); err != nil {
			return err
		}
	}
	if c.Rangefinder != nil {
		return p.buildFinder(device, *c.Rangefinder, of, with)
	}
	return nil
}

// buildGates makes what sees the next gates.
func (p *parts) buildGates(device backend.Device, c preview.GateConfig, of *course.Course, with []Option) (err error) {
	p.gates, err = preview.NewGates(device, preview.GatesOf(of.Source().Gates), c, with...)
	if err != nil {
		return err
	}
	p.closers = append(p.closers, p.gates.Close)
	p.observers = append(p.observers, observer{"gates", p.gates.EnqueueUpdate})
	state := p.simulator.State()
	return p.gates.Bind(preview.GateInputs{Position: state.Position, Orientation: state.Orientation,
		Target: of.Progress().State().Target})
}

// buildFinder makes the range finder, which shares the index of the borders with the course if that has one.
func (p *parts) buildFinder(device backend.Device, c rangefinder.Config, of *course.Course, with []Option) (err error) {
	source := rangefinder.SourceOf(of.Source().Tracks)
	if of.Source().Gates != nil {
		source = rangefinder.SourceOfPosts(of.Source().Gates)
	}
	if of.Borders() != nil {
		source.Borders, source.Checker = collision.BorderSource{}, of.Borders().Arrays()
	}
	source.Seed, source.Epoch = p.episodes.Seed(), p.episodes.Epoch()
	if p.finder, err = rangefinder.New(device, source, c, with...); err != nil {
		return err
	}
	p.closers, p.refreshes = append(p.closers, p.finder.Close), append(p.refreshes, p.finder.EnqueueEnvs)
	p.observers = append(p.observers, observer{"beams", p.finder.EnqueueUpdate})
	state := p.simulator.State()
	return p.finder.Bind(rangefinder.Inputs{Position: state.Position, Orientation: state.Orientation,
		HalfExtents: state.HalfExtents})
}

// close releases the parts, the newest first.
func (p *parts) close() error {
	var failed []error
	for i := len(p.closers) - 1; i >= 0; i-- {
		failed = append(failed, p.closers[i]())
	}
	return errors.Join(failed...)
}
