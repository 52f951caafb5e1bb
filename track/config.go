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
// docs/spec/pipeline.md, section 2.1; Fields lists them with their documentation.
type Config struct {
	// Generator: which generator draws the first loop. Default: bezier; one of bezier, hull, polar, voronoi,
	// checkpoint, repulsive.
	Generator string
	// NumEnvs: tracks in the batch, E. Default: 1; a whole number >= 1 and <= 16777216.
	NumEnvs int
	// Candidates: most tracks that an env draws until one is valid and its first loop does not cross itself; the best
	// one is kept. Default: 1; a whole number >= 1 and <= 64.
	Candidates int
	// Mix: the components of a mixed batch, whose envs draw their first loops in different ways: each env the way of one
	// component, drawn by weight from its effective seed, or given (WithComponents). Generator is Mixed then, or unset.
	// Default: none; at most 64.
	Mix []Component

	// MinNumPoints: fewest corner points. Default: 9; a whole number >= 2 and <= 512.
	MinNumPoints int
	// MaxNumPoints: most corner points, at least min_num_points. Default: 13; a whole number >= 2 and <= 512.
	MaxNumPoints int
	// NumPointsPerSegment: samples of each curve segment (all generators that draw splines). Default: 30; a whole
	// number >= 2 and <= 4096.
	NumPointsPerSegment int
	// MinPointDistance: half the cell size of the grid that corner points are drawn from, as a fraction of scale.
	// Default: 0.05; a number >= 2e-05 and <= 0.5.
	MinPointDistance float64
	// Rad: handle length as a fraction of the chord (bezier). Default: 0.4; a number >= 0 and <= 10.
	Rad *float64
	// Edgy: how far a corner's tangent leans to its outgoing edge; 0 is the middle (bezier). Default: 0; a number >=
	// -1000000 and <= 1000000.
	Edgy float64
	// Scale: side of the square that corner points are drawn in; the loops of polar, voronoi and checkpoint span 1.44
	// times as much. Default: 1; a number > 0 and <= 1000000.
	Scale float64
	// HandleClampFrac: longest handle as a fraction of the shorter edge at its corner (bezier). Default: 0.4; a number
	// >= 0 and <= 10.
	HandleClampFrac *float64

	// HullDisplacement: largest move of the middle of an edge, as a fraction of its distance to the centroid of the
	// corners. Default: 0.15; a number >= 0 and <= 10.
	HullDisplacement *float64

	// StyleSampling: draw rad, scale and handle_clamp_frac per env from the ranges below (bezier). Default: false;
	// true or false.
	StyleSampling bool
	// RadRange: range of rad. Default: the scalar rad; a pair [min, max] with min <= max, each >= 0 and <= 10.
	RadRange *Range
	// ScaleRange: range of scale. Default: the scalar scale; a pair [min, max] with min <= max, each > 0 and <=
	// 1000000.
	ScaleRange *Range
	// HandleClampFracRange: range of handle_clamp_frac. Default: the scalar handle_clamp_frac; a pair [min, max] with
	// min <= max, each >= 0 and <= 10.
	HandleClampFracRange *Range

	// PolarNumKnots: knots around the circle. Default: 12; a whole number >= 4 and <= 512.
	PolarNumKnots int
	// PolarRadialJitter: largest relative change of a knot's radius. Default: 0.6; a number >= 0 and <= 0.85.
	PolarRadialJitter *float64
	// PolarAngularJitter: largest move of a knot along the circle, as a fraction of the knot spacing. Default: 0.3; a
	// number >= 0 and <= 0.45.
	PolarAngularJitter *float64

	// VoronoiNumSites: random sites, at least voronoi_control_points. Default: 256; a whole number >= 6 and <= 65536.
	VoronoiNumSites int
	// VoronoiLayout: where sites lie: all over a square, around an empty middle, in clusters, or as a mixture of the
	// first two. Default: void_ring; one of ring, void_ring, clustered, mixed.
	VoronoiLayout string
	// VoronoiControlPoints: sectors around the origin, in each of which the loop goes through one site. Default: 18; a
	// whole number >= 6 and <= 512.
	VoronoiControlPoints int
	// VoronoiRadialVariation: how far the wanted distance of a site from the origin varies along the loop, as a
	// fraction of its mean; the layouts enlarge it by up to 1.16, and 0.85 is the most that counts. Default: 0.62; a
	// number >= 0 and <= 10.
	VoronoiRadialVariation *float64
	// VoronoiAngularJitter: largest move of the wanted direction of a site. Default: 0.08; a number >= 0 and <=
	// 6.283185307179586.
	VoronoiAngularJitter *float64

	// CheckpointCount: checkpoints around a circle of radius 1. Default: 12; a whole number >= 3 and <= 512.
	CheckpointCount int
	// CheckpointRadiusMinFrac: smallest distance of a checkpoint from the middle of the circle, as a fraction of its
	// radius. Default: 0.33; a number >= 0 and < 1.
	CheckpointRadiusMinFrac *float64
	// CheckpointAngleJitter: largest move of a checkpoint along the circle, as a fraction of the distance between two.
	// Default: 0.55; a number >= 0 and <= 10.
	CheckpointAngleJitter *float64
	// CheckpointTurnRate: largest turn in a step, of which a lap has num_points. Default: 0.42; a number > 0 and <=
	// 3.141592653589793.
	CheckpointTurnRate float64
	// CheckpointSteerGain: part of the angle to the next checkpoint that a step turns by. Default: 0.65; a number > 0
	// and <= 10.
	CheckpointSteerGain float64
	// CheckpointLookaheadFrac: distance to a checkpoint at which the one after it becomes the next, as a fraction of
	// the radius of the circle. Default: 0.16; a number >= 0 and <= 10.
	CheckpointLookaheadFrac *float64
	// CheckpointBestOfK: loops drawn for each env, of which the one that crosses itself least is taken. Default: 4; a
	// whole number >= 1 and <= 64.
	CheckpointBestOfK int
	// CheckpointClipFallback: cut off the shorter part of a loop that still crosses itself, up to 16 times. Default:
	// false; true or false.
	CheckpointClipFallback bool

	// RepulsiveGrowMultMin: shortest loop, as a multiple of the circle that it grows from. Default: 4.5; a number >= 1 and
	// <= 1000.
	RepulsiveGrowMultMin float64
	// RepulsiveGrowMultMax: longest loop, at least repulsive_grow_mult_min. Default: 5.5; a number > 1 and <= 1000.
	RepulsiveGrowMultMax float64
	// RepulsiveDomainFrac: radius of the wall around the loop, in units of 4.9029 times scale. Default: 0.35; a number > 0
	// and <= 1000.
	RepulsiveDomainFrac float64
	// RepulsiveDomainInitRatio: radius of the wall over that of the first circle. Default: 4; a number > 1 and <= 1000.
	RepulsiveDomainInitRatio float64
	// RepulsiveObstacleCountMin: fewest discs that the loop grows around. Default: 8; a whole number >= 1 and <= 16.
	RepulsiveObstacleCountMin int
	// RepulsiveObstacleCountMax: most discs, at least repulsive_obstacle_count_min. Default: 12; a whole number >= 1 and <=
	// 16.
	RepulsiveObstacleCountMax int
	// RepulsiveObstacleRadiusFracMin: smallest disc, its radius as a fraction of that of the wall. Default: 0.02; a number
	// > 0 and <= 1.
	RepulsiveObstacleRadiusFracMin float64
	// RepulsiveObstacleRadiusFracMax: largest disc, at least repulsive_obstacle_radius_frac_min. Default: 0.045; a number >
	// 0 and <= 1.
	RepulsiveObstacleRadiusFracMax float64
	// RepulsiveRatchetRate: growth of the loop in one iteration. Default: 0.012; a number > 0 and <= 1.
	RepulsiveRatchetRate float64
	// RepulsiveTau: largest move of a point in one iteration, as a fraction of the mean distance of neighbours. Default:
	// 0.4; a number > 0 and <= 10.
	RepulsiveTau float64
	// RepulsiveStages: points of the loop while it grows, multiples of 4, ascending to num_points. Default: a quarter, a
	// half and all of num_points; a list of whole numbers, each >= 4 and <= 256.
	RepulsiveStages []int
	// RepulsiveSettleIters: iterations at the end beside those that growing takes. Default: 40; a whole number >= 1 and <=
	// 10000.
	RepulsiveSettleIters int
	// RepulsiveResampleEvery: iterations between two times that the points are spread evenly. Default: 25; a whole number
	// >= 1 and <= 100000.
	RepulsiveResampleEvery int
	// RepulsiveStallWindow: iterations between two checks whether a loop is done. Default: 16; a whole number >= 1 and <=
	// 10000.
	RepulsiveStallWindow int
	// RepulsiveStallAreaTol: change of the enclosed area since the last check, as a fraction, below which a loop of full
	// length is done. Default: 0.05; a number >= 0 and <= 1000.
	RepulsiveStallAreaTol *float64
	// RepulsiveDeactivateObstacles: drop the discs once a loop has its length. Default: true; true or false.
	RepulsiveDeactivateObstacles *bool

	// HalfWidth: half the width of the road. Default: 0.1; a number > 0 and <= 1000000.
	HalfWidth float64

	// RelaxEnable: push the centreline apart and round it until the road fits. Default: true; true or false.
	RelaxEnable *bool
	// RelaxTol: shortfall of thickness that still counts as valid, as a fraction of half_width. Default: 0.02; a
	// number >= 0 and < 1.
	RelaxTol *float64
	// RelaxBand: neighbours along the loop that never push each other. Default: the road width over the mean spacing,
	// per env; a whole number >= 1 and <= 65536.
	RelaxBand int
	// RelaxIters: Jacobi sweeps. Default: 50; a whole number >= 1 and <= 100000.
	RelaxIters int
	// RelaxAccel: acceleration of the sweeps. Default: chebyshev; one of chebyshev, none.
	RelaxAccel string
	// RelaxChebyRho: estimated spectral radius for Chebyshev. Default: 0.98; a number >= 0 and < 1.
	RelaxChebyRho *float64
	// RelaxChebyGamma: under-relaxation of each Chebyshev step. Default: 0.9; a number > 0 and <= 1.
	RelaxChebyGamma float64
	// RelaxChebyStart: first sweep that is accelerated. Default: 8; a whole number >= 1 and <= 100000.
	RelaxChebyStart int
	// RelaxSmoothPasses: Taubin smoothing passes after the sweeps. Default: 5; a whole number >= 0 and <= 100000.
	RelaxSmoothPasses *int
	// RelaxSmoothSpacingIters: spacing-only sweeps at the end. Default: 10; a whole number >= 0 and <= 100000.
	RelaxSmoothSpacingIters *int
	// RelaxSepEvery: sweeps between two searches for close points. Default: 20; a whole number >= 1 and <= 100000.
	RelaxSepEvery int
	// RelaxSepCacheSlots: close points remembered per point; 0 searches densely instead. Default: 16; a whole number
	// >= 0 and <= 64.
	RelaxSepCacheSlots *int
	// RelaxSepCacheSkin: extra search distance, as a fraction of the separation target. Default: 0.5; a number >= 0
	// and <= 100.
	RelaxSepCacheSkin *float64
	// RelaxSepRelax: weight of the separation push. Default: 1; a number >= 0 and <= 10.
	RelaxSepRelax *float64
	// RelaxSpcRelax: weight of the spacing correction. Default: 1; a number >= 0 and <= 10.
	RelaxSpcRelax *float64
	// RelaxBendRelax: weight of the bending correction. Default: 1.5; a number >= 0 and <= 10.
	RelaxBendRelax *float64
	// RelaxMargin: how much farther than the road needs the points are pushed, as a fraction. Default: 0.15; a number
	// >= 0 and <= 10.
	RelaxMargin *float64

	// NumPoints: points of the loop between generation and constant-spacing resampling. Default: 256; a whole number
	// >= 8 and <= 65536.
	NumPoints int
	// Spacing: distance between points of the relaxed loop. Default: 0.6 times half_width; a number > 0 and <=
	// 1000000.
	Spacing float64
	// NMax: points stored per track; the rest of a row is NaN, but for z. Default: 384; a whole number >= 8 and <=
	// 65536.
	NMax int

	// TurningTol: largest deviation of the total turning from one revolution. Default: 0.1; a number > 0 and <=
	// 6.283185307179586.
	TurningTol float64
	// WFloor: half width that a valid track must exceed. Default: 0.001; a number >= 0 and <= 1000000.
	WFloor *float64
	// ValidityBorderCheck: also require that no border crosses itself or the other one. Default: false; true or false.
	ValidityBorderCheck bool

	// ZBase: height of the track. Default: 0; a number >= -1000000 and <= 1000000.
	ZBase float64
}
