package world

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/internal/settings"
)

const (
	maxDriven    = 48   // courses with a vehicle each
	secondsOfLap = 120  // after which a vehicle that has not completed a lap is stopped, for each lap
	picturesRate = 20.0 // frames for a second of the race

	roomForCar   = 3.5 // width of the road of generated tracks, in lengths of the car
	roomForDrone = 4   // width of an opening, in widths of the drone

	windowOnBridges = 16 // segments around a car among which it is localised where tracks cross themselves
)

// carsHead is the JSON of a frame with all vehicles at a time. The body has, for each vehicle: x, y, z, yaw, speed, arc
// length, offset to the right, and last lap, as float32, in metres, radians and seconds; then its reasons to have ended
// and its laps as int32.
type carsHead struct {
	Kind string   `json:"kind"` // cars
	Time float64  `json:"time"` // seconds
	Envs int      `json:"envs"`
	Ends []string `json:"ends"` // why each vehicle has ended, empty while it drives
}

// raceHead is the JSON of the frame before the first vehicles.
type raceHead struct {
	Kind    string  `json:"kind"` // race
	Scale   float64 `json:"scale"`
	Length  float64 `json:"length"` // of a vehicle, in metres
	Width   float64 `json:"width"`
	Model   string  `json:"model"`
	Rate    float64 `json:"rate"` // frames for a second
	Laps    int     `json:"laps"`
	MaxTime float64 `json:"max_time"`
}

// raceway is what vehicles drive on.
type raceway struct {
	tracks *trackgen.Batch     // nil for gate courses
	gates  *trackgen.GateBatch // nil for tracks
}

// hasValid reports whether there is a course to drive on.
func (on raceway) hasValid() bool {
	if on.gates != nil {
		return on.gates.NumValid() > 0
	}
	return on.tracks.NumValid() > 0
}

