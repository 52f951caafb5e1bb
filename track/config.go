package track

import "github.com/trackgen-go/trackgen/config"

// Range is a closed interval [Min, Max] from which each env draws its own value.
type Range = config.Range

// Config describes the tracks to generate. Make one with DefaultConfig and change fields of it:
//
//	config := track.DefaultConfig()
//	config.Generator, config.NumEnvs = track.Polar, 512
//	config.Road.HalfWidth, config.Relax.Sweeps = 0.12, 80
//
// All fields are plain values, and zero is a value like any other. Where the documented default is zero with an
// explanation, as in "0: 0.6 times the half width, per env", zero stands for a value that is derived from other fields.
//
// Lengths are in track units (for example metres), angles in radians. Names, defaults and ranges are those of
// docs/spec/pipeline.md, section 2.1; Fields lists them with their documentation. Names in configuration files consist
// of lower-case words and dots: Relax.Sweeps is relax.sweeps.
type Config struct {
	// NumEnvs: tracks in the batch, E. Default: 1; a whole number >= 1 and <= 16777216.
	NumEnvs int
	// Candidates: maximum number of tracks that an env draws until one is valid and its first loop has no crossing; the
	// best one is kept. Default: 1; a whole number >= 1 and <= 64.
	Candidates int
	// Mix: the components of a mixed batch. Each env draws its first loop with the settings of one component, which is
	// drawn by weight from the effective seed of the env, or given (WithComponents). Generator must then be Mixed.
	// Default: none; at most 64.
	Mix []Component

	// FirstLoop has the settings of the first loops of a batch that is not mixed.
	FirstLoop

	Road      RoadConfig
	Elevation ElevationConfig
	Banking   BankingConfig
	Relax     RelaxConfig
	Output    OutputConfig
	Validity  ValidityConfig
}

// FirstLoop has the settings of the first loop of an env: the generator, the settings of each generator, and how the
// road around the loop varies from env to env. The settings of the generators that are not used have no effect. The
// components of a mixed batch differ in these settings alone.
type FirstLoop struct {
	// Generator: which generator draws the first loop. Default: bezier; one of bezier, hull, polar, voronoi,
	// checkpoint, repulsive.
	Generator string
	// Scale: side of the square that corner points are drawn in; the loops of polar, voronoi and checkpoint span 1.44
	// times as much; a negative scale turns every loop by half a turn. Default: 1; a number other than 0, >= -1000000
	// and <= 1000000.
	Scale float64

	Spline     SplineConfig
	Corners    CornersConfig
	Bezier     BezierConfig
	Hull       HullConfig
	Polar      PolarConfig
	Voronoi    VoronoiConfig
	Checkpoint CheckpointConfig
	Repulsive  RepulsiveConfig
	Variation  VariationConfig
}

// SplineConfig has the settings that the generators bezier, hull, polar and voronoi share: they draw curves through
// points.
type SplineConfig struct {
	// SamplesPerSegment: samples of each curve segment of bezier, hull, polar and voronoi. Default: 30; a whole number
	// >= 2 and <= 4096.
	SamplesPerSegment int
}

// CornersConfig has the settings of the corner points that the generators bezier and hull draw.
type CornersConfig struct {
	// MinCount: minimum number of corner points. Default: 9; a whole number >= 2 and <= 512.
	MinCount int
	// MaxCount: maximum number of corner points, at least min_count. Default: 13; a whole number >= 2 and <= 512.
	MaxCount int
	// HalfCellSize: half the cell size of the grid that corner points are drawn from, as a fraction of scale. Default:
	// 0.05; a number >= 2e-05 and <= 0.5.
	HalfCellSize float64
}

