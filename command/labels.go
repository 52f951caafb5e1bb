package command

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export/labels"
)

// labelFlags are the flags of commands that choose tracks by their labels: see package labels.
type labelFlags struct {
	where  string // a condition, or empty
	show   bool   // the labels are part of the report
	config labels.Config
	device string
	given  []string // flags of the car and of the device that are given
}

// labelFlagNames are the flags that have an effect only if labels are computed.
var labelFlagNames = []string{"car-width", "max-lateral-acceleration", "max-acceleration", "max-braking", "max-speed",
	"device"}

// add adds all flags. do says what is done to the tracks that match.
func (f *labelFlags) add(command *cobra.Command, do string) {
	f.addWhere(command, do)
	f.addLimits(command)
	command.Flags().StringVarP(&f.device, "device", "d", "auto",
		"`name` of the device that computes labels: see trackgen devices")
	completeDevice(command)
}

// addWhere adds the flags that no other part of a command has.
func (f *labelFlags) addWhere(command *cobra.Command, do string) {
	f.config = labels.DefaultConfig()
	flags := command.Flags()
	flags.StringVar(&f.where, "where", "", do+" only the tracks whose labels match a `condition`, such as "+
		"'lap_time < 8 and hairpins >= 2'")
	atLeast0 := metresRange{0, 1e6, false, "a number >= 0 and <= 1000000"}
	flags.Var(metres(&f.config.Car.CarWidth, atLeast0), "car-width", "labels: width of the car, a `length`")
}

// addLimits adds the limits of the car.
func (f *labelFlags) addLimits(command *cobra.Command) {
	car, flags := &f.config.Car, command.Flags()
	atLeast0 := metresRange{0, 1e6, false, "a number >= 0 and <= 1000000"}
	flags.Var(metres(&car.LateralAcceleration, positive), "max-lateral-acceleration",
		"labels: highest acceleration across the line, a `number` in length/time²")
	flags.Var(metres(&car.Acceleration, atLeast0), "max-acceleration",
		"labels: highest acceleration along a straight, a `number` in length/time²")
	flags.Var(metres(&car.Braking, atLeast0), "max-braking",
		"labels: highest deceleration along a straight, a `number` in length/time²")
	flags.Var(metres(&car.MaxSpeed, positive), "max-speed", "labels: highest speed, a `number` in length/time")
}

// note notes which flags of labels the command line has. shared are flags that have an effect without labels, too.
func (f *labelFlags) note(command *cobra.Command, shared ...string) {
	f.given = nil
	command.Flags().Visit(func(flag *pflag.Flag) {
		if slices.Contains(labelFlagNames, flag.Name) && !slices.Contains(shared, flag.Name) {
			f.given = append(f.given, flag.Name)
		}
	})
}

// flag returns the name of a flag of labels that is given, or nothing.
func (f labelFlags) flag() string {
	switch {
	case f.where != "":
		return "where"
	case f.show:
		return "labels"
	case len(f.given) > 0:
		return f.given[0]
	}
	return ""
}

// refuseGates returns an error of the input if there is a flag of labels, which gate courses do not have.
func (f labelFlags) refuseGates(path string) error {
	if f.flag() == "" {
		return nil
	}
	return badInputf("--%s has no effect: %s holds gate courses", f.flag(), path)
}

// labeller labels tracks and tells which match. It is nil where no labels are wanted.
type labeller struct {
	device trackgen.Device
	config labels.Config
	filter *labels.Filter // nil: all match
}

// open checks the flags, and opens the device if labels are wanted. others are flags, besides --where, that want them.
func (f labelFlags) open(a *app, quiet bool, others string) (*labeller, error) {
	if f.where == "" && !f.show {
		if len(f.given) > 0 {
			return nil, badInputf("--%s has an effect with --where%s only", f.given[0], others)
		}
		return nil, nil
	}
	l := &labeller{config: f.config}
	if err := l.parse(f.where); err != nil {
		return nil, err
	}
	var err error
	l.device, err = a.openDevice(f.device, 0, quiet)
	return l, err
}

// parse parses a condition, unless it is empty.
func (l *labeller) parse(where string) (err error) {
	if where == "" {
		return nil
	}
	if l.filter, err = labels.Parse(where); err == nil {
		return nil
	}
	var wrong *trackgen.ArgumentError
	if errors.As(err, &wrong) {
		return badInputf("--where: %v: must be %s", wrong.Value, wrong.Allowed)
	}
	return badInput(err)
}

// close closes the device.
func (l *labeller) close() error {
	if l == nil {
		return nil
	}
	return l.device.Close()
}

// label returns the labels of a chunk of tracks, nil if no labels are wanted.
func (l *labeller) label(ctx context.Context, chunk *trackgen.Batch) (*labels.Batch, error) {
	if l == nil {
		return nil, nil
	}
	return labels.Of(ctx, l.device, chunk, l.config)
}

// matches reports whether env e of a chunk matches.
func (l *labeller) matches(of *labels.Batch, e int) bool {
	return l == nil || l.filter == nil || l.filter.Match(of, e)
}

// matching returns what tells which envs of a chunk match, nil if all do.
func (l *labeller) matching(ctx context.Context, chunk *trackgen.Batch) (func(e int) bool, error) {
	if l == nil || l.filter == nil || chunk.Envs == 0 {
		return nil, nil
	}
	of, err := l.label(ctx, chunk)
	return func(e int) bool { return l.matches(of, e) }, err
}

// keepMatching leaves out the picked tracks that do not match, and counts them as not asked for.
func (p *tracksPicked) keepMatching(ctx context.Context, path string, l *labeller) error {
	if l == nil || len(p.envs) == 0 {
		return nil
	}
	var matching []int
	err := p.each(ctx, path, func(chunk *trackgen.Batch, envs []int) error {
		of, err := l.label(ctx, chunk)
		if err != nil {
			return err
		}
		for e, env := range envs {
			if l.matches(of, e) {
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

// labelNames returns the names of the labels, in lines of help.
func labelNames() string {
	names := labels.Names()
	half := len(names) / 2
	return strings.Join(names[:half], ", ") + ",\n" + strings.Join(names[half:], ", ")
}
