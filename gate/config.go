package gate

// Config describes the gate courses to generate. Make one with DefaultConfig and change fields of it:
//
//	config := gate.DefaultConfig()
//	config.Generator, config.NumEnvs = gate.Voronoi, 512
//	config.Gate.Width, config.Elevation.Profile = 0.12, "noise"
//
// All fields are plain values, and zero is a value like any other. Where the documented default is zero with an
// explanation, as in "0: no limit", zero stands for that.
//
// Lengths are in the units of the user (for example metres), angles in radians. Fields lists the fields with their
// documentation. Names in configuration files consist of lower-case words and dots: Gate.Width is gate.width.
type Config struct {
	// NumEnvs: courses in the batch, E. Default: 1; a whole number >= 1 and <= 16777216.
	NumEnvs int
	// Candidates: maximum number of courses that an env draws until one is valid; the first valid one is kept. Default: 1;
	// a whole number >= 1 and <= 64.
	Candidates int
	// Mix: the components of a mixed batch. Each env draws its control points with the settings of one component, which
	// is drawn by weight from the effective seed of the env, or given (WithComponents). Generator must then be Mixed.
	// Default: none; at most 64.
	Mix []Component

	// Source has the settings of the control points of a batch that is not mixed.
	Source

	Along     AlongConfig
	Gate      GateConfig
	Elevation ElevationConfig
	Output    OutputConfig
	Validity  ValidityConfig
}

// Source has the settings of the control points of an env: the generator, the settings of each generator, and their
// order. The settings of the generators that are not used have no effect. The components of a mixed batch differ in
// these settings alone.
type Source struct {
	// Generator: which generator draws the control points. Default: bezier; one of bezier, hull, polar, voronoi,
	// checkpoint, repulsive.
	Generator string
	// Ordering: order of the gates: by angle around their centroid, as they were drawn, or pairs in random order; bezier
	// and hull allow ccw and random_pairs, polar, voronoi and checkpoint allow ccw and raw. Default: ccw, and raw with
	// repulsive; one of raw, ccw, random_pairs.
	Ordering string
	// Scale: side of the square that corner points are drawn in; the courses of polar, voronoi, checkpoint and repulsive
	// span 1.44 times as much before gates are moved apart; 0 puts all gates in one place. Default: 1; a number
	// >= -1000000 and <= 1000000.
	Scale float64

	Corners    CornersConfig
	Polar      PolarConfig
	Voronoi    VoronoiConfig
	Checkpoint CheckpointConfig
	Repulsive  RepulsiveConfig
}

// CornersConfig has the settings of the corner points that the generators bezier and hull draw.
type CornersConfig struct {
	// MinCount: minimum number of gates of bezier and hull. Default: 9; a whole number >= 2 and <= 512.
	MinCount int
	// MaxCount: maximum number of gates of bezier and hull, at least min_count. Default: 13; a whole number >= 2 and <=
	// 512.
	MaxCount int
	// HalfCellSize: half the cell size of the grid that corner points are drawn from, as a fraction of scale. Default:
	// 0.05; a number >= 2e-05 and <= 0.5.
	HalfCellSize float64
}

// PolarConfig has the settings of the generator polar.
type PolarConfig struct {
	// Knots: gates around the circle; fewer than 4 count as 4. Default: 12; a whole number >= 0 and <= 512.
	Knots int
	// RadialJitter: largest relative change of a gate's radius; 0.85 is the most that counts. Default: 0.6; a number >= 0
	// and <= 10.
	RadialJitter float64
	// AngularJitter: largest move of a gate along the circle, as a fraction of the spacing; 0.45 is the most that counts.
	// Default: 0.3; a number >= 0 and <= 10.
	AngularJitter float64
}

// VoronoiConfig has the settings of the generator voronoi.
type VoronoiConfig struct {
	// Sites: random sites, at least control_points. Default: 256; a whole number >= 3 and <= 65536.
	Sites int
	// Layout: where sites lie: all over a square, around an empty middle, in clusters, or as a mixture of the first two.
	// Default: void_ring; one of ring, void_ring, clustered, mixed.
	Layout string
	// ControlPoints: sectors around the origin, in each of which one site becomes a gate. Default: 18; a whole number >= 3
	// and <= 512.
	ControlPoints int
	// RadialVariation: how far the target distance of a site from the origin varies along the course, as a fraction of its
	// mean; the layouts enlarge it by up to 1.16, and 0.85 is the most that counts. Default: 0.62; a number >= 0 and <=
	// 10.
	RadialVariation float64
	// AngularJitter: largest random change of the target direction of a site. Default: 0.08; a number >= 0 and <=
	// 6.283185307179586.
	AngularJitter float64
}

