package main

import (
	"context"
	"errors"
	"math"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/race/difficulty"
	"github.com/trackgen-go/trackgen/race/difficulty/filter"
	"github.com/trackgen-go/trackgen/race/raceline"
)

// labelFlags are the flags of commands that choose tracks by their labels: see package difficulty.
type labelFlags struct {
	where  string // a condition, or empty
	show   bool   // the labels are part of the report
	car    raceline.Config
	device string
	given  []string // flags of the car and of the device that are given
}

// labelFlagNames are the flags that have an effect only if labels are computed.
var labelFlagNames = []string{"car-width", "max-lateral-acceleration", "max-acceleration", "max-braking", "max-speed",
	"device"}

// add adds the flags. do says what is done to the tracks that match.
func (f *labelFlags) add(command *cobra.Command, do string) {
	f.car = raceline.DefaultConfig()
	flags := command.Flags()
	flags.StringVar(&f.where, "where", "", do+" only the tracks whose labels match a `condition`, such as "+
		"'lap_time < 8 and hairpins >= 2'")
	atLeast0 := metresRange{0, 1e6, false, "a number >= 0 and <= 1000000"}
	flags.Var(metres(&f.car.CarWidth, atLeast0), "car-width", "labels: width of the car, a `length`")
	flags.Var(metres(&f.car.LateralAcceleration, positive), "max-lateral-acceleration",
		"labels: highest acceleration across the line, a `number` in length/time²")
	flags.Var(metres(&f.car.Acceleration, atLeast0), "max-acceleration",
		"labels: highest acceleration along a straight, a `number` in length/time²")
	flags.Var(metres(&f.car.Braking, atLeast0), "max-braking",
		"labels: highest deceleration along a straight, a `number` in length/time²")
	flags.Var(metres(&f.car.MaxSpeed, positive), "max-speed", "labels: highest speed, a `number` in length/time")
	flags.StringVarP(&f.device, "device", "d", "auto", "`name` of the device that computes labels: see trackgen devices")
	completeDevice(command)
}

// note notes which flags of labels the command line has.
func (f *labelFlags) note(command *cobra.Command) {
	f.given = nil
	command.Flags().Visit(func(flag *pflag.Flag) {
		for _, name := range labelFlagNames {
			if flag.Name == name {
				f.given = append(f.given, name)
			}
		}
	})
}

// refuseGates returns an error of the input if there is a flag of labels, which gate courses do not have.
func (f labelFlags) refuseGates(path string) error {
	name := ""
	switch {
	case f.where != "":
		name = "where"
	case f.show:
		name = "labels"
	case len(f.given) > 0:
		name = f.given[0]
	default:
		return nil
	}
	return badInputf("--%s has no effect: %s holds gate courses", name, path)
}

// labeller labels tracks and tells which match. It is nil where no labels are wanted.
type labeller struct {
	device trackgen.Device
	car    raceline.Config
	filter *filter.Filter // nil: all match
}

// open checks the flags, and opens the device if labels are wanted. others are flags, besides --where, that want them.
func (f labelFlags) open(a *app, quiet bool, others string) (*labeller, error) {
	if f.where == "" && !f.show {
		if len(f.given) > 0 {
			return nil, badInputf("--%s has an effect with --where%s only", f.given[0], others)
		}
		return nil, nil
	}
	l := &labeller{car: f.car}
	if f.where != "" {
		var err error
		if l.filter, err = filter.Parse(f.where); err != nil {
			var wrong *backend.ArgumentError
			if errors.As(err, &wrong) {
				return nil, badInputf("--where: %v: must be %s", wrong.Value, wrong.Allowed)
			}
			return nil, badInput(err)
		}
	}
	var err error
	l.device, err = a.openDevice(f.device, 0, quiet)
	return l, err
}

// close closes the device.
func (l *labeller) close() error {
	if l == nil {
		return nil
	}
	return l.device.Close()
}

// label returns the labels of a chunk of tracks, nil if no labels are wanted.
func (l *labeller) label(ctx context.Context, chunk *trackgen.Batch) (_ *difficulty.Batch, err error) {
	if l == nil {
		return nil, nil
	}
	tracks, err := trackgen.Upload(ctx, l.device, chunk)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tracks.Close()) }()
	lines, err := raceline.New(l.device, raceline.SourceOf(tracks), l.car)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lines.Close()) }()
	config := difficulty.DefaultConfig()
	config.CarWidth = l.car.CarWidth
	assessor, err := difficulty.New(l.device, difficulty.SourceOf(tracks, lines.Line()), config)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, assessor.Close()) }()
	return assessor.Labels().Read(ctx)
}

// matches reports whether env e of a chunk matches.
func (l *labeller) matches(labels *difficulty.Batch, e int) bool {
	return l == nil || l.filter == nil || l.filter.Match(labels, e)
}

// keepMatching leaves out the picked tracks that do not match, and counts them as not asked for.
func (p *tracksPicked) keepMatching(ctx context.Context, path string, l *labeller) error {
	if l == nil || len(p.envs) == 0 {
		return nil
	}
	var matching []int
	err := p.each(ctx, path, func(chunk *trackgen.Batch, envs []int) error {
		labels, err := l.label(ctx, chunk)
		if err != nil {
			return err
		}
		for e, env := range envs {
			if l.matches(labels, e) {
				matching = append(matching, env)
			} else if chunk.Valid[e] == 0 {
				p.invalid--
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(matching) == 0 {
		return badInputf("%s: none of %s matches --where", path, tracksText(len(p.envs)))
	}
	p.asked -= len(p.envs) - len(matching)
	p.envs = matching
	return nil
}

// labelMeans adds up labels over tracks.
type labelMeans struct {
	sums  map[string]float64
	count int
}

// add adds the labels of a track, unless it has no racing line.
func (m *labelMeans) add(labels map[string]any) {
	if m.sums == nil {
		m.sums = map[string]float64{}
	}
	if math.IsNaN(labels["lap_time"].(float64)) {
		return
	}
	for name, v := range labels {
		m.sums[name] += v.(float64)
	}
	m.count++
}

// means returns the means by the names of the labels, nil without a track.
func (m *labelMeans) means() map[string]float64 {
	if m.count == 0 {
		return nil
	}
	means := map[string]float64{}
	for name, sum := range m.sums {
		means[name] = sum / float64(m.count)
	}
	return means
}

// labelNames returns the names of the labels, in lines of help.
func labelNames() string {
	names := filter.Names()
	half := len(names) / 2
	return strings.Join(names[:half], ", ") + ",\n" + strings.Join(names[half:], ", ")
}