// drive answers the call "drive": a frame of courses in metres, and then frames of vehicles until all have stopped.
func (w *World) drive(ctx context.Context, r Request, file []byte, emit Emit) (err error) {
	if err := r.check(maxDriven); err != nil {
		return err
	}
	on, room, err := w.raceway(ctx, r, file)
	if err != nil {
		return err
	}
	c, err := r.raceConfig(on.gates != nil)
	if err != nil {
		return err
	}
	if !on.hasValid() {
		return refuse("course", "without a valid one", "such that a vehicle can drive on it")
	}
	scale, err := r.scaleFor(c, room)
	if err != nil {
		return err
	}
	head := raceHead{Kind: "race", Scale: scale, Model: c.Vehicle.Model, Laps: c.Reward.Ends.Laps,
		Length: c.Vehicle.Car.Length.Max, Width: c.Vehicle.Car.Width.Max, MaxTime: c.Reward.Ends.MaxTime}
	if c.Vehicle.Model == trackgen.Drone {
		head.Length, head.Width = c.Vehicle.Drone.Length.Max, c.Vehicle.Drone.Width.Max
	}
	steps := max(1, int(math.Round(1/(picturesRate*c.Vehicle.TimeStep))))
	head.Rate = 1 / (float64(steps) * c.Vehicle.TimeStep)
	courses, source, release, err := w.prepare(ctx, on, scale, &c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := errors.Join(emit(Frame{Head: head}), emit(courses)); err != nil {
		return err
	}
	return w.race(ctx, r, c, source, steps, emit)
}

// raceway makes the courses of a request, and returns half the width of the road, or of an opening, in track units; 0
// for circuits, whose unit is a metre.
func (w *World) raceway(ctx context.Context, r Request, file []byte) (on raceway, room float64, err error) {
	var end done
	switch r.Course {
	case CourseCircuit:
		made, err := w.importFile(ctx, r, file)
		if err == nil && made.batch.Envs > maxDriven {
			err = refuse("file", fmt.Sprint("a file of ", made.batch.Envs, " circuits"), fmt.Sprint("at most ", maxDriven))
		}
		return raceway{tracks: made.batch}, 0, err
	case CourseGates:
		c, err := configure(settings.Gates, r.Settings, r.Mix, trackgen.GateConfig.Validate)
		if err != nil {
			return on, 0, err
		}
		if !(c.Gate.Width > 0) {
			return on, 0, refuse("gate.width", c.Gate.Width, "> 0, so that a drone can fly through")
		}
		on.gates = new(trackgen.GateBatch)
		err = w.gates(ctx, r, &end, func(b *trackgen.GateBatch) error { return on.gates.Append(b, envsOf(b.Envs)...) })
		return on, c.Gate.Width / 2, err
	case CourseTracks:
		c, err := configure(settings.Tracks, r.Settings, r.Mix, trackgen.Config.Validate)
		if err != nil {
			return on, 0, err
		}
		if err := affordStored(r.envs(), c.Output.MaxPoints, "output.max_points"); err != nil {
			return on, 0, err
		}
		on.tracks = new(trackgen.Batch)
		err = w.tracks(ctx, r, c, &end, func(b *trackgen.Batch) error { return on.tracks.Append(b, envsOf(b.Envs)...) })
		return on, c.Road.HalfWidth, err
	}
	return on, 0, refuse("course", r.Course, "tracks, gates or circuit")
}

func envsOf(n int) []int {
	list := make([]int, n)
	for e := range list {
		list[e] = e
	}
	return list
}

// raceConfig returns the configuration of a race of the vehicle, with the settings of the request.
func (r Request) raceConfig(ofGates bool) (trackgen.RaceConfig, error) {
	d := r.Drive
	allowed := vehicleNames()
	if ofGates {
		allowed = []string{trackgen.Agilicious}
	}
	if d.Vehicle == "" {
		d.Vehicle = allowed[0]
	}
	if d.Laps == 0 {
		d.Laps = 1
	}
	if d.Line == "" {
		d.Line = trackgen.CentreLine
	}
	base := trackgen.DefaultRaceConfig()
	switch {
	case !slices.Contains(allowed, d.Vehicle):
		return base, refuse("drive.vehicle", fmt.Sprintf("%q", d.Vehicle), fmt.Sprint("one of ", allowed))
	case d.Line != trackgen.CentreLine && d.Line != trackgen.RacingLine:
		return base, refuse("drive.line", fmt.Sprintf("%q", d.Line), "centre or racing")
	case d.Laps < 1 || d.Laps > maxLaps:
		return base, refuse("drive.laps", d.Laps, fmt.Sprintf("a whole number >= 1 and <= %d", maxLaps))
	case d.Brave != 0 && !(d.Brave >= 0.1 && d.Brave <= 3):
		return base, refuse("drive.brave", d.Brave, "a number >= 0.1 and <= 3")
	}
	given, err := configure(settings.Races, d.Settings, nil, func(trackgen.RaceConfig) error { return nil })
	if err != nil {
		return base, err
	}
	base = vehicleConfig(d.Vehicle, ofGates)
	for _, field := range trackgen.RaceFields() {
		if _, set := d.Settings[field.Name]; !set {
			continue
		}
		if leftOutOfRace(field.Name) {
			return base, refuse(field.Name, d.Settings[field.Name], "left out here: it is for trackgen drive --race-set")
		}
		if err := field.Set(&base, field.Value(given)); err != nil {
			return base, err
		}
	}
	base.Reward.Ends.Laps, base.Follow = d.Laps, d.Line
	base.Reward.Ends.MaxTime = secondsOfLap * float64(d.Laps)
	return base, affordRace(base)
}

// affordRace refuses settings of a race that take too much time or memory for a page.
func affordRace(c trackgen.RaceConfig) error {
	var wrong []error
	if step := c.Vehicle.TimeStep; !(step >= 0.002) {
		wrong = append(wrong, refuse("vehicle.time_step", step, "a number >= 0.002 and <= 1 here"))
	}
	for _, bound := range []struct {
		field       string
		value, most int
	}{
		{"vehicle.substeps", c.Vehicle.Substeps, 16}, {"raceline.rounds", c.Raceline.Rounds, 100},
		{"collision.sdf_resolution", c.Course.Collision.SdfResolution, 256},
	} {
		if bound.value > bound.most {
			wrong = append(wrong, refuse(bound.field, bound.value, fmt.Sprintf("at most %d here", bound.most)))
		}
	}
	if problems, ok := problemsOf(errors.Join(wrong...), ""); ok {
		return &Refused{problems}
	}
	return nil
}

// vehicleConfig returns the configuration of a race of a vehicle, as trackgen drive has it.
func vehicleConfig(vehicle string, ofGates bool) trackgen.RaceConfig {
	c := trackgen.DefaultRaceConfig()
	switch {
	case ofGates:
		c = trackgen.DefaultDroneRaceConfig()
	case vehicle == trackgen.Agilicious:
		c.Vehicle.Model = trackgen.Drone
		c.Speed, _ = trackgen.PilotFor(c.Vehicle.Drone)
	default:
		c.Vehicle.Car, _ = trackgen.CarNamed(vehicle) // it is one of the names
		c.Speed, _ = trackgen.DriverFor(c.Vehicle.Car)
		c.Raceline.Margin = 1.2 * c.Vehicle.Car.Width.Max
	}
	c.Autoreset = trackgen.RaceNever
	return c
}

// scaleFor returns the metres of a track unit. room is half the width of a road or of an opening.
func (r Request) scaleFor(c trackgen.RaceConfig, room float64) (float64, error) {
	switch {
	case r.Scale != 0:
		if !(r.Scale >= 1e-3 && r.Scale <= 1e4) {
			return 0, refuse("scale", r.Scale, "a number >= 0.001 and <= 10000")
		}
		return r.Scale, nil
	case !(room > 0):
		return 1, nil
	}
	needed := roomForCar * c.Vehicle.Car.Length.Max
	switch {
	case r.Course == CourseGates:
		needed = roomForDrone * c.Vehicle.Drone.Width.Max
	case c.Vehicle.Model == trackgen.Drone:
		needed = roomForCar * max(c.Vehicle.Drone.Length.Max, c.Vehicle.Drone.Width.Max)
	}
	return math.Round(needed/(2*room)*1e9) / 1e9, nil
}

// prepare scales the courses to metres and copies them to the device. It returns a frame that shows them.
func (w *World) prepare(ctx context.Context, on raceway, scale float64, c *trackgen.RaceConfig) (Frame,
	trackgen.CourseSource, func() error, error) {
	if on.gates != nil {
		if err := on.gates.Scale(scale); err != nil {
			return Frame{}, trackgen.CourseSource{}, nil, err
		}
		gates, err := trackgen.UploadGates(ctx, w.device, on.gates)
		if err != nil {
			return Frame{}, trackgen.CourseSource{}, nil, err
		}
		return gateFrame(on.gates, 0), trackgen.CourseSource{Gates: gates}, gates.Close, nil
	}
	if err := on.tracks.Scale(scale); err != nil {
		return Frame{}, trackgen.CourseSource{}, nil, err
	}
	for _, crossings := range on.tracks.Crossings {
		if crossings > 0 {
			c.Bridges, c.Course.Localize.WarmWindow = true, windowOnBridges
		}
	}
	tracks, err := trackgen.Upload(ctx, w.device, on.tracks)
	if err != nil {
		return Frame{}, trackgen.CourseSource{}, nil, err
	}
	return trackFrame(on.tracks, 0, []Fault{}), trackgen.CourseSource{Tracks: tracks}, tracks.Close, nil
}

// race drives until all vehicles have stopped.
func (w *World) race(ctx context.Context, r Request, c trackgen.RaceConfig, source trackgen.CourseSource, steps int,
	emit Emit) (err error) {
	race, err := trackgen.NewRaceOver(w.device, source, c, trackgen.WithSeed(int32(r.Seed)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, race.Close()) }()
	brave := r.Drive.Brave
	if brave == 0 {
		brave = 1
	}
	driver, err := race.NewDriver(brave)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, driver.Close()) }()
	if err := race.BindActions(driver.Actions()); err != nil {
		return err
	}
	for step := 0; ; step++ {
		if step%steps == 0 {
			frame, over, err := vehicles(ctx, race, float64(step)*c.Vehicle.TimeStep)
			if err = errors.Join(err, ctx.Err()); err != nil {
				return err
			}
			if err := emit(frame); err != nil || over {
				return err
			}
		}
		if err := errors.Join(driver.Update(ctx), race.Step(ctx)); err != nil {
			return err
		}
	}
}

