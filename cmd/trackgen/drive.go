package main

import (
	"context"
	"errors"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/cmd/trackgen/internal/settings"
	"github.com/trackgen-go/trackgen/export"
)

type driveFlags struct {
	configFlags
	reading   importFlags
	seed      int32
	race      configFlags // of the race: the file and the settings
	vehicle   string
	scale     float64
	laps      int
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
const driveHelp = `Drive lets a car drive on each track, and prints the lap times: of tracks that it generates, as generate
does with the same flags; of the tracks of an .npz file; or of circuits in files that import reads. The car
is one of --vehicle with the dynamics of a single-track model, a reference driver steers it by pure pursuit
along the centreline, and brakes and accelerates by a speed profile. docs/racing.md has the equations.

A track unit is a metre for the car. --scale multiplies the lengths of the tracks. Without it, generated
tracks are scaled so that the road is three and a half times as wide as the car is long, and the circuits
of files are as large as they are.

A car stops after --laps laps, when it leaves the road, goes the wrong way or makes no progress for 5
seconds. For each track the table says how far the car came, its best and its last lap, and why it stopped.
--brave makes the driver want more, or less, than the speed of the profile.

--states writes where the cars were, one row for each car and every --states-every steps: time in seconds,
place, yaw, speed, steering angle, arc length and offset to the right. --plot draws the ways of the cars, coloured
by speed, with the car where it has left the road, in red, and the reason below the track. --animation shows
twelve tracks with their cars, ten pictures for a second of the race, as a GIF.

--race is a file with settings of the race, as YAML or JSON, and --race-set sets one: of the car (car.mass),
the model (vehicle.model), the begin (spawn.mode), the ends (ends.stuck_time) or the profile
(speed.max_speed). The file of --config and --set are those of the generator.

How long it takes: two cores of a server make about half a million steps of a fiftieth of a second in a second;
a lap of 512 tracks takes two seconds, one of a Formula 1 circuit less than one.

Exit codes: 0 done, also if cars have crashed; 1 the run failed, 2 bad usage or input (nothing was written),
130 interrupted.`

func (a *app) driveCommand() *cobra.Command {
	var f driveFlags
	command := &cobra.Command{
		Use:   "drive [FILE ...]",
		Short: "Let cars drive on tracks, and print their lap times",
		Long:  driveHelp,
		Example: `  trackgen drive --envs 12 --plot driven.png
  trackgen drive --envs 512 --generator voronoi --format csv > laps.csv
  trackgen drive tracks.npz --laps 3 --animation race.gif
  trackgen drive Monza.csv Suzuka.csv --vehicle bmw_320i --states states.csv
  trackgen drive --envs 64 --brave 1.3 --plot crashes.png
  trackgen drive --envs 12 --race-set car.friction=0.7 --race-set vehicle.model=kinematic`,
		Args:        cobra.ArbitraryArgs,
		Annotations: fileArguments(roleInput),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return importExtensions, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	command.RunE = a.run(func(ctx context.Context, paths []string) error { return a.drive(ctx, f, paths) })
	f.configFlags.register(command)
	flags := command.Flags()
	flags.Var(numberFlag(&f.seed, 0, math.MinInt32, math.MaxInt32), "seed", "seed of the first track (default 0)")
	fileFlag(command, &f.race.file, "race", "", roleInput, "`file` with settings of the race, YAML or JSON")
	flags.StringArrayVar(&f.race.set, "race-set", nil,
		"set one field of the race: `key=value`, for example ends.stuck_time=2; may be repeated")
	flags.StringVar(&f.vehicle, "vehicle", trackgen.CarNames()[0],
		"`name` of the car: "+strings.Join(trackgen.CarNames(), ", "))
	flags.Var(realNumber(&f.scale, 0), "scale", "metres of a track unit (default: so that the road fits the car)")
	flags.Var(numberFlag(&f.laps, 1, 1, 1000), "laps", "laps of each car, 1 to 1000")
	flags.Var(realNumber(&f.brave, 1), "brave", "speed that the driver wants, as a part of the profile, 0.1 to 3")
	flags.StringVarP(&f.device, "device", "d", "auto", "`name` of the device: see trackgen devices")
	flags.Var(numberFlag(&f.workers, 0, 0, trackgen.MaxWorkers), "workers", "CPU workers, 0 for one on each core")
	formatFlag(command, &f.format, reportDefault, summaryFormats...)
	fileFlag(command, &f.states, "states", "", roleOutput, "`file` to write the states of the cars to: .csv")
	flags.Var(numberFlag(&f.every, 5, 1, 10000), "states-every", "steps from one state to the next, 1 to 10000")
	fileFlag(command, &f.plot, "plot", "", roleOutput, "`file` for a picture of the ways of the cars: .png or .svg")
	fileFlag(command, &f.animation, "animation", "", roleOutput, "`file` for an animation of twelve tracks: .gif")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no progress and no messages, only errors")
	completeFlag(command, "vehicle", trackgen.CarNames()...)
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
	config, err := f.raceConfig(a)
	if err != nil {
		return err
	}
	bar := newProgress(a.screen(f.quiet), "making the tracks", "", 1)
	defer bar.Done()
	device, err := a.openDevice(f.device, f.workers, f.quiet)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	batch, err := f.tracks(ctx, a, device, paths)
	if err != nil {
		return err
	}
	scale := f.scaleOf(config, len(paths) == 0)
	if err := batch.Scale(scale); err != nil {
		return err
	}
	bar.Finish()
	d := &drivers{app: a, flags: f, device: device, config: config, batch: batch, scale: scale}
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

// raceConfig returns the configuration of the race, without tracks: the defaults, then the car of --vehicle and the
// profile that fits it, then the file of --race, --race-set and --laps.
func (f driveFlags) raceConfig(a *app) (trackgen.RaceConfig, error) {
	valid := func(trackgen.RaceConfig) error { return nil } // once the tracks are there
	c, origins, err := loadConfig(&f.race, settings.Races, valid, a.stdin, nil)
	if err != nil {
		return c, err
	}
	car, err := trackgen.CarNamed(f.vehicle)
	if err != nil {
		return c, badInputf("--vehicle is %q: must be one of %s", f.vehicle, strings.Join(trackgen.CarNames(), ", "))
	}
	profile, _ := trackgen.DriverFor(car)
	base := trackgen.DefaultRaceConfig()
	base.Vehicle.Car, base.Speed = car, profile
	base.Autoreset, base.Reward.Ends.MaxTime = trackgen.RaceNever, 600*float64(f.laps)
	for _, field := range trackgen.RaceFields() {
		if _, set := origins[field.Name]; set {
			if err := field.Set(&base, field.Value(c)); err != nil {
				return c, badInput(err)
			}
		}
	}
	base.Reward.Ends.Laps = f.laps
	return base, nil
}

// scaleOf returns the metres of a track unit.
func (f driveFlags) scaleOf(c trackgen.RaceConfig, generated bool) float64 {
	switch {
	case f.scale != 0:
		return f.scale
	case generated:
		tracks, err := f.configFlags.load(strings.NewReader(""), nil)
		if err != nil || tracks.Road.HalfWidth <= 0 {
			return 1
		}
		return roomForCar * c.Vehicle.Car.Length.Max / (2 * tracks.Road.HalfWidth)
	}
	return 1
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
