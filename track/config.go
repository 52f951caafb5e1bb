package track

import "fmt"

// Range is a closed interval [Min, Max] from which each env draws its own value.
type Range struct {
	Min, Max float64
}

// String writes the range as configuration files do.
func (r Range) String() string { return fmt.Sprintf("[%s, %s]", shortest(r.Min), shortest(r.Max)) }

// Config describes the tracks to generate. The zero value of every field means its default, so that Config{} is the
// default configuration of one env. Fields of pointer type are those where zero (or false) is itself a setting: nil
// means the default, new(0.0) means zero.
//
// Lengths are in track units (metres if you say so), angles in radians. Names, defaults and ranges are those of
// PIPELINE.md section 2.1; Fields lists them with their documentation.
type Config struct {
	Generator string // name of the generator: see Generators
	NumEnvs   int    // envs in the batch, E

	// Corner points of bezier.
	MinNumPoints        int
	MaxNumPoints        int
	NumPointsPerSegment int
	MinPointDistance    float64
	Rad                 *float64
	Edgy                float64
	Scale               float64
	HandleClampFrac     *float64

	// Style sampling: one draw per env from each given range; a missing range keeps the scalar above.
	StyleSampling        bool
	RadRange             *Range
	ScaleRange           *Range
	HandleClampFracRange *Range

	// Polar generator.
	PolarNumKnots      int
	PolarRadialJitter  *float64
	PolarAngularJitter *float64

	// Road.
	HalfWidth float64

	// Relaxation (position based dynamics with Jacobi sweeps).
	RelaxEnable             *bool
	RelaxTol                *float64
	RelaxBand               int
	RelaxIters              int
	RelaxAccel              string
	RelaxChebyRho           *float64
	RelaxChebyGamma         float64
	RelaxChebyStart         int
	RelaxSmoothPasses       *int
	RelaxSmoothSpacingIters *int
	RelaxSepEvery           int
	RelaxSepCacheSlots      *int
	RelaxSepCacheSkin       *float64
	RelaxSepRelax           *float64
	RelaxSpcRelax           *float64
	RelaxBendRelax          *float64
	RelaxMargin             *float64

	// Output.
	NumPoints int
	Spacing   float64
	NMax      int

	// Validity.
	TurningTol          float64
	WFloor              *float64
	ValidityBorderCheck bool

	// Elevation.
	ZBase float64
}
