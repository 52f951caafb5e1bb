package track

// The generators.
const (
	Bezier = "bezier" // smooth curve through corner points sorted by angle (PIPELINE.md section 4.1)
	Polar  = "polar"  // spline through knots on a jittered circle (PIPELINE.md section 4.3)
)

// Generators lists the names that Config.Generator accepts.
func Generators() []string { return []string{Bezier, Polar} }

// denseStride is the number of dense samples per env that the generator writes before resampling.
func (c Config) denseStride() int {
	if c.Generator == Polar {
		return c.PolarNumKnots * c.NumPointsPerSegment
	}
	return c.MaxNumPoints * c.NumPointsPerSegment
}