// BezierConfig has the settings that only the generator bezier has.
type BezierConfig struct {
	// HandleLength: handle length as a fraction of the chord; negative handles point backwards and make loops at the
	// corners. Default: 0.4; a number >= -10 and <= 10.
	HandleLength float64
	// HandleLimit: longest handle as a fraction of the shorter edge at its corner. Default: 0.4; a number >= 0 and <=
	// 10.
	HandleLimit float64
	// Edginess: how far a corner's tangent leans to its outgoing edge; 0 is the middle. Default: 0; a number >=
	// -1000000 and <= 1000000.
	Edginess float64
	// StyleSampling: draw handle_length, handle_limit and scale for each env from the ranges below. Default: false; true
	// or false.
	StyleSampling bool
	// HandleLengthRange: range of handle_length with style_sampling. Default: [0, 0]: handle_length for all envs; a
	// pair [min, max] with min <= max, each >= 0 and <= 10, or [0, 0] for the default.
	HandleLengthRange Range
	// HandleLimitRange: range of handle_limit with style_sampling. Default: [0, 0]: handle_limit for all envs; a pair
	// [min, max] with min <= max, each >= 0 and <= 10, or [0, 0] for the default.
	HandleLimitRange Range
	// ScaleRange: range of scale with style_sampling. Default: [0, 0]: scale for all envs; a pair [min, max] with min
	// <= max, each > 0 and <= 1000000, or [0, 0] for the default.
	ScaleRange Range
}

// HullConfig has the settings that only the generator hull has.
type HullConfig struct {
	// Displacement: largest move of the middle of an edge, as a fraction of its distance to the centroid of the
	// corners; with a negative one every move has the opposite sign. Default: 0.15; a number >= -10 and <= 10.
	Displacement float64
}

// PolarConfig has the settings of the generator polar.
type PolarConfig struct {
	// Knots: knots around the circle; fewer than 4 count as 4. Default: 12; a whole number >= 0 and <= 512.
	Knots int
	// RadialJitter: largest relative change of a knot's radius; 0.85 is the most that counts. Default: 0.6; a number
	// >= 0 and <= 10.
	RadialJitter float64
	// AngularJitter: largest move of a knot along the circle, as a fraction of the knot spacing; 0.45 is the most
	// that counts. Default: 0.3; a number >= 0 and <= 10.
	AngularJitter float64
}

// VoronoiConfig has the settings of the generator voronoi.
type VoronoiConfig struct {
	// Sites: random sites, at least control_points. Default: 256; a whole number >= 6 and <= 65536.
	Sites int
	// Layout: where sites lie: all over a square, around an empty middle, in clusters, or as a mixture of the first
	// two. Default: void_ring; one of ring, void_ring, clustered, mixed.
	Layout string
	// ControlPoints: sectors around the origin, in each of which the loop goes through one site. Default: 18; a whole
	// number >= 6 and <= 512.
	ControlPoints int
	// RadialVariation: how far the target distance of a site from the origin varies along the loop, as a fraction of its
	// mean; the layouts enlarge it by up to 1.16, and 0.85 is the most that counts. Default: 0.62; a number >= 0 and <=
	// 10.
	RadialVariation float64
	// AngularJitter: largest random change of the target direction of a site. Default: 0.08; a number >= 0 and <=
	// 6.283185307179586.
	AngularJitter float64
}

// CheckpointConfig has the settings of the generator checkpoint.
type CheckpointConfig struct {
	// Count: checkpoints around a circle of radius 1. Default: 12; a whole number >= 3 and <= 512.
	Count int
	// MinRadius: smallest distance of a checkpoint from the middle of the circle, as a fraction of its radius.
	// Default: 0.33; a number >= 0 and < 1.
	MinRadius float64
	// AngularJitter: largest move of a checkpoint along the circle, as a fraction of the distance between two.
	// Default: 0.55; a number >= 0 and <= 10.
	AngularJitter float64
	// TurnRate: largest turn in one step; a lap has output.loop_points steps. Default: 0.42; a number >= 0 and <=
	// 3.141592653589793.
	TurnRate float64
	// SteeringGain: fraction of the angle to the next checkpoint that one step turns by. Default: 0.65; a number >= 0
	// and <= 10.
	SteeringGain float64
	// Lookahead: distance to a checkpoint at which the one after it becomes the next, as a fraction of the radius of
	// the circle. Default: 0.16; a number >= 0 and <= 10.
	Lookahead float64
	// BestOf: loops drawn for each env; the one with the fewest crossings is kept. Default: 4; a whole number >= 1
	// and <= 4096.
	BestOf int
	// ClipCrossings: cut off the shorter part of a loop that still crosses itself, up to 16 times, and space the
	// points of every loop evenly. Default: false; true or false.
	ClipCrossings bool
}

