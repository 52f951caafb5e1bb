// Package producers lists the kernels of all producers, for tests that need every one of them.
package producers

import (
	"slices"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/borders"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/checkpoint"
	"github.com/trackgen-go/trackgen/kernels/course"
	"github.com/trackgen-go/trackgen/kernels/courseline"
	"github.com/trackgen-go/trackgen/kernels/difficulty"
	"github.com/trackgen-go/trackgen/kernels/distancefield"
	"github.com/trackgen-go/trackgen/kernels/elevation"
	"github.com/trackgen-go/trackgen/kernels/flight"
	"github.com/trackgen-go/trackgen/kernels/gate"
	"github.com/trackgen-go/trackgen/kernels/heightfield"
	"github.com/trackgen-go/trackgen/kernels/hull"
	"github.com/trackgen-go/trackgen/kernels/inflation"
	"github.com/trackgen-go/trackgen/kernels/localise"
	"github.com/trackgen-go/trackgen/kernels/measured"
	"github.com/trackgen-go/trackgen/kernels/obstacle"
	"github.com/trackgen-go/trackgen/kernels/polyline"
	"github.com/trackgen-go/trackgen/kernels/preview"
	"github.com/trackgen-go/trackgen/kernels/progress"
	"github.com/trackgen-go/trackgen/kernels/pursuit"
	"github.com/trackgen-go/trackgen/kernels/race"
	"github.com/trackgen-go/trackgen/kernels/raceline"
	"github.com/trackgen-go/trackgen/kernels/rangefinder"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
	"github.com/trackgen-go/trackgen/kernels/repulsive"
	"github.com/trackgen-go/trackgen/kernels/resampling"
	"github.com/trackgen-go/trackgen/kernels/reward"
	"github.com/trackgen-go/trackgen/kernels/seeding"
	"github.com/trackgen-go/trackgen/kernels/selection"
	"github.com/trackgen-go/trackgen/kernels/spawn"
	"github.com/trackgen-go/trackgen/kernels/speed"
	"github.com/trackgen-go/trackgen/kernels/spline"
	"github.com/trackgen-go/trackgen/kernels/variation"
	"github.com/trackgen-go/trackgen/kernels/vehicle"
	"github.com/trackgen-go/trackgen/kernels/voronoi"
)

// Defs returns the kernels of all packages below kernels, in the order of the packages.
func Defs() []*kernel.Def {
	return slices.Concat(
		borders.Defs,
		centerline.Defs,
		checkpoint.Defs,
		course.Defs,
		courseline.Defs,
		difficulty.Defs,
		distancefield.Defs,
		elevation.Defs,
		flight.Defs,
		gate.Defs,
		heightfield.Defs,
		hull.Defs,
		inflation.Defs,
		localise.Defs,
		measured.Defs,
		obstacle.Defs,
		polyline.Defs,
		preview.Defs,
		progress.Defs,
		pursuit.Defs,
		race.Defs,
		rangefinder.Defs,
		raceline.Defs,
		relaxation.Defs,
		repulsive.Defs,
		resampling.Defs,
		reward.Defs,
		seeding.Defs,
		selection.Defs,
		spawn.Defs,
		speed.Defs,
		spline.Defs,
		variation.Defs,
		vehicle.Defs,
		voronoi.Defs,
	)
}
