package course

import (
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/borders"
	"github.com/trackgen-go/trackgen/kernels/course"
	"github.com/trackgen-go/trackgen/kernels/courseline"
	"github.com/trackgen-go/trackgen/kernels/distancefield"
	"github.com/trackgen-go/trackgen/kernels/heightfield"
	"github.com/trackgen-go/trackgen/kernels/localise"
	"github.com/trackgen-go/trackgen/kernels/obstacle"
	"github.com/trackgen-go/trackgen/kernels/polyline"
	"github.com/trackgen-go/trackgen/kernels/progress"
	"github.com/trackgen-go/trackgen/kernels/resampling"
	"github.com/trackgen-go/trackgen/kernels/seeding"
	"github.com/trackgen-go/trackgen/kernels/selection"
)

// Kernels lists the kernels of the course and of its generator, for backend.LoadContext: the compiler of a GPU then has
// all of them at once, and New does not wait for it. The configuration is valid; for one that is not, there may be
// none.
func (c Config) Kernels() (defs []*kernel.Def) {
	add := func(use bool, areas ...[]*kernel.Def) {
		for _, area := range areas {
			if use {
				defs = append(defs, area...)
			}
		}
	}
	add(true, seeding.Defs, selection.Defs, progress.Defs, course.Defs)
	if c.Tracks != nil {
		add(true, c.Tracks.Kernels(), resampling.Defs)
		query := collision.BordersConfig{Boxes: c.boxes(), Swept: c.Collision.Swept}
		add(c.Collision.Method == Segments, query.Kernels(), []*kernel.Def{&borders.SurroundDef}, polyline.Defs)
		add(c.Collision.Method == SDF, distancefield.Defs)
		add(c.Ground.Resolution > 0, heightfield.Defs)
	}
	if c.Gates != nil {
		add(true, c.Gates.Kernels(), courseline.Defs)
	}
	add(c.Localize.Enabled || c.Gates != nil, localise.Defs, polyline.Defs)
	add(c.Collision.Agents || c.hasPosts() || c.Frames.Enabled, obstacle.Defs)
	return defs
}
