package race

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/course/speed"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/race/flight"
	"github.com/trackgen-go/trackgen/race/preview"
	"github.com/trackgen-go/trackgen/race/pursuit"
	"github.com/trackgen-go/trackgen/race/raceline"
	"github.com/trackgen-go/trackgen/race/rangefinder"
	"github.com/trackgen-go/trackgen/race/reward"
	"github.com/trackgen-go/trackgen/race/vehicle"
)

// The parts of a race belong to it. They serve to read what they hold; what changes their state changes that of the
// race.

// Config returns the configuration, with what the parts have in common filled in.
func (r *Race) Config() Config {
	if r.open("config") != nil {
		return Config{}
	}
	return r.config.filled(r.component.Envs())
}

// Course returns the course on which the vehicles drive: its tracks, checkpoints and signals.
func (r *Race) Course() *course.Course {
	if r == nil {
		return nil
	}
	return r.course
}

// State returns where the vehicles are and how they move.
func (r *Race) State() *vehicle.State { return r.has().simulator.State() }

// Parameters returns the parameters that the vehicles of each env have drawn.
func (r *Race) Parameters() *vehicle.Parameters { return r.has().simulator.Parameters() }

// Profile returns the speed profiles along the lines.
func (r *Race) Profile() *speed.Profile { return r.has().planner.Profile() }

// Raceline returns the racing lines of a race that follows them (Config.Follow), else nil.
func (r *Race) Raceline() *raceline.Line { return r.has().racing.Line() }

// Outcomes returns the rewards of a step and the ends of episodes. Done says which envs the next step begins anew.
func (r *Race) Outcomes() *reward.Outcomes { return r.has().judge.Outcomes() }

// Totals returns what the agents have done since the race was made.
func (r *Race) Totals() *Totals { return r.has().totals }

// Episodes has the numbers of the episodes of the envs [E]: 0 at first, and one more at each new begin.
func (r *Race) Episodes() exec.Array[int32] {
	if r.open("episodes") != nil {
		return exec.Array[int32]{}
	}
	return r.parts.episodes.Epoch()
}

// Observations are what the agents see after a step, in device memory. What a race does not look for is nil.
type Observations struct {
	Preview *preview.Observations // of the way ahead, [E*A, K, C]
	Gates   *preview.Observations // of the next gates, [E*A, K, C]
	Scans   *rangefinder.Scans    // distances along beams, [E*A, B]
	Motion  *Motion               // own motion, [E*A, C]
	Vector  *Vector               // all of these in a row, [E*A, W]
}

// HostObservations are observations in host memory. What a race does not look for is nil.
type HostObservations struct {
	Preview *preview.Batch
	Gates   *preview.Batch
	Scans   *rangefinder.Batch
	Motion  *HostMotion
	Vector  *HostVector
}

