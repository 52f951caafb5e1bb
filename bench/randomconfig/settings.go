// Package randomconfig draws configurations from the whole ranges of all settings, and finds those with which a device
// differs from another one, or makes numbers that no track may have.
package randomconfig

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// Setting is a value of a field of track.Config that is not the default.
type Setting struct {
	Name  string // of the field, or mixField
	Value any    // as track.Field.Set takes it, or []string for mixField
}

// mixField is the name of the setting whose value lists the generators of the components of a mixed batch. All
// components have the other settings.
const mixField = "mix"

// Settings are a configuration: those that are not named have the defaults of tracktest.Small.
type Settings []Setting

// Config returns the configuration. It may not be valid.
func (s Settings) Config() (track.Config, error) {
	c := track.DefaultConfig()
	for _, setting := range s {
		if setting.Name == "generator" {
			c.Generator = setting.Value.(string)
		}
	}
	c = tracktest.Small(c)
	var mix []string
	for _, setting := range s {
		if setting.Name == mixField {
			mix = setting.Value.([]string)
			continue
		}
		f, ok := track.FieldNamed(setting.Name)
		if !ok {
			return c, fmt.Errorf("no field %q", setting.Name)
		}
		if err := f.Set(&c, setting.Value); err != nil {
			return c, err
		}
	}
	for k, generator := range mix {
		c.Mix = append(c.Mix, c.NewComponent(float64(k%2+1), generator))
	}
	return c, c.Validate()
}

// String returns the settings as arguments of trackgen. A mixed batch needs a file instead; it is named for the reader.
func (s Settings) String() string {
	var words []string
	c, _ := s.Config()
	for _, setting := range s {
		if f, ok := track.FieldNamed(setting.Name); ok {
			words = append(words, fmt.Sprintf("--set '%s=%s'", f.Name, f.Text(c)))
		} else {
			words = append(words, fmt.Sprintf("(%s %v)", setting.Name, setting.Value))
		}
	}
	return strings.Join(words, " ")
}

// Shrink leaves out settings while fails still holds, and returns a list of which none can be left out alone.
func (s Settings) Shrink(fails func(Settings) bool) Settings {
	for i := 0; i < len(s); {
		without := slices.Delete(slices.Clone(s), i, i+1)
		if fails(without) {
			s, i = without, 0
		} else {
			i++
		}
	}
	return s
}
