package command

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/internal/settings"
)

type driveFlags struct {
	configFlags
	reading   importFlags
	seed      int32
	race      configFlags // of the race: the file and the settings
	vehicle   string
	line      string
	scale     float64
	laps      int
	lapsGiven bool // --laps is given
	brave     float64
	device    string
	workers   int
	format    string
	states    string
	every     int
	plot      string
	animation string
	quiet     bool
}

// driveHelp says what the command does.
const driveHelp = `Drive lets a vehicle drive on each track or gate course, and prints the lap times: of those that it
generates, as generate does with the same flags; of those of an .npz file; or of circuits in files that import
reads. A car of --vehicle has the dynamics of a single-track model, and a reference driver steers it by pure
pursuit along the centreline, and brakes and accelerates by a speed profile. With --course gates, or a file of
gate courses, a drone flies through the gates in their order; it flies along tracks too. docs/racing.md has the
equations.

A track unit is a metre for the vehicle. --scale multiplies the lengths of the courses. Without it, generated
tracks are scaled so that the road is three and a half times as wide as the vehicle is long, gates so that their
openings are four times as wide as the drone, and the courses of files are as large as they are: tracks that
generate has written need --scale, such as 10, since their road is a fifth of a metre wide by default. Gates whose
gate.width is not set are 1.6 times as wide as gate.radius.

A vehicle stops after --laps laps, when it leaves the road, goes the wrong way or makes no progress for 5
seconds. For each course the table says its length, the best and the last lap, how long the vehicle has driven,
where along the line it has stopped (reached), and why; lengths are metres, times seconds.
--brave makes the driver want more, or less, than the speed of the profile. With --line racing a car follows
the racing line, of minimum curvature, as far from the borders as raceline.margin says, by default 1.2 widths of
the car; the table then has the best lap along the centreline too.

--states writes where the vehicles were, one row for each and every --states-every steps: time in seconds,
place, yaw, speed, steering angle (of cars), arc length and offset to the right. --plot draws their ways, coloured
by speed, with a vehicle where it has left the road, in red, and the reason below the course. --animation shows
twelve courses with their vehicles, ten pictures for a second of the race, as a GIF.

--race is a file with settings of the race, as YAML or JSON, and --race-set sets one: of the car (car.mass),
the model (vehicle.model), the begin (spawn.mode), the ends (ends.stuck_time) or the profile
(speed.max_speed). docs/race-settings.md lists them. --laps wins over ends.laps, and autoreset has no effect,
because each vehicle drives once. The file of --config and --set are those of the generator.

How long it takes: two cores of a server make about half a million steps of a fiftieth of a second in a second;
a lap of 512 tracks takes two seconds, one of a Formula 1 circuit less than one.

Exit codes: 0 done, also if vehicles have crashed; 1 the run failed, 2 bad usage or input (nothing was written),
130 interrupted.`

