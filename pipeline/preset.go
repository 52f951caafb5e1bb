package pipeline

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/registry"
)

// Preset creates a list of new stages.
type Preset func() ([]exec.Stage, error)

var presets = registry.New[Preset]("preset")

// Register registers stages by name: a single stage, or a whole program. A name consists of lower-case letters and
// digits, begins with a letter, and may have parts joined by dots, dashes and underscores.
//
// An invalid or repeated name or a nil preset returns an error that matches backend.ErrInvalid.
func Register(name string, preset Preset) error {
	if preset == nil {
		return &backend.ArgumentError{Op: "register preset " + name, Argument: "preset", Value: nil, Allowed: "a function"}
	}
	return presets.Register(name, preset)
}

// Presets lists the registered names in order of registration.
func Presets() []string { return presets.Names() }

// Stages creates the stages of a preset.
func Stages(name string) ([]exec.Stage, error) {
	preset, ok := presets.Lookup(name)
	if !ok {
		return nil, &backend.ArgumentError{Op: "stages", Argument: "preset", Value: fmt.Sprintf("%q", name),
			Allowed: fmt.Sprintf("one of %q", presets.Names())}
	}
	stages, err := preset()
	if err != nil {
		return nil, exec.Doing(fmt.Sprintf("preset %q", name), err)
	}
	return stages, nil
}