// CheckpointConfig has the settings of the generator checkpoint.
type CheckpointConfig struct {
	// Count: gates around a circle of radius 1. Default: 12; a whole number >= 3 and <= 512.
	Count int
	// MinRadius: smallest distance of a gate from the middle of the circle, as a fraction of its radius. Default: 0.33; a
	// number >= 0 and < 1.
	MinRadius float64
	// AngularJitter: largest move of a gate along the circle, as a fraction of the distance between two. Default: 0.55; a
	// number >= 0 and <= 10.
	AngularJitter float64
}

// RepulsiveConfig has the settings of the generator repulsive: the number of gates, and those of the curve, which are
// the settings of the generator of tracks.
type RepulsiveConfig struct {
	// MinCount: minimum number of gates, at equal distances along the curve. Default: 18; a whole number >= 2 and <= 512.
	MinCount int
	// MaxCount: maximum number of gates, at least min_count. Default: 24; a whole number >= 2 and <= 512.
	MaxCount int
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

// AlongConfig has the settings of gates along tracks (NewAlong).
type AlongConfig struct {
	// Spacing: distance between gates along a track; the track is divided into equal parts of about this length. Default:
	// 1; a number > 0 and <= 1000000.
	Spacing float64
	// RoadFraction: width of a gate as a fraction of the width of the road, where gate.width is 0; the road counts as
	// twice as wide as it is to its narrower side. Default: 1; a number >= 0 and <= 10.
	RoadFraction float64
	// AnyTrack: whether courses along tracks that are not valid may be valid. Default: false; true or false.
	AnyTrack bool
}

// GateConfig has the size of the gates and how they stand.
type GateConfig struct {
	// Radius: half the distance in plan view below which two gates are too near; gates are moved apart to it. Default:
	// 0.025; a number >= 0 and <= 1000000.
	Radius float64
	// SeparationSweeps: sweeps over all pairs of gates that move gates apart; with 0, gates stay where they were drawn.
	// Default: 8; a whole number >= 0 and <= 10000.
	SeparationSweeps int
	// Width: width of the opening of a gate, from post to post. Default: 0; a number >= 0 and <= 1000000.
	Width float64
	// SizeRange: range from which each env draws a factor for gate.radius and gate.width, uniformly. Default: [0, 0]: 1
	// for all envs; a pair [min, max] with min <= max, each > 0 and <= 1000000, or [0, 0] for the default.
	SizeRange Range
	// Align: whether gates stand upright or tilt with the course. Default: yaw_only; one of full_tangent, yaw_only.
	Align string
}

// ElevationConfig has the heights of the gates.
type ElevationConfig struct {
	// Profile: heights of the gates: one for all, a random one for each, a random walk along the course, or sums of
	// sines. Default: flat; one of flat, uniform, random_walk, noise.
	Profile string
	// Base: height of a flat course, and the height that random_walk and noise vary. Default: 0; a number >= -1000000 and
	// <= 1000000.
	Base float64
	// Min: lowest height of a course that is not flat. Default: 0; a number >= -1000000 and <= 1000000.
	Min float64
	// Max: highest height of a course that is not flat, at least min. Default: 0; a number >= -1000000 and <= 1000000.
	Max float64
	// MaxStep: largest change of the height of random_walk per unit of length in plan view. Default: 0; a number >= 0 and
	// <= 1000000.
	MaxStep float64
	// NoiseAmplitude: largest deviation of the height of noise from base. Default: 0; a number >= 0 and <= 1000000.
	NoiseAmplitude float64
	// NoiseHarmonics: sines of noise, with 1, 2, ... periods to the course. Default: 3; a whole number >= 1 and <= 1000.
	NoiseHarmonics int
}

// OutputConfig has the number of gates that are stored.
type OutputConfig struct {
	// MaxGates: gates stored per course; the rest of a row is NaN. Default: 32; a whole number >= 2 and <= 512.
	MaxGates int
}

// ValidityConfig says which courses are valid.
type ValidityConfig struct {
	// MinGates: minimum number of gates of a valid course. Default: 4; a whole number >= 2 and <= 512.
	MinGates int
	// MaxGrade: largest change of height from gate to gate, as a fraction of their distance in plan view. Default: 0: no
	// limit; a number > 0 and <= 1000000, or 0 for the default.
	MaxGrade float64
	// MinDistance: smallest distance from a gate to the next one. Default: 0; a number >= 0 and <= 1000000.
	MinDistance float64
	// MaxDistance: largest distance from a gate to the next one, at least min_distance. Default: 0: no limit; a number > 0
	// and <= 1000000, or 0 for the default.
	MaxDistance float64
	// MinTurn: smallest angle between the way to a gate and the way from it. Default: 0; a number >= 0 and <=
	// 3.141592653589793.
	MinTurn float64
	// MaxTurn: largest angle between the way to a gate and the way from it, at least min_turn. Default: 0: no limit; a
	// number > 0 and <= 3.141592653589793, or 0 for the default.
	MaxTurn float64
}