func (a *app) driveCommand() *cobra.Command {
	var f driveFlags
	command := &cobra.Command{
		Use:   "drive [FILE ...]",
		Short: "Let cars drive and drones fly, and print lap times",
		Long:  driveHelp,
		Example: `  trackgen drive --envs 12 --plot driven.png
  trackgen drive --envs 512 --generator voronoi --format csv > laps.csv
  trackgen drive tracks.npz --scale 10 --laps 3 --animation race.gif
  trackgen drive Monza.csv Suzuka.csv --vehicle bmw_320i --states states.csv
  trackgen drive --course gates --envs 12 --set elevation.profile=noise --plot flown.png
  trackgen drive --envs 64 --brave 1.3 --plot crashes.png
  trackgen drive --envs 12 --race-set car.friction=0.7 --race-set vehicle.model=kinematic`,
		Args:        cobra.ArbitraryArgs,
		Annotations: fileArguments(roleInput),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return importExtensions, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	command.RunE = a.run(func(ctx context.Context, paths []string) error {
		f.lapsGiven = command.Flags().Changed("laps")
		return a.drive(ctx, f, paths)
	})
	f.configFlags.register(command)
	f.registerCourse(command)
	flags := command.Flags()
	flags.Var(numberFlag(&f.seed, 0, math.MinInt32, math.MaxInt32), "seed", "seed of the first track (default 0)")
	fileFlag(command, &f.race.file, "race", "", roleInput, "`file` with settings of the race, YAML or JSON")
	flags.StringArrayVar(&f.race.set, "race-set", nil,
		"set one field of the race: `key=value`, for example ends.stuck_time=2; may be repeated")
	flags.StringVar(&f.vehicle, "vehicle", "", "`name` of the vehicle: "+strings.Join(vehicleNames(), ", ")+
		" (default "+trackgen.CarNames()[0]+", on gate courses "+trackgen.Agilicious+")")
	flags.StringVar(&f.line, "line", trackgen.CentreLine, "`name` of the line that a car follows: centre or racing")
	flags.Var(realNumber(&f.scale, 0), "scale", "metres of a track unit (default: so that the road fits the car)")
	flags.Var(numberFlag(&f.laps, 1, 1, 1000), "laps", "laps of each vehicle, 1 to 1000")
	flags.Var(realNumber(&f.brave, 1), "brave", "speed that the driver wants, as a part of the profile, 0.1 to 3")
	flags.StringVarP(&f.device, "device", "d", "auto", "`name` of the device: see trackgen devices")
	flags.Var(numberFlag(&f.workers, 0, 0, trackgen.MaxWorkers), "workers", "CPU workers, 0 for one on each core")
	formatFlag(command, &f.format, reportDefault, summaryFormats...)
	fileFlag(command, &f.states, "states", "", roleOutput, "`file` to write the states of the vehicles to: .csv")
	flags.Var(numberFlag(&f.every, 5, 1, 10000), "states-every", "steps from one state to the next, 1 to 10000")
	fileFlag(command, &f.plot, "plot", "", roleOutput, "`file` for a picture of the ways of the vehicles: .png or .svg")
	fileFlag(command, &f.animation, "animation", "", roleOutput, "`file` for an animation of twelve courses: .gif")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no progress and no messages, only errors")
	completeFlag(command, "vehicle", vehicleNames()...)
	completeFlag(command, "line", trackgen.CentreLine, trackgen.RacingLine)
	completeDevice(command)
	return command
}

// drive runs the command. It checks all input before it creates a file.
func (a *app) drive(ctx context.Context, f driveFlags, paths []string) (err error) {
	chosen, err := a.reportFormat(f.format, summaryFormats...)
	if err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	ofGates, err := f.ofGates()
	if err != nil {
		return err
	}
	ofGates = ofGates || len(paths) == 1 && export.HoldsGates(paths[0])
	if err := f.chooseVehicle(ofGates); err != nil {
		return err
	}
	config, err := f.raceConfig(a, ofGates)
	if err != nil {
		return err
	}
	bar := newProgress(a.screen(f.quiet), "making the courses", "", 1)
	defer bar.Done()
	device, err := a.openDevice(f.device, f.workers, f.quiet)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	courses, err := f.courses(ctx, a, device, paths, ofGates)
	if err != nil {
		return err
	}
	scale, err := f.scaleOf(a, config, len(paths) == 0, ofGates)
	if err != nil {
		return err
	}
	if err := courses.scale(scale); err != nil {
		return err
	}
	bar.Finish()
	f.noteNarrow(a, courses, config)
	d := &drivers{app: a, flags: f, device: device, config: config, courses: courses, scale: scale}
	if err := d.run(ctx); err != nil {
		return flagOfRace(err)
	}
	if err := d.write(ctx); err != nil {
		return err
	}
	return d.print(chosen)
}

// check refuses flags that are out of range, and files whose extensions do not fit.
func (f driveFlags) check() error {
	switch {
	case f.scale != 0 && !(f.scale >= 1e-9 && f.scale <= 1e9):
		return badInputf("--scale is %v: must be a number from 1e-9 to 1e9", f.scale)
	case f.line != trackgen.CentreLine && f.line != trackgen.RacingLine:
		return badInputf("--line is %q: must be centre or racing", f.line)
	case !(f.brave >= 0.1 && f.brave <= 3):
		return badInputf("--brave is %v: must be a number from 0.1 to 3", f.brave)
	}
	for _, file := range []struct {
		flag, path string
		formats    []format
	}{
		{"--states", f.states, []format{formatCSV}}, {"--plot", f.plot, pictureFormats},
		{"--animation", f.animation, []format{formatGIF}},
	} {
		if file.path == "" {
			continue
		}
		if _, err := fileFormat(file.flag, file.path, "", file.formats...); err != nil {
			return err
		}
		if err := export.Probe(file.path); err != nil {
			return badInput(err)
		}
	}
	return nil
}

// chooseVehicle sets --vehicle to its default, and refuses one that is unknown or cannot drive there.
func (f *driveFlags) chooseVehicle(ofGates bool) error {
	allowed := vehicleNames()
	if ofGates {
		allowed = []string{trackgen.Agilicious}
	}
	if f.vehicle == "" {
		f.vehicle = allowed[0]
	}
	if !slices.Contains(allowed, f.vehicle) {
		where := ""
		if ofGates {
			where = " for gate courses"
		}
		return badInputf("--vehicle is %q: must be one of %s%s", f.vehicle, strings.Join(allowed, ", "), where)
	}
	return nil
}

// vehicleNames lists the vehicles, the default first.
func vehicleNames() []string { return append(trackgen.CarNames(), trackgen.Agilicious) }

// raceConfig returns the configuration of the race, without tracks: the defaults, then the vehicle of --vehicle and the
// profile that fits it, then the file of --race, --race-set and --laps.
func (f driveFlags) raceConfig(a *app, ofGates bool) (trackgen.RaceConfig, error) {
	valid := func(trackgen.RaceConfig) error { return nil } // once the tracks are there
	f.race.setFlag = "--race-set"
	c, origins, err := loadConfig(&f.race, settings.Races, valid, a.stdin, nil)
	if err != nil {
		return c, err
	}
	if _, set := origins["ends.laps"]; set && !f.lapsGiven && c.Reward.Ends.Laps > 0 {
		f.laps = c.Reward.Ends.Laps
	}
	base := f.standards(ofGates)
	model := base.Vehicle.Model
	for _, field := range trackgen.RaceFields() {
		if _, set := origins[field.Name]; set && field.Name != "autoreset" { // each vehicle drives once
			if err := field.Set(&base, field.Value(c)); err != nil {
				return c, badInput(err)
			}
		}
	}
	if _, set := origins["follow"]; set && base.Follow != f.line {
		return base, badInputf("%s: follow is %s: must be %s, which --line says", origins["follow"], base.Follow, f.line)
	}
	base.Reward.Ends.Laps, base.Follow = f.laps, f.line
	return base, badInput(settings.Locate(f.checkRace(base, model), origins))
}

// checkRace refuses settings with which the command cannot do its work: it shows one vehicle on each course, of the
// kind of --vehicle, and waits for the end of its one episode. model is that of --vehicle.
func (f driveFlags) checkRace(c trackgen.RaceConfig, model string) error {
	refuse := func(field string, value any, allowed string) error {
		return &trackgen.ConfigError{Field: field, Value: fmt.Sprint(value), Allowed: allowed}
	}
	switch ends := c.Reward.Ends; {
	case c.Course.Agents > 1:
		return refuse("agents", c.Course.Agents, "1: drive has one vehicle on each course")
	case ends.MaxTime == 0 && ends.MaxSteps == 0:
		return refuse("ends.max_time", 0, "> 0 without ends.max_steps: drive waits for the end of each vehicle")
	case (c.Vehicle.Model == trackgen.Drone) != (model == trackgen.Drone):
		return refuse("vehicle.model", c.Vehicle.Model, "that of the vehicle "+f.vehicle+", such as "+model)
	}
	return nil
}

// standards returns the configuration of a race of the vehicle, before that of the user.
func (f driveFlags) standards(ofGates bool) trackgen.RaceConfig {
	base := trackgen.DefaultRaceConfig()
	switch {
	case ofGates:
		base = trackgen.DefaultDroneRaceConfig()
	case f.vehicle == trackgen.Agilicious:
		base.Vehicle.Model = trackgen.Drone
		base.Speed, _ = trackgen.PilotFor(base.Vehicle.Drone)
	default:
		base.Vehicle.Car, _ = trackgen.CarNamed(f.vehicle) // it is one of the names
		base.Speed, _ = trackgen.DriverFor(base.Vehicle.Car)
		base.Raceline.Margin = 1.2 * base.Vehicle.Car.Width.Max
	}
	base.Autoreset, base.Reward.Ends.MaxTime = trackgen.RaceNever, 600*float64(f.laps)
	return base
}

// scaleOf returns the metres of a track unit.
func (f driveFlags) scaleOf(a *app, c trackgen.RaceConfig, generated, ofGates bool) (float64, error) {
	switch {
	case f.scale != 0:
		return f.scale, nil
	case generated && ofGates:
		gates, err := f.gateConfig(a)
		if err != nil || gates.Gate.Width <= 0 {
			return 1, err
		}
		scale := roomForDrone * c.Vehicle.Drone.Width.Max / gates.Gate.Width
		return math.Round(scale*1e9) / 1e9, nil // 40, and not 39.99999999999999
	case generated:
		tracks, err := f.configFlags.load(a.stdin, nil)
		if err != nil || tracks.Road.HalfWidth <= 0 {
			return 1, err
		}
		length := c.Vehicle.Car.Length.Max
		if c.Vehicle.Model == trackgen.Drone {
			length = max(c.Vehicle.Drone.Length.Max, c.Vehicle.Drone.Width.Max)
		}
		scale := roomForCar * length / (2 * tracks.Road.HalfWidth)
		return math.Round(scale*1e9) / 1e9, nil // 10.15, and not 10.149999999999999
	}
	return 1, nil
}

// noteNarrow tells of roads on which the car does not fit, as those of generated tracks whose units are not metres.
func (f driveFlags) noteNarrow(a *app, r raceway, race trackgen.RaceConfig) {
	v := race.Vehicle
	if f.quiet || r.gates != nil || v.Model == trackgen.Drone {
		return
	}
	narrow, width := 0, math.Inf(1)
	for e := range r.tracks.Envs {
		if r.tracks.Count[e] == 0 {
			continue
		}
		i := e * r.tracks.NMax
		across := r.tracks.Outer[i].Sub(r.tracks.Inner[i])
		at := math.Hypot(float64(across.X), float64(across.Y))
		if at <= v.Car.Width.Max {
			narrow++
			width = min(width, at)
		}
	}
	if narrow > 0 {
		a.message("the road of %d of %d tracks is narrower than the car at its start (%.3g m, the car %.3g m): "+
			"--scale makes it wider", narrow, r.tracks.Envs, width, v.Car.Width.Max)
	}
}

// roomForCar is the width of the road of generated tracks, in lengths of the car.
const roomForCar = 3.5

// flagOfRace makes an error of the configuration one of the input.
func flagOfRace(err error) error {
	if errors.Is(err, trackgen.ErrConfig) {
		return badInput(err)
	}
	return err
}
