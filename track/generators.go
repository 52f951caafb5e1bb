package track

// The generators.
const (
	Bezier = "bezier" // smooth curve through corner points sorted by angle (PIPELINE.md section 4.1); clockwise
	Polar  = "polar"  // spline through knots on a jittered circle (PIPELINE.md section 4.3); counter-clockwise
)

// generatorSpec is everything that the rest of the package needs to know of a generator.
type generatorSpec struct {
	name string
	// shortest is the length that a loop has at least, in units of scale: a loop that spans a box goes there and back.
	shortest func(Config) float64
	// dense is how many samples per env the generator writes before it resamples them to num_points.
	dense func(Config) int
	// bytes is the device memory that newStage allocates per env.
	bytes func(Config) int
	// newStage allocates the generator for a valid configuration that has its defaults.
	newStage func(*memory, Config) loopStage
}

// generatorSpecs lists the generators in the order of the documentation.
var generatorSpecs = []generatorSpec{
	{
		name: Bezier,
		// About the unit square; a few corners may lie closer together.
		shortest: func(c Config) float64 { return 2 * min(1, float64(c.MinNumPoints-1)/8) },
		dense:    func(c Config) int { return c.MaxNumPoints * c.NumPointsPerSegment },
		bytes: func(c Config) int {
			return c.MaxNumPoints*(2*sizeVec2+3*sizeNumber) + c.MaxNumPoints*c.NumPointsPerSegment*(sizeVec2+sizeNumber) +
				crossingBoxes(c)*2*sizeVec2 + sizeNumber
		},
		newStage: newBezierStage,
	},
	{
		name:     Polar,
		shortest: func(Config) float64 { return 2 * 1.44 }, // a box whose longer side is 1.44
		dense:    func(c Config) int { return c.PolarNumKnots * c.NumPointsPerSegment },
		bytes: func(c Config) int {
			return c.PolarNumKnots*sizeVec2 + c.PolarNumKnots*c.NumPointsPerSegment*(sizeVec2+sizeNumber) + 2*sizeVec2
		},
		newStage: newPolarStage,
	},
}

// Generators lists the names that Config.Generator accepts.
func Generators() []string {
	names := make([]string, len(generatorSpecs))
	for i, spec := range generatorSpecs {
		names[i] = spec.name
	}
	return names
}

// spec returns what is known of the configured generator. The name is valid.
func (c Config) spec() generatorSpec {
	for _, spec := range generatorSpecs {
		if spec.name == c.Generator {
			return spec
		}
	}
	return generatorSpec{}
}
