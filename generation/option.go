package generation

import (
	"context"
	"fmt"
	"strings"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/seeds"
)

// Option is an option of the constructors of generators.
type Option func(*Options)

// Options are what options set. The zero value has the defaults.
type Options struct {
	Seeds      seeds.Options
	Epoch      int32
	Stages     []exec.Stage
	Components []int32 // nil if none are given
	FirstEnv   int
	Warn       exec.WarnFunc
}

// WithSeed gives the envs the seeds first, first+1, ...; the default is 0, 1, ...
func WithSeed(first int32) Option {
	return func(o *Options) { o.Seeds.Base, o.Seeds.Values = first, nil }
}

// WithSeeds gives env e the seed values[e]; there must be one for each env.
func WithSeeds(values []int32) Option {
	if values == nil {
		values = []int32{} // nil would mean the default; an empty list is refused for its length
	}
	return func(o *Options) { o.Seeds.Base, o.Seeds.Values = 0, values }
}

// WithEpoch sets the first epoch of every env; the default is 0.
func WithEpoch(epoch int32) Option {
	return func(o *Options) { o.Epoch = epoch }
}

// WithComponents gives env e of a mixed batch the component values[e]; there must be one for each env, and -1 lets an
// env draw its component.
func WithComponents(values []int32) Option {
	if values == nil {
		values = []int32{} // nil would mean the default; an empty list is refused for its length
	}
	return func(o *Options) { o.Components = values }
}

// WithFirstEnv makes env e of a generator env first + e of a batch that is made in parts. Only results that depend on
// the number of an env change with it.
func WithFirstEnv(first int) Option {
	return func(o *Options) { o.FirstEnv = first }
}

// WithStream sets the stream of calls for which neither the call nor an ambient context names one (R6).
func WithStream(stream backend.Stream) Option {
	return func(o *Options) { o.Seeds.DefaultStream = stream }
}

// WithStages adds stages to the end of a generation. They work on the envs that pipeline.Active lists.
func WithStages(stages ...exec.Stage) Option {
	return func(o *Options) { o.Stages = append(o.Stages, stages...) }
}

// WithWarnings passes warnings to warn instead of the default logger.
func WithWarnings(warn exec.WarnFunc) Option {
	return func(o *Options) { o.Warn = warn }
}

// Part returns the options of a generator that makes envs low to high-1 of the batch. Stages and streams are left out.
func (o Options) Part(low, high int) []Option {
	list := []Option{WithSeed(o.Seeds.Base + int32(low)), WithEpoch(o.Epoch), WithFirstEnv(o.FirstEnv + low),
		WithWarnings(o.Warn)}
	if o.Seeds.Values != nil {
		list = append(list, WithSeeds(o.Seeds.Values[low:high]))
	}
	if o.Components != nil {
		list = append(list, WithComponents(o.Components[low:high]))
	}
	return list
}

// Collect applies options, which a constructor has received: op is what it does, after the prefix of its package. A nil
// option is a *backend.ArgumentError.
func Collect(prefix, op string, with []Option) (Options, error) {
	var o Options
	for i, option := range with {
		if option == nil {
			return o, &backend.ArgumentError{Op: prefix + op, Argument: fmt.Sprintf("option %d", i), Value: nil,
				Allowed: "an Option of package " + strings.TrimSuffix(prefix, ": ")}
		}
		option(&o)
	}
	return o, nil
}

// RefuseOrigins refuses seeds, an epoch and components, in an object that takes those of the tracks that it works on.
func (o Options) RefuseOrigins(op string) error {
	if o.Seeds.Base == 0 && o.Seeds.Values == nil && o.Epoch == 0 && o.Components == nil {
		return nil
	}
	return &backend.ArgumentError{Op: op, Argument: "options", Value: "seeds, an epoch or components",
		Allowed: "none of them: those of the tracks count"}
}

// CheckSeeds refuses given seeds of another number than that of the envs. op is what the constructor does.
func (o Options) CheckSeeds(op string, envs int) error {
	if o.Seeds.Values == nil || len(o.Seeds.Values) == envs {
		return nil
	}
	return &backend.ArgumentError{Op: op, Argument: "seeds length", Value: len(o.Seeds.Values),
		Allowed: fmt.Sprint(envs)}
}

// CheckComponents refuses given components that do not exist in a batch of envs with this number of components, 0 if it
// is not mixed.
func (o Options) CheckComponents(envs, components int) error {
	const op, arg = "check options", "components"
	switch {
	case o.Components == nil:
		return nil
	case components == 0:
		return &backend.ArgumentError{Op: op, Argument: arg, Value: fmt.Sprintf("%d values", len(o.Components)),
			Allowed: "none: the batch is not mixed"}
	case len(o.Components) != envs:
		return &backend.ArgumentError{Op: op, Argument: arg + " length", Value: len(o.Components),
			Allowed: fmt.Sprint(envs)}
	}
	for e, k := range o.Components {
		if k < drawComponent || int(k) >= components {
			return &backend.ArgumentError{Op: op, Argument: fmt.Sprintf("%s[%d]", arg, e), Value: k,
				Allowed: fmt.Sprintf("0 to %d, or -1 to draw one", components-1)}
		}
	}
	return nil
}

// CheckNotCapturing returns exec.ErrCapture if the default stream of the options is being captured. A constructor calls
// it before any device work.
func (o Options) CheckNotCapturing(device backend.Device, producer string) error {
	_, err := exec.EnsureNotCapturing(context.Background(), device, producer, o.Seeds.DefaultStream)
	return err
}
