package generation

import (
	"fmt"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
)

// Mixed is the generator of the configurations of mixed batches.
const Mixed = "mixed"

// Fields that configurations of every kind have.
const (
	generatorField  = "generator"
	candidatesField = "candidates"
)

// InComponent returns the name of a field of a component in messages: "mix[1].scale".
func InComponent(k int, name string) string { return fmt.Sprintf("mix[%d].%s", k, name) }

// CheckMix validates each component of a configuration separately. It returns a *config.Error for each mistake.
func CheckMix[C any](kind config.Kind[C], c C) []error {
	weights, mixed := kind.Weights(c), textOf(kind, generatorField, c) == Mixed
	refuse := func(field, value, allowed string) []error {
		return []error{&config.Error{Field: field, Value: value, Allowed: allowed}}
	}
	switch n := len(weights); {
	case !mixed && n == 0:
		return nil
	case n == 0:
		return refuse("mix", "empty", fmt.Sprintf("1 to %d components with the generator %s", MaxComponents, Mixed))
	case !mixed:
		return refuse(generatorField, fmt.Sprintf("%q", textOf(kind, generatorField, c)), "mixed, beside mix")
	case n > MaxComponents:
		return refuse("mix", fmt.Sprintf("%d components", n), fmt.Sprintf("1 to %d", MaxComponents))
	}
	var wrong []error
	for k, single := range kind.Components(c) {
		if w := weights[k]; !(w > 0 && w <= MaxWeight) {
			wrong = append(wrong, refuse(InComponent(k, "weight"), config.Shortest(w), "a number > 0 and <= 1000000")...)
		}
		wrong = append(wrong, checkComponent(kind, k, single)...)
	}
	if len(wrong) > 0 {
		return wrong
	}
	below := float32(0)
	for k, threshold := range Thresholds(weights) {
		if threshold <= below {
			wrong = append(wrong, refuse(InComponent(k, "weight"), config.Shortest(weights[k]),
				"at least a 16777216th of the sum of all weights")...)
		}
		below = threshold
	}
	return wrong
}

// checkComponent validates the fields in which components differ. single is the configuration of component k.
func checkComponent[C any](kind config.Kind[C], k int, single C) []error {
	var wrong []error
	for _, f := range kind.Fields() {
		if f.Shared() {
			continue
		}
		if f.Name == generatorField {
			f.Choices = kind.Generators()
		}
		f.Name = InComponent(k, f.Name)
		if err := f.Check(single); err != nil {
			wrong = append(wrong, err)
		}
	}
	return wrong
}

// textOf returns the text of a field of a configuration.
func textOf[C any](kind config.Kind[C], field string, c C) string {
	f, _ := kind.Named(field)
	return f.Text(c)
}

// CheckNesting refuses generators that cannot be part of a mixed batch or draw candidates, with a *config.Error. whole
// is the stage of the generator of c, and stageOf makes that of a component.
func CheckNesting[C any](kind config.Kind[C], c C, whole exec.Stage, stageOf func(C) exec.Stage) error {
	for k, single := range kind.Components(c) {
		if why := NotNestable(stageOf(single)); why != "" {
			return &config.Error{Field: InComponent(k, generatorField),
				Value:   fmt.Sprintf("%q", textOf(kind, generatorField, single)),
				Allowed: "one whose stage neither works on the host nor launches on the current stream: this one " + why}
		}
	}
	candidates := textOf(kind, candidatesField, c)
	if why := NotNestable(whole); why != "" && candidates != "1" {
		return &config.Error{Field: candidatesField, Value: candidates,
			Allowed: fmt.Sprintf("1 for the generator %s, which %s", textOf(kind, generatorField, c), why)}
	}
	return nil
}