// RepulsiveConfig has the settings of the generator repulsive.
type RepulsiveConfig struct {
	// MinGrowth: shortest loop, as a multiple of the circle that it grows from. Default: 4.5; a number >= 1 and <=
	// 1000.
	MinGrowth float64
	// MaxGrowth: longest loop, at least min_growth. Default: 5.5; a number > 1 and <= 1000.
	MaxGrowth float64
	// WallRadius: radius of the wall around the loop, in units of 4.9029 times scale. Default: 0.35; a number > 0 and
	// <= 1000.
	WallRadius float64
	// WallToCircleRatio: ratio of the radius of the wall to that of the first circle. Default: 4; a number > 1 and <=
	// 1000.
	WallToCircleRatio float64
	// MinObstacles: minimum number of discs that the loop grows around. Default: 8; a whole number >= 1 and <= 16.
	MinObstacles int
	// MaxObstacles: maximum number of discs, at least min_obstacles. Default: 12; a whole number >= 1 and <= 16.
	MaxObstacles int
	// MinObstacleRadius: smallest disc, its radius as a fraction of that of the wall. Default: 0.02; a number > 0 and
	// <= 1.
	MinObstacleRadius float64
	// MaxObstacleRadius: largest disc, at least min_obstacle_radius. Default: 0.045; a number > 0 and <= 1.
	MaxObstacleRadius float64
	// DropObstacles: drop the discs once a loop has its length. Default: true; true or false.
	DropObstacles bool
	// GrowthRate: growth of the loop in one iteration. Default: 0.012; a number > 0 and <= 1.
	GrowthRate float64
	// Alpha: exponent of the tangent-point energy: that of the distance of a point from another point's tangent.
	// Default: 3; a number > 0 and <= 12.
	Alpha float64
	// Beta: exponent of the tangent-point energy: that of the distance of two points; obstacles repel with the
	// distance to the power alpha - beta; other exponents than 3 and 6 take about ten times as long. Default: 6; a
	// number > 0 and <= 12.
	Beta float64
	// StepSize: largest move of a point in one iteration, as a fraction of the mean distance of neighbours. Default:
	// 0.4; a number > 0 and <= 10.
	StepSize float64
	// Stages: points of the loop while it grows, multiples of 4, ascending to output.loop_points. Default: []: a
	// quarter, a half and all of output.loop_points; a list of whole numbers, each >= 4 and <= 256, or [] for the
	// default.
	Stages []int
	// SettleIterations: iterations after the loop has grown to its full length. Default: 40; a whole number >= 1 and <=
	// 10000.
	SettleIterations int
	// ResampleEvery: iterations between two resamplings at even spacing. Default: 25; a whole number >= 1 and <= 100000.
	ResampleEvery int
	// Horizon: iteration until which the points of a loop that is done are still spread evenly, as in a batch of the
	// reference system that ends then. Default: 0: 1.6 times the iterations in which the longest loop grows; a whole
	// number >= 1 and <= 10000, or 0 for the default.
	Horizon int
	// StallWindow: iterations between two checks whether a loop is done. Default: 16; a whole number >= 1 and <=
	// 10000.
	StallWindow int
	// StallAreaTolerance: change of the enclosed area since the last check, as a fraction, below which a loop of full
	// length is done. Default: 0.05; a number >= 0 and <= 1000.
	StallAreaTolerance float64
}

