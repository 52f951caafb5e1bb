package command

import (
	"context"
	"errors"
	"math"

	"github.com/trackgen-go/trackgen"
)

// drivers are the vehicles of a run of drive.
type drivers struct {
	app    *app
	flags  driveFlags
	device trackgen.Device
	config trackgen.RaceConfig
	scale  float64

	courses raceway

	samples []sample // every few steps, if a file needs them
	results []driven // of each track
	steps   int
}

// sample is where the vehicles are after a step.
type sample struct {
	step     int
	position []trackgen.Vec3
	yaw      []float32
	speed    []float32
	steering []float32 // nil for drones
	s, n     []float32
	done     []int32 // the episodes that are over
}

// driven is what a vehicle has done.
type driven struct {
	Env     int       `json:"env"`
	Name    string    `json:"name,omitempty"` // of a circuit
	Seed    int32     `json:"seed"`
	Length  number32  `json:"length"`               // of the track, in metres
	Laps    int32     `json:"laps"`                 // complete ones
	Best    *number32 `json:"best_lap"`             // seconds; null without a lap
	Last    *number32 `json:"last_lap"`             // seconds; null without a lap
	Centre  *number32 `json:"centre_lap,omitempty"` // seconds of the best lap along the centreline, of a car on the racing line
	Seconds float64   `json:"seconds"`              // that it has driven
	Reached number32  `json:"reached"`              // arc length where it has stopped, in metres
	End     string    `json:"end"`                  // why it has stopped
	Reasons []string  `json:"end_reasons"`          // the same as a list

	reason trackgen.EndReason
}

// stepsPerLook is the number of steps between two looks at how many cars still drive.
const stepsPerLook = 50

// windowOnBridges is the number of segments around a car among which it is localised where tracks cross themselves.
const windowOnBridges = 16

// mostSamples bounds the memory for samples: longer races keep every second one, every fourth and so on.
const mostSamples = 1 << 24

// run drives along the line of --line and, if that is the racing line, first along the centreline to compare them.
func (d *drivers) run(ctx context.Context) error {
	if d.flags.line != trackgen.RacingLine {
		return d.race(ctx)
	}
	centre := &drivers{app: d.app, flags: d.flags, device: d.device, config: d.config, courses: d.courses}
	centre.flags.states, centre.flags.plot, centre.flags.animation = "", "", ""
	centre.config.Follow = trackgen.CentreLine
	if err := errors.Join(centre.race(ctx), d.race(ctx)); err != nil {
		return err
	}
	for e := range d.results {
		d.results[e].Centre = centre.results[e].Best
	}
	return nil
}

// race makes the race, drives until all vehicles have stopped, and reads the results.
func (d *drivers) race(ctx context.Context) (err error) {
	source, release, err := d.courses.upload(ctx, d.device)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if d.courses.crossesItself() {
		d.config.Bridges, d.config.Course.Localize.WarmWindow = true, windowOnBridges
	}
	race, err := trackgen.NewRaceOver(d.device, source, d.config, trackgen.WithSeed(d.flags.seed))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, race.Close()) }()
	driver, err := race.NewDriver(d.flags.brave)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, driver.Close()) }()
	if err := race.BindActions(driver.Actions()); err != nil {
		return err
	}
	if err := d.loop(ctx, race, driver); err != nil {
		return err
	}
	return d.read(ctx, race)
}

// loop makes steps until all cars have stopped.
func (d *drivers) loop(ctx context.Context, race *trackgen.Race, driver trackgen.RaceDriver) error {
	bar := newProgress(d.app.screen(d.flags.quiet), "driving", "", d.courses.envs())
	defer bar.Done()
	keeps := d.flags.states != "" || d.flags.plot != "" || d.flags.animation != ""
	every, stopped := d.flags.every, 0
	for {
		if keeps && d.steps%every == 0 {
			if len(d.samples)*d.courses.envs() >= mostSamples {
				d.thin()
				every *= 2
			}
			if err := d.keep(ctx, race); err != nil {
				return err
			}
		}
		if err := errors.Join(ctx.Err(), driver.Update(ctx), race.Step(ctx)); err != nil {
			return err
		}
		d.steps++
		if d.steps%stepsPerLook != 0 {
			continue
		}
		done, err := race.Outcomes().Done.Read(ctx)
		if err != nil {
			return err
		}
		before := stopped
		if stopped = sum(done); stopped > before {
			bar.Add(stopped - before)
		}
		if stopped == d.courses.envs() {
			bar.Finish()
			if keeps {
				return d.keep(ctx, race)
			}
			return nil
		}
	}
}

// secondsOf returns the duration of steps, without the rounding errors of the product.
func secondsOf(steps int32, timeStep float64) float64 {
	return math.Round(float64(steps)*timeStep*1e9) / 1e9
}

func sum(list []int32) (total int) {
	for _, v := range list {
		total += int(v)
	}
	return total
}

// thin leaves out every second sample.
func (d *drivers) thin() {
	kept := d.samples[:0]
	for i := 0; i < len(d.samples); i += 2 {
		kept = append(kept, d.samples[i])
	}
	d.samples = kept
}

// keep reads where the cars are.
func (d *drivers) keep(ctx context.Context, race *trackgen.Race) error {
	state, err := race.State().Read(ctx)
	if err != nil {
		return err
	}
	signals, err := race.Course().Signals().Read(ctx)
	if err != nil {
		return err
	}
	done, err := race.Outcomes().Done.Read(ctx)
	if err != nil {
		return err
	}
	now := sample{step: d.steps, position: state.Position, yaw: state.Car.Yaw, speed: state.Car.Speed,
		steering: state.Car.Steering, s: signals.Places.S, n: signals.Places.N, done: done}
	if d.config.Vehicle.Model == trackgen.Drone {
		for e, q := range state.Orientation {
			yaw := math.Atan2(float64(2*(q.W*q.Z+q.X*q.Y)), float64(1-2*(q.Y*q.Y+q.Z*q.Z)))
			now.yaw, now.speed = append(now.yaw, float32(yaw)), append(now.speed, state.Velocity[e].Len())
		}
	}
	d.samples = append(d.samples, now)
	return nil
}

// read reads what the cars have done.
func (d *drivers) read(ctx context.Context, race *trackgen.Race) error {
	out, err := race.Outcomes().Read(ctx)
	if err != nil {
		return err
	}
	places, err := race.Course().Signals().Places.Read(ctx)
	if err != nil {
		return err
	}
	lengths, err := d.courses.lengthsOf(ctx, race)
	if err != nil {
		return err
	}
	lap := func(seconds float32) *number32 {
		if math.IsNaN(float64(seconds)) {
			return nil
		}
		return new(number32(seconds))
	}
	for e := range d.courses.envs() {
		r := driven{Env: e, Name: d.courses.name(e), Seed: d.courses.seed(e), Length: number32(lengths[e]),
			Laps: out.Laps[e], Best: lap(out.BestLap[e]), Last: lap(out.LastLap[e]),
			Seconds: secondsOf(out.Length[e], d.config.Vehicle.TimeStep), Reached: number32(places.S[e]),
			reason: out.Reasons[e]}
		r.End, r.Reasons = r.reason.String(), append([]string{}, r.reason.Names()...)
		if r.reason == 0 {
			r.End = "no course"
		}
		d.results = append(d.results, r)
	}
	return nil
}
