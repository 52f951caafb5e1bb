package command

import (
	"errors"
	"fmt"
	"io"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/bench/measure"
	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/internal/settings"
)

// The settings of the courses whose steps are measured, in parts of the width of the road or of a gate.
const (
	benchSpacing = 3.0  // of checkpoints
	benchPost    = 0.15 // radius of posts
)

// The number of beams of the cars of a race, and the largest one.
const (
	benchBeams = 64
	maxBeams   = 65536
)

// subjects sets the subjects of a plan whose batch sizes are set: each of the named generators.
func (f *benchFlags) subjects(plan *measure.Plan, stdin io.Reader) error {
	ofGates, err := f.ofGates()
	if err == nil {
		err = f.checkKind(ofGates)
	}
	if err != nil {
		return err
	}
	parts, err := f.readParts(stdin)
	if err != nil {
		return err
	}
	largest := plan.Envs[len(plan.Envs)-1]
	add := func(subject measure.Subject, invalid error) error {
		if invalid != nil {
			return badInput(fmt.Errorf("%s, %s: %w", subject.Generator(), countText(largest, thingOf(f.course)), invalid))
		}
		plan.Subjects = append(plan.Subjects, subject)
		return nil
	}
	if ofGates {
		configs, err := gateGeneratorConfigs(&f.configFlags, f.generators, stdin)
		for _, config := range configs {
			config.NumEnvs = largest
			if err = add(f.gates(config, parts)); err != nil {
				break
			}
		}
		return err
	}
	configs, err := generatorConfigs(&f.configFlags, f.generators, stdin)
	for _, config := range configs {
		config.NumEnvs = largest
		if err = add(f.tracks(config, parts)); err != nil {
			break
		}
	}
	return err
}

// checkKind refuses flags that exclude each other or have no effect.
func (f *benchFlags) checkKind(ofGates bool) error {
	switch {
	case f.step && f.races:
		return badInputf("--step and --race exclude each other: the one is a step of a course, the other of a race on it")
	case f.races && ofGates:
		return badInputf("--race drives cars on tracks: --course must be tracks")
	case f.beams != benchBeams && !f.races:
		return badInputf("--beams has an effect with --race only")
	}
	return errors.Join(f.signals.check(f.step), f.race.check(f.races))
}

// benchParts are the settings of what is measured on the batches.
type benchParts struct {
	signals []settings.Setting[trackgen.CourseConfig]
	race    []settings.Setting[trackgen.RaceConfig]
}

func (f *benchFlags) readParts(stdin io.Reader) (parts benchParts, err error) {
	if parts.signals, err = f.signals.read(stdin); err != nil {
		return parts, err
	}
	parts.race, err = f.race.read(stdin)
	return parts, err
}

// tracks returns the subject of a configuration of tracks, and whether it is valid.
func (f *benchFlags) tracks(config trackgen.Config, parts benchParts) (measure.Subject, error) {
	switch {
	case f.races:
		return f.raceOn(config, parts)
	case !f.step:
		return measure.Tracks(config), config.Validate()
	}
	course := trackgen.DefaultCourseConfig()
	course.Tracks, course.Checkpoints.Spacing = &config, benchSpacing*2*config.Road.HalfWidth
	course.Collision.Method, course.Localize.Enabled = trackgen.CollisionSegments, true
	course, err := changed(course, parts.signals)
	return measure.Steps(course), err
}

// raceOn returns the subject of a race on tracks, and whether it is valid. The tracks are made so large that the cars
// have room, as drive does.
func (f *benchFlags) raceOn(tracks trackgen.Config, parts benchParts) (measure.Subject, error) {
	race := trackgen.DefaultRaceConfig()
	race.Speed, _ = trackgen.DriverFor(race.Vehicle.Car)
	race.Course.Tracks, race.Reward.Ends.Laps = &tracks, 1
	subject := measure.Races(race, f.beams)
	origins, err := f.race.language.Apply(&race, parts.race)
	if err == nil && tracks.Road.HalfWidth > 0 {
		err = enlarge(&tracks, roomForCar*race.Vehicle.Car.Length.Max/(2*tracks.Road.HalfWidth))
	}
	if err != nil {
		return subject, err
	}
	return measure.Races(race, f.beams), settings.Locate(race.Validate(), origins)
}

// enlarge multiplies the lengths of a configuration.
func enlarge(c *trackgen.Config, factor float64) error {
	for _, field := range trackgen.Fields() {
		if length, ok := field.Value(*c).(float64); ok && field.Unit == config.Length {
			if err := field.Set(c, factor*length); err != nil {
				return err
			}
		}
	}
	kind := trackgen.ConfigKind()
	drawn := kind.Components(*c)
	for i := range drawn {
		if err := enlarge(&drawn[i], factor); err != nil {
			return err
		}
	}
	if len(drawn) > 0 {
		kind.SetComponents(c, kind.Weights(*c), drawn)
	}
	return nil
}

// gates is tracks for gate courses.
func (f *benchFlags) gates(config trackgen.GateConfig, parts benchParts) (measure.Subject, error) {
	if !f.step {
		return measure.Gates(config), config.Validate()
	}
	course := trackgen.DefaultCourseConfig()
	course.Gates, course.Posts.Radius = &config, benchPost*config.Gate.Width
	if config.Gate.Width == 0 {
		return measure.Steps(course), errors.New("gate.width is 0: must be a number > 0 with --step, such as " +
			"--set gate.width=10cm: a gate without an opening is never passed")
	}
	course, err := changed(course, parts.signals)
	return measure.Steps(course), err
}