// VariationConfig says how roads vary from env to env, for training on more than one kind of road. Each env draws from
// its effective seed: the same seed and epoch give the same road in every batch. The draws do not depend on one another
// or on the rest of the configuration.
type VariationConfig struct {
	// HalfWidthRange: range from which each env draws half the width of its road, uniformly. Default: [0, 0]:
	// road.half_width for all envs; a pair [min, max] with min <= max, each > 0 and <= 1000000, or [0, 0] for the
	// default.
	HalfWidthRange Range
	// RandomDirection: drive each track the other way round with a probability of one half, from the same point.
	// Default: false; true or false.
	RandomDirection bool
	// RandomMirror: mirror each track at the y axis with a probability of one half. Default: false; true or false.
	RandomMirror bool
}

// RoadConfig has the size of the road.
type RoadConfig struct {
	// HalfWidth: half the width of the road. Default: 0.1; a number > 0 and <= 1000000.
	HalfWidth float64
	// Height: height of a flat track, and the height that random_walk and noise vary. Default: 0; a number >= -1000000
	// and <= 1000000.
	Height float64
}

// ElevationConfig has the heights along the track, keyed by the seed of each env. The fields of the profiles that are
// not used have no effect.
type ElevationConfig struct {
	// Profile: heights along the track: one for all points, a random one for each control point, a random walk over
	// the control points, or sums of sines. Default: flat; one of flat, uniform, random_walk, noise.
	Profile string
	// Min: lowest height of a track that is not flat. Default: 0; a number >= -1000000 and <= 1000000.
	Min float64
	// Max: highest height of a track that is not flat, at least min. Default: 0; a number >= -1000000 and <= 1000000.
	Max float64
	// ControlPoints: points at equal distances along the track whose heights uniform and random_walk draw; a smooth
	// curve goes through them. Default: 10; a whole number >= 3 and <= 65536.
	ControlPoints int
	// MaxStep: largest change of the height of random_walk per unit of length in plan view, before the walk is closed.
	// Default: 0; a number >= 0 and <= 1000000.
	MaxStep float64
	// NoiseAmplitude: largest deviation of the height of noise from road.height. Default: 0; a number >= 0 and <=
	// 1000000.
	NoiseAmplitude float64
	// NoiseHarmonics: sines of noise, with 1, 2, ... periods to the track. Default: 3; a whole number >= 1 and <=
	// 1000.
	NoiseHarmonics int
}

// BankingConfig has the bank angle of the road: how it is tilted to one side. The centreline stays where it is; one
// border is raised and the other one lowered. The fields have no effect with the profile none.
type BankingConfig struct {
	// Profile: bank angle along the track: none, or proportional to the curvature, with the inside of bends lower.
	// Default: none; one of none, curvature.
	Profile string
	// Factor: bank angle in radians times the radius of the bend; for small angles, v^2/g of the speed at which a
	// vehicle needs no side force. Default: 0.05; a number >= 0 and <= 1000000.
	Factor float64
	// MaxAngle: largest bank angle to either side. Default: 0.2; a number > 0 and <= 1.
	MaxAngle float64
	// Transition: length of the line over which the bank angle is averaged, with weights that fall to 0 at its ends;
	// the angle changes by at most 4 max_angle on this way. Default: 0.5; a number >= 0 and <= 1000000.
	Transition float64
}

