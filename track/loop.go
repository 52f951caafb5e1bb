package track

import "github.com/trackgen-go/trackgen/kernels/centerline"

// crossingBoxes returns the number of bounding boxes of segments per env in the search for crossings.
func crossingBoxes(c Config) int {
	return (c.Output.LoopPoints + centerline.Block - 1) / centerline.Block
}

// shortestThroughCorners returns a lower bound on the length of a loop through corner points, in units of scale. A loop
// that spans a box runs there and back, and the box is about the unit square. If the corners are few, they may lie
// closer together.
func shortestThroughCorners(c Config) float64 { return 2 * min(1, float64(c.Corners.MinCount-1)/8) }

// shortestFitted returns a lower bound, in units of scale, on the length of a loop that is fitted to a box whose longer
// side is 1.44.
func shortestFitted(Config) float64 { return 2 * 1.44 }

// styleRange returns the interval from which a style value is drawn. Without sampling, or without a range, both ends
// are the scalar.
func (c Config) styleRange(r Range, scalar float64) (low, high float32) {
	if !c.Bezier.StyleSampling || r == (Range{}) {
		return float32(scalar), float32(scalar)
	}
	return float32(r.Min), float32(r.Max)
}
