package command

import (
	"fmt"

	"github.com/trackgen-go/trackgen"
)

// hills are the settings of heights that tracks and gate courses share.
type hills struct {
	profile                          string
	lowest, highest, step, amplitude float64
}

func hillsOfTracks(c trackgen.Config) hills {
	e := c.Elevation
	return hills{e.Profile, e.Min, e.Max, e.MaxStep, e.NoiseAmplitude}
}

func hillsOfGates(c trackgen.GateConfig) hills {
	e := c.Elevation
	return hills{e.Profile, e.Min, e.Max, e.MaxStep, e.NoiseAmplitude}
}

// levelNote returns a note if settings of heights have no effect because of another one, else "".
func levelNote(h hills) string {
	switch {
	case h.profile == "flat" && (h.lowest != 0 || h.highest != 0 || h.step != 0 || h.amplitude != 0):
		return "level: elevation.profile is flat, so the other settings of elevation make no hills: set the profile"
	case h.profile == "flat":
		return ""
	case h.lowest == h.highest:
		return fmt.Sprintf("level: elevation.profile is %s, but elevation.min and elevation.max are both %g: set one of them",
			h.profile, h.lowest)
	case h.profile == "random_walk" && h.step == 0:
		return "level: elevation.profile is random_walk, but elevation.max_step is 0: set it"
	case h.profile == "noise" && h.amplitude == 0:
		return "level: elevation.profile is noise, but elevation.noise_amplitude is 0: set it"
	}
	return ""
}

// bankingNote returns a note if settings of banking have no effect because the profile is none, else "".
func bankingNote(c trackgen.Config) string {
	plain := trackgen.DefaultConfig().Banking
	if c.Banking.Profile != plain.Profile || c.Banking == plain {
		return ""
	}
	return "level: banking.profile is none, so the other settings of banking have no effect: set it to curvature"
}