// Observations returns what each step fills.
func (r *Race) Observations() *Observations {
	p := r.has()
	return &Observations{Preview: p.preview.Observations(), Gates: p.gates.Observations(), Scans: p.finder.Scans(),
		Motion: p.motion, Vector: p.vector}
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the observations to host
// memory. It returns exec.ErrCapture inside a capture.
func (o *Observations) Read(ctx context.Context) (*HostObservations, error) {
	if o == nil {
		return nil, noReceiver("read", "the Observations of a Race")
	}
	host := new(HostObservations)
	var failed [5]error
	if o.Preview != nil {
		host.Preview, failed[0] = o.Preview.Read(ctx)
	}
	if o.Gates != nil {
		host.Gates, failed[1] = o.Gates.Read(ctx)
	}
	if o.Scans != nil {
		host.Scans, failed[2] = o.Scans.Read(ctx)
	}
	if o.Motion != nil {
		host.Motion, failed[3] = o.Motion.Read(ctx)
	}
	if o.Vector != nil {
		host.Vector, failed[4] = o.Vector.Read(ctx)
	}
	if err := errors.Join(failed[:]...); err != nil {
		return nil, during("read", err)
	}
	return host, nil
}

// NewPursuit makes a reference driver of the cars of the race, which follows the centrelines with the speed profile, or
// the racing lines with theirs (package pursuit). Its inputs are bound to the race; Race.BindActions takes its Actions.
// What config says of the car and the number of agents is replaced by what the race says: the middles of the ranges of
// its parameters. The caller closes the driver before the race.
//
// It returns a *backend.ArgumentError for a race of other vehicles than cars with the control Target, and the errors of
// pursuit.New.
func (r *Race) NewPursuit(config pursuit.Config, with ...Option) (_ *pursuit.Controller, err error) {
	const op = "new pursuit"
	if err := r.open(op); err != nil {
		return nil, err
	}
	of := r.config.Vehicle
	if vehicle.Channels(of.Model) != carChannels || of.Control != vehicle.Target {
		return nil, during(op, &ConfigError{Field: "vehicle.control", Value: of.Control + " of " + of.Model,
			Allowed: vehicle.Target + " of a car: pure pursuit finds an angle to steer to"})
	}
	config.Agents = r.config.Course.Agents
	config.RearAxle, config.MaxSteering = middle(of.Car.DistanceRear), middle(of.Car.SteeringMax)
	config.Wheelbase = config.RearAxle + middle(of.Car.DistanceFront)
	config.Acceleration = middle(of.Car.Acceleration)
	config.Braking = config.Acceleration
	controller, err := pursuit.New(r.component.Device(), r.pursuitSource(), config, with...)
	if err != nil {
		return nil, during(op, err)
	}
	state := r.State()
	err = controller.Bind(pursuit.Inputs{Position: state.Position, Orientation: state.Orientation,
		Velocity: state.Velocity, Segment: r.course.Signals().Places.Segment})
	return controller, during(op, err)
}

// NewFlight makes a reference driver of the drones of the race, which follows the lines through the gates, or the
// centrelines, with the speed profile (package flight). Its inputs are bound to the race; Race.BindActions takes its
// Actions. What config says of the drone and the number of agents is replaced by what the race says: the middles of the
// ranges of its parameters. The caller closes the driver before the race.
//
// It returns a *ConfigError for a race of cars, and the errors of flight.New.
func (r *Race) NewFlight(config flight.Config, with ...Option) (_ *flight.Controller, err error) {
	const op = "new flight"
	if err := r.open(op); err != nil {
		return nil, err
	}
	of := r.config.Vehicle
	if of.Model != vehicle.Drone {
		return nil, during(op, &ConfigError{Field: "vehicle.model", Value: of.Model, Allowed: vehicle.Drone})
	}
	config.Agents = r.config.Course.Agents
	config.Mass, config.ThrustMax = middle(of.Drone.Mass), middle(of.Drone.ThrustMax)
	config.TiltRate, config.TurnRate = middle(of.Drone.TiltRate), middle(of.Drone.TurnRate)
	config.DragSide, config.DragUp = middle(of.Drone.DragSide), middle(of.Drone.DragUp)
	source := flight.SourceOf(r.course.Source().Tracks, r.Profile())
	if r.course.Line() != nil {
		source = flight.SourceOfGates(r.course.Source().Gates, r.course.Line().Line(), r.Profile())
	}
	controller, err := flight.New(r.component.Device(), source, config, with...)
	if err != nil {
		return nil, during(op, err)
	}
	state := r.State()
	in := flight.Inputs{Position: state.Position, Orientation: state.Orientation, Velocity: state.Velocity,
		Segment: r.course.Signals().Places.Segment}
	if !source.Forward.IsZero() {
		in.Target = r.course.Progress().State().Target
	}
	err = controller.Bind(in)
	return controller, during(op, err)
}

// carChannels is the number of actions of a car.
const carChannels = 2

// middle returns that of a range.
func middle(r vehicle.Range) float64 { return (r.Min + r.Max) / 2 }

// pursuitSource returns the lines with their speeds.
func (r *Race) pursuitSource() pursuit.Source {
	if l := r.Raceline(); l != nil {
		return pursuit.Source{Center: l.Center, Arclen: l.Arclen, Length: l.Length, Count: l.Count, Speed: l.Speed}
	}
	if r.course.Line() == nil {
		return pursuit.SourceOf(r.course.Source().Tracks, r.Profile())
	}
	l := r.course.Line().Line()
	return pursuit.Source{Center: l.Center, Arclen: l.Arclen, Length: l.Length, Count: l.Count, Speed: r.Profile().Speed}
}

// has returns the parts, none of a Race that no constructor made.
func (r *Race) has() *parts {
	if r == nil {
		return &parts{}
	}
	return &r.parts
}
