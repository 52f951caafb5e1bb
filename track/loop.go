package track

import "github.com/trackgen-go/trackgen/kernels/centerline"

// crossingBoxes is how many bounding boxes of segments the search for crossings keeps per env.
func crossingBoxes(c Config) int {
	return (c.Output.LoopPoints + centerline.Block - 1) / centerline.Block
}

// shortestThroughCorners is the length that a loop through corner points has at least, in units of scale. A loop that
// spans a box goes there and back, here about the unit square; a few corners may lie closer together.
func shortestThroughCorners(c Config) float64 { return 2 * min(1, float64(c.Corners.MinCount-1)/8) }

// shortestFitted is the length that a loop has at least that is fitted to a box whose longer side is 1.44, in units of
// scale.
func shortestFitted(Config) float64 { return 2 * 1.44 }

// styleRange returns the interval that a style value is drawn from; without sampling, or without a range, the scalar.
func (c Config) styleRange(r Range, scalar float64) (low, high float32) {
	if !c.Bezier.StyleSampling || r == (Range{}) {
		return float32(scalar), float32(scalar)
	}
	return float32(r.Min), float32(r.Max)
}
