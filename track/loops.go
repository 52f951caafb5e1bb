package track

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
)

// lanes is how many lanes share the points of an env in every kernel here.
const lanes = 128

// search is the most halvings of an arc length table.
const search = 32

// share is the most elements of n that one lane handles.
func share(n float64) float64 { return n/lanes + 1 }

// resampleIterations bounds what drawing a curve of this many points and resampling it to output.loop_points takes.
func resampleIterations(c Config, dense float64) float64 {
	return dense + share(dense) + share(float64(c.Output.LoopPoints))*search
}

// cornerIterations bounds what drawing corner points and sorting them by angle takes.
func cornerIterations(corners float64) float64 {
	return 9*corners*corners/2 + corners*corners + 10*corners
}

// crossingIterations bounds what counting the crossings of loops of output.loop_points takes: of each block of segments
// with all later blocks.
func crossingIterations(c Config, loops float64) float64 {
	boxes := float64(crossingBoxes(c))
	pair := float64(1 + centerline.Block*(1+centerline.Block))
	return share(loops*boxes)*(1+centerline.Block) + share(loops*boxes*centerline.CrossingShares)*(boxes/centerline.CrossingShares+1)*pair
}

// loopIterations bounds the iterations that all loops of one lane make together, in each kernel of a generation. The bound
// holds for loops of N_max points, all of them within reach of one another.
func (c Config) loopIterations() map[string]float64 {
	points, samples := float64(c.Output.MaxPoints), float64(c.Output.LoopPoints)
	bounds := map[string]float64{
		"space":    samples + share(points)*search,
		"even":     2*points + share(points)*(search+2),
		"inflate":  points + 2*share(points),
		"validate": points + share(points)*(points+1),
	}
	if c.Validity.CheckBorders {
		bounds["validate"] += share(points) * points
	}
	if c.Candidates > 1 {
		bounds["candidates"] = crossingIterations(c, 1)
	}
	bounds["first loop"] = c.spec().LoopIterations(c)
	bounds["list of envs"] = 2*share(float64(c.NumEnvs)) + 2*lanes
	if c.Relax.Enabled {
		slots := float64(c.Relax.SeparationCacheSlots)
		searches := float64(c.Relax.Sweeps/c.Relax.SeparationSearchEvery + 1)
		cleared := points*7/lanes + float64(relaxation.MaxPoints*relaxation.MaxSlots/2/lanes)
		// A sweep looks at two remembered points at a time, then at those within the target one by one.
		sweeps := float64(c.Relax.Sweeps) * (share(points)*(2+1.5*slots) + 1)
		finding := searches * share(points) * points
		if slots > 0 && c.Relax.SeparationSearchEvery > 1 {
			finding = searches * (share(points/relaxation.BlockSize)*(1+relaxation.BlockSize) + share(points)*(1+points/relaxation.BlockSize+points))
		}
		smoothing := float64(2*c.Relax.SmoothingPasses)*(share(points)+1) +
			float64(c.Relax.SpacingSweeps)*(2*share(points)+1)
		bounds["relax"] = cleared + 3*share(points) + points + sweeps + finding + smoothing
	}
	return bounds
}

// checkLoops refuses configurations whose kernels may loop for longer than the device lets them: it would end them without a
// word, and the tracks would be other ones.
func (c Config) checkLoops(device backend.Device) error {
	most := device.Caps().LoopIterations
	if most <= 0 {
		return nil
	}
	for _, stage := range []string{"list of envs", "first loop", "space", "relax", "even", "inflate", "validate", "candidates"} {
		if need := c.loopIterations()[stage]; need > float64(most) {
			return &backend.UnsupportedError{Device: device.Info().Name, Op: "this configuration",
				Reason: fmt.Sprintf("stage %s may make %.0f loop iterations and the device ends them after %d; use fewer points, sweeps or envs, or another device", stage, need, most)}
		}
	}
	return nil
}