// vehicles returns a frame with where all vehicles are, and whether all have stopped.
func vehicles(ctx context.Context, race *trackgen.Race, time float64) (Frame, bool, error) {
	state, err := race.State().Read(ctx)
	if err != nil {
		return Frame{}, false, err
	}
	places, err := race.Course().Signals().Places.Read(ctx)
	if err != nil {
		return Frame{}, false, err
	}
	out, err := race.Outcomes().Read(ctx)
	if err != nil {
		return Frame{}, false, err
	}
	head := carsHead{Kind: "cars", Time: math.Round(time*1e6) / 1e6, Envs: state.Envs}
	var body []byte
	over := true
	for e, p := range state.Position {
		var yaw, speed float32
		if state.Car.Yaw != nil {
			yaw, speed = state.Car.Yaw[e], state.Car.Speed[e]
		} else {
			q := state.Orientation[e]
			yaw = float32(math.Atan2(float64(2*(q.W*q.Z+q.X*q.Y)), float64(1-2*(q.Y*q.Y+q.Z*q.Z))))
			speed = state.Velocity[e].Len()
		}
		for _, v := range []float32{p.X, p.Y, p.Z, yaw, speed, places.S[e], places.N[e], out.LastLap[e]} {
			body = binary.LittleEndian.AppendUint32(body, math.Float32bits(v))
		}
		body = binary.LittleEndian.AppendUint32(body, uint32(out.Reasons[e]))
		body = binary.LittleEndian.AppendUint32(body, uint32(out.Laps[e]))
		ended := ""
		if out.Done[e] != 0 {
			ended = "no course"
			if out.Reasons[e] != 0 {
				ended = out.Reasons[e].String()
			}
		}
		head.Ends = append(head.Ends, ended)
		over = over && ended != ""
	}
	return Frame{Head: head, Body: body}, over, nil
}

// trackMetadata returns the metadata of files of tracks.
func (w *World) trackMetadata(c trackgen.Config, source *export.Import) export.Metadata {
	return export.Metadata{Version: w.options.Version, Device: w.device.Info().Name, Config: c, Import: source}
}
