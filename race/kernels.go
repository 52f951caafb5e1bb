package race

import (
	"slices"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/preview"
	"github.com/trackgen-go/trackgen/kernels/race"
	"github.com/trackgen-go/trackgen/kernels/raceline"
	"github.com/trackgen-go/trackgen/kernels/rangefinder"
	"github.com/trackgen-go/trackgen/kernels/reward"
	"github.com/trackgen-go/trackgen/kernels/spawn"
	"github.com/trackgen-go/trackgen/kernels/speed"
	"github.com/trackgen-go/trackgen/kernels/vehicle"
)

// Kernels lists the kernels of the race, its course and its generator, for backend.LoadContext: the compiler of a GPU
// then has all of them at once, and New does not wait for it. The configuration is valid; for one that is not, there
// may be none. Those of drivers (NewDriver, NewPursuit) are not among them.
func (c Config) Kernels() []*kernel.Def {
	defs := slices.Concat(c.Course.Kernels(), vehicle.Defs, spawn.Defs, reward.Defs, speed.Defs, race.Defs)
	if c.Follow == Racing {
		defs = append(defs, raceline.Defs...)
	}
	if c.Preview != nil || c.Gates != nil {
		defs = append(defs, preview.Defs...)
	}
	if c.Rangefinder != nil {
		defs = append(defs, rangefinder.Defs...)
	}
	return defs
}
