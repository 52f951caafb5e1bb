package layers

import (
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/kernel"
)

// ground bakes the heights of the ground, and looks up those below the sample cars. It follows the cars.
func (r *trackRun) ground() error {
	config := heightfield.DefaultConfig()
	config.Resolution = r.GroundResolution
	baker, err := heightfield.NewBaker(r.device, heightfield.SourceOf(r.tracks), config)
	if baker, err = keep(&r.run, baker, err); err != nil {
		return err
	}
	heights, err := baker.Bake(r.ctx)
	if err != nil {
		return err
	}
	grid, err := heights.Grid(r.ctx)
	if err != nil {
		return err
	}
	for e := range r.out {
		out := &r.out[e]
		out.Ground = &export.HeightGrid{Resolution: grid.Resolution, Low: grid.Low[e], High: grid.High[e],
			Height: grid.Of(e)}
		for i := range out.Cars {
			if height, ok := heightAt(out.Ground, out.Cars[i].Position); ok {
				out.Cars[i].Ground = &height
			}
		}
	}
	return nil
}

// heightAt returns the height of the cell that holds a place, or false outside of the grid.
func heightAt(g *export.HeightGrid, at kernel.Vec3) (float32, bool) {
	cell := func(v, low, high float32) (int, bool) {
		part := float64(v-low) / float64(high-low) * float64(g.Resolution)
		if !(part >= 0 && part < float64(g.Resolution)) {
			return 0, false
		}
		return int(part), true
	}
	x, okX := cell(at.X, g.Low.X, g.High.X)
	y, okY := cell(at.Y, g.Low.Y, g.High.Y)
	if !okX || !okY {
		return 0, false
	}
	return g.Height[y*g.Resolution+x], true
}
