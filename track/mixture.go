package track

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/trackgen-go/trackgen/exec"
)

// Mixed is the Generator of a configuration whose envs draw their loops with different generators: those of Config.Mix.
const Mixed = "mixed"

// Component is one kind of loop of a mixed batch.
type Component struct {
	// Weight says how often the component is drawn: weight over the sum of all weights is its probability. Default: 1; a number
	// > 0 and <= 1000000.
	Weight float64
	// Config has the Generator and the other settings of the first loop. What is unset there is as in the configuration that
	// the component is a part of, so a component cannot turn off style_sampling, or set edgy to 0, where that has another
	// value. Fields that concern everything after the first loop are the same for all components and stay unset; see
	// Field.Shared.
	Config Config
}

const (
	maxComponents = 64
	maxWeight     = 1e6

	// weightSteps is how finely probabilities are resolved: a draw is a multiple of 2^-24.
	weightSteps = 1 << 24
)

// sharedSections are the sections of fields that all components of a mixed batch share, but for the generator.
var sharedSections = []string{"Batch", "Road", "Relaxation", "Output", "Validity", "Elevation"}

// Shared reports whether all components of a mixed batch have one value of the field: it concerns the batch, or what comes
// after the first loop.
func (f Field) Shared() bool {
	return f.Name != generatorField && slices.Contains(sharedSections, f.Section)
}

// IsSet reports whether c has a value of its own in the field: anything but the zero value of its Go type.
func (f Field) IsSet(c Config) bool { return !reflect.ValueOf(c).FieldByIndex(f.index).IsZero() }

// copyTo gives to the field's value in from.
func (f Field) copyTo(to *Config, from Config) {
	reflect.ValueOf(to).Elem().FieldByIndex(f.index).Set(reflect.ValueOf(from).FieldByIndex(f.index))
}

// Components returns the configuration of each component of a mixed batch, by itself: an env of component k has the track that
// a batch of the k-th of them gives it. It is nil without Mix.
func (c Config) Components() []Config {
	c = c.WithDefaults()
	var list []Config
	for _, component := range c.Mix {
		single := component.Config
		for _, f := range fields {
			if f.Shared() {
				f.copyTo(&single, c)
			}
		}
		list = append(list, single)
	}
	return list
}

// mixWithDefaults returns the components with every setting of their first loops: their own, those of c, or the defaults.
func (c Config) mixWithDefaults() []Component {
	if c.Mix == nil {
		return nil
	}
	mix := slices.Clone(c.Mix)
	for k := range mix {
		component := &mix[k]
		if component.Weight == 0 {
			component.Weight = 1
		}
		single := Config{Generator: component.Config.Generator}
		for _, f := range fields {
			switch {
			case f.Shared() || f.Name == generatorField:
			case f.IsSet(component.Config):
				f.copyTo(&single, component.Config)
			default:
				f.copyTo(&single, c)
			}
		}
		filled := single.fieldDefaults()
		for _, f := range fields {
			if !f.Shared() {
				f.copyTo(&single, filled)
			}
		}
		component.Config = single
	}
	return mix
}

// thresholds returns, for each component, the number below which a draw of [0, 1) is of it or of an earlier one: the sums of
// the weights over their total, rounded to multiples of 2^-24. c has its defaults.
func (c Config) thresholds() []float32 {
	total := 0.0
	for _, component := range c.Mix {
		total += component.Weight
	}
	list := make([]float32, len(c.Mix))
	sum := 0.0
	for k, component := range c.Mix {
		sum += component.Weight
		list[k] = float32(math.Round(sum/total*weightSteps) / weightSteps)
	}
	if len(list) > 0 {
		list[len(list)-1] = 1
	}
	return list
}