// RelaxConfig has the settings of the relaxation, which pushes the centreline apart and rounds it until the road fits.
type RelaxConfig struct {
	// Enabled: push the centreline apart and round it until the road fits. Default: true; true or false.
	Enabled bool
	// Sweeps: Jacobi sweeps; without any, the loop is only smoothed and spaced. Default: 50; a whole number >= 0 and
	// <= 100000.
	Sweeps int
	// Margin: extra distance to which points are pushed apart, as a fraction of what the road needs; a negative one
	// leaves less than the road needs. Default: 0.15; a number >= -1 and <= 10.
	Margin float64
	// Band: neighbours along the loop that never push each other; with as many as the loop has points, no points do,
	// and with -1 all do. Default: 0: the road width over the mean spacing, per env; a whole number >= -1 and <=
	// 65536, or 0 for the default.
	Band int
	// Acceleration: acceleration of the sweeps. Default: chebyshev; one of chebyshev, none.
	Acceleration string
	// ChebyshevSpectralRadius: estimated spectral radius for Chebyshev. Default: 0.98; a number >= 0 and < 1.
	ChebyshevSpectralRadius float64
	// ChebyshevUnderRelaxation: under-relaxation of each Chebyshev step. Default: 0.9; a number > 0 and <= 1.
	ChebyshevUnderRelaxation float64
	// ChebyshevStart: first sweep that is accelerated. Default: 8; a whole number >= 1 and <= 100000.
	ChebyshevStart int
	// SeparationWeight: weight of the separation push; a negative one pulls close points together. Default: 1; a
	// number >= -10 and <= 10.
	SeparationWeight float64
	// SpacingWeight: weight of the spacing correction. Default: 1; a number >= 0 and <= 10.
	SpacingWeight float64
	// BendingWeight: weight of the bending correction. Default: 1.5; a number >= 0 and <= 10.
	BendingWeight float64
	// SeparationSearchEvery: sweeps between two searches for close points. Default: 20; a whole number >= 1 and <=
	// 100000.
	SeparationSearchEvery int
	// SeparationCacheSlots: close points remembered per point; 0 searches densely instead. Default: 16; a whole
	// number >= 0 and <= 65536.
	SeparationCacheSlots int
	// SeparationCacheSkin: extra search distance, as a fraction of the separation target. Default: 0.5; a number >= 0
	// and <= 100.
	SeparationCacheSkin float64
	// SmoothingPasses: Taubin smoothing passes after the sweeps. Default: 5; a whole number >= 0 and <= 100000.
	SmoothingPasses int
	// SpacingSweeps: spacing-only sweeps at the end. Default: 10; a whole number >= 0 and <= 100000.
	SpacingSweeps int
}

// OutputConfig has the number of points of a track and their spacing.
type OutputConfig struct {
	// LoopPoints: points of the first loop, before it is resampled at constant spacing. Default: 256; a whole number
	// >= 8 and <= 65536.
	LoopPoints int
	// Spacing: distance between points of the relaxed loop. Default: 0: 0.6 times the half width, per env; a number >
	// 0 and <= 1000000, or 0 for the default.
	Spacing float64
	// MaxPoints: points stored per track; the rest of a row is NaN, except z. Default: 384; a whole number >= 8 and <=
	// 65536.
	MaxPoints int
}

// ValidityConfig says which tracks are valid.
type ValidityConfig struct {
	// TurningTolerance: largest deviation of the total turning from one revolution. Default: 0.1; a number > 0 and <=
	// 6.283185307179586.
	TurningTolerance float64
	// ThicknessTolerance: shortfall of thickness that still counts as valid, as a fraction of the half width; a
	// negative one asks for more than that, and from 1 on any thickness counts. Default: 0.02; a number >= -10 and <=
	// 10.
	ThicknessTolerance float64
	// MinHalfWidth: half width that a valid track must exceed. Default: 0.001; a number >= 0 and <= 1000000.
	MinHalfWidth float64
	// CheckBorders: also require that no border crosses itself or the other one. Default: false; true or false.
	CheckBorders bool
	// MaxGrade: largest change of height between two successive points, as a fraction of their distance in plan view.
	// Default: 0: no limit; a number > 0 and <= 1000000, or 0 for the default.
	MaxGrade float64
}