// checkMix validates every component by itself: what Validate finds in it is named as "mix[1].scale".
func (c Config) checkMix() []error {
	if c.Generator != Mixed && len(c.Mix) == 0 {
		return nil
	}
	switch {
	case len(c.Mix) == 0:
		return []error{&ConfigError{Field: "mix", Value: "empty", Allowed: fmt.Sprintf("1 to %d components with the generator %s", maxComponents, Mixed)}}
	case c.Generator != Mixed && c.Generator != "":
		return []error{&ConfigError{Field: generatorField, Value: fmt.Sprintf("%q", c.Generator), Allowed: "mixed, or left out, beside mix"}}
	case len(c.Mix) > maxComponents:
		return []error{&ConfigError{Field: "mix", Value: fmt.Sprintf("%d components", len(c.Mix)), Allowed: fmt.Sprintf("1 to %d", maxComponents)}}
	}
	var wrong []error
	for k, component := range c.Mix {
		if w := component.Weight; !(w >= 0 && w <= maxWeight) {
			wrong = append(wrong, &ConfigError{Field: inComponent(k, "weight"), Value: shortest(w), Allowed: "a number > 0 and <= 1000000"})
		}
		if len(component.Config.Mix) > 0 {
			wrong = append(wrong, &ConfigError{Field: inComponent(k, "mix"), Value: fmt.Sprintf("%d components", len(component.Config.Mix)), Allowed: "left out: a component is of one generator"})
		}
		for _, f := range Fields() {
			if err := c.checkComponentField(k, f); err != nil {
				wrong = append(wrong, err)
			}
		}
	}
	if len(wrong) > 0 {
		return wrong
	}
	below := float32(0)
	for k, threshold := range c.WithDefaults().thresholds() {
		if threshold <= below {
			wrong = append(wrong, &ConfigError{Field: inComponent(k, "weight"), Value: shortest(c.WithDefaults().Mix[k].Weight),
				Allowed: "at least a 16777216th of the sum of all weights"})
		}
		below = threshold
	}
	return wrong
}

// checkComponentField validates one field of one component.
func (c Config) checkComponentField(k int, f Field) error {
	component := c.Mix[k].Config
	name := inComponent(k, f.Name)
	switch {
	case !f.IsSet(component):
		return nil
	case f.Shared() && !reflect.DeepEqual(f.Value(component), f.Value(c.fieldDefaults())): // the default may be said too
		return &ConfigError{Field: name, Value: fmt.Sprint(f.Value(component)), Allowed: "left out: all components share it"}
	}
	if f.Name == generatorField {
		f.Choices = Generators()
	}
	f.Name = name
	return f.check(component)
}

// inComponent names a field of a component as messages do.
func inComponent(k int, name string) string { return fmt.Sprintf("mix[%d].%s", k, name) }

// checkComponents validates the fields of every component against one another. c has its defaults.
func (c Config) checkComponents() []error {
	var wrong []error
	shared := make(map[string]bool) // reported: the components differ in words alone
	for k, component := range c.Components() {
		for _, err := range component.checkLoop() {
			if f, ok := FieldNamed(err.Field); ok && f.Shared() {
				if shared[err.Field] {
					continue
				}
				shared[err.Field] = true
			} else {
				err.Field = inComponent(k, err.Field)
			}
			wrong = append(wrong, err)
		}
	}
	return wrong
}

// checkComponents refuses given components that the configuration does not have.
func (o options) checkComponents(c Config) error {
	const op, arg = "new generator", "components"
	switch {
	case o.components == nil:
		return nil
	case len(c.Mix) == 0:
		return &exec.ArgError{Op: op, Arg: arg, Value: fmt.Sprintf("%d values", len(o.components)), Allowed: "none: the batch is not mixed"}
	case len(o.components) != c.NumEnvs:
		return &exec.ArgError{Op: op, Arg: arg + " length", Value: len(o.components), Allowed: fmt.Sprint(c.NumEnvs)}
	}
	for e, k := range o.components {
		if k < drawComponent || int(k) >= len(c.Mix) {
			return &exec.ArgError{Op: op, Arg: fmt.Sprintf("%s[%d]", arg, e), Value: k, Allowed: fmt.Sprintf("0 to %d, or -1 to draw one", len(c.Mix)-1)}
		}
	}
	return nil
}
