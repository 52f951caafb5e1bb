package track

import (
	"math"
	"reflect"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/kernels/elevation"
	"github.com/trackgen-go/trackgen/kernels/inflation"
	"github.com/trackgen-go/trackgen/kernels/repulsive"
	"github.com/trackgen-go/trackgen/kernels/voronoi"
)

// These limits keep every index within int32 and every buffer at a reasonable size.
const (
	maxCorners = 512
	maxSamples = 4096
	maxPoints  = 1 << 16
	maxSweeps  = 100_000
	maxEnvs    = 1 << 24
	maxLength  = 1e6
	maxGrowth  = 1000
	maxDiscs   = 16

	maxHarmonics = 1000

	maxCandidates = 64
	maxBestOf     = 4096

	// leastHalfCell keeps the number of cells of a grid, (1/(2 half_cell_size))^2, within int32.
	leastHalfCell = 2e-5
)

// generatorField is the name of the field whose choices Register extends.
const generatorField = "generator"

// groups lists the groups of fields in the order of the documentation. The group "" holds the fields outside of all
// groups.
var groups = []Group{
	{Name: "", Title: "Batch"},
	{Name: "spline", Title: "Splines"},
	{Name: "corners", Title: "Corner points"},
	{Name: "bezier", Title: "Generator bezier"},
	{Name: "hull", Title: "Generator hull"},
	{Name: "polar", Title: "Generator polar"},
	{Name: "voronoi", Title: "Generator voronoi"},
	{Name: "checkpoint", Title: "Generator checkpoint"},
	{Name: "repulsive", Title: "Generator repulsive"},
	{Name: "variation", Title: "Variation of the road"},
	{Name: "road", Title: "Road"},
	{Name: "elevation", Title: "Elevation"},
	{Name: "banking", Title: "Banking"},
	{Name: "relax", Title: "Relaxation"},
	{Name: "output", Title: "Output"},
	{Name: "validity", Title: "Validity"},
}

// fields describes every field of Config, in the order of the documentation. The struct with its comments, the
// defaults, validation, configuration files, arguments and documents follow this table.
var fields = config.NewTable(groups, reflect.TypeFor[FirstLoop]().Name(), []Field{
	{Name: generatorField, Reference: "generator",
		Default: "bezier", Choices: []string{Bezier, Hull, Polar, Voronoi, Checkpoint, Repulsive},
		ChoicesNow: func() []string { return append(Generators(), Mixed) },
		Doc:        "which generator draws the first loop"},
	{Name: "num_envs", Reference: "num_envs", Default: 1, Min: 1, Max: maxEnvs,
		Doc: "tracks in the batch, E"},
	{Name: "candidates", Default: 1, Min: 1, Max: maxCandidates,
		Doc: "maximum number of tracks that an env draws until one is valid and its first loop has no crossing; " +
			"the best one is kept"},
	{Name: "scale", Reference: "scale", Unit: Length, Default: 1.0, Min: -maxLength, Max: maxLength,
		NonZero: true,
		Doc: "side of the square that corner points are drawn in; the loops of polar, voronoi and " +
			"checkpoint span 1.44 times as much; a negative scale turns every loop by half a turn"},

	{Name: "spline.samples_per_segment", Reference: "num_points_per_segment", Default: 30, Min: 2, Max: maxSamples,
		Doc: "samples of each curve segment of bezier, hull, polar and voronoi"},

	{Name: "corners.min_count", Reference: "min_num_points", Default: 9, Min: 2, Max: maxCorners,
		Doc: "minimum number of corner points"},
	{Name: "corners.max_count", Reference: "max_num_points", Default: 13, Min: 2, Max: maxCorners,
		Doc: "maximum number of corner points, at least min_count"},
	{Name: "corners.half_cell_size", Reference: "min_point_distance",
		Default: 0.05, Min: leastHalfCell, Max: 0.5,
		Doc: "half the cell size of the grid that corner points are drawn from, as a fraction of scale"},

	{Name: "bezier.handle_length", Reference: "rad", Default: 0.4, Min: -10, Max: 10,
		Doc: "handle length as a fraction of the chord; negative handles point backwards and make loops at the corners"},
	{Name: "bezier.handle_limit", Reference: "handle_clamp_frac", Default: 0.4, Min: 0, Max: 10,
		Doc: "longest handle as a fraction of the shorter edge at its corner"},
	{Name: "bezier.edginess", Reference: "edgy", Default: 0.0, Min: -maxLength, Max: maxLength,
		Doc: "how far a corner's tangent leans to its outgoing edge; 0 is the middle"},
	{Name: "bezier.style_sampling", Reference: "style_sampling", Default: false,
		Doc: "draw handle_length, handle_limit and scale for each env from the ranges below"},
	{Name: "bezier.handle_length_range", Reference: "rad_range",
		Derived: "handle_length for all envs", Min: 0, Max: 10,
		Doc: "range of handle_length with style_sampling"},
	{Name: "bezier.handle_limit_range", Reference: "handle_clamp_frac_range",
		Derived: "handle_limit for all envs", Min: 0, Max: 10,
		Doc: "range of handle_limit with style_sampling"},
	{Name: "bezier.scale_range", Reference: "scale_range",
		Derived: "scale for all envs", Unit: Length, MinOpen: true, Max: maxLength,
		Doc: "range of scale with style_sampling"},

	{Name: "hull.displacement", Reference: "hull_displacement", Default: 0.15, Min: -10, Max: 10,
		Doc: "largest move of the middle of an edge, as a fraction of its distance to the centroid of the " +
			"corners; with a negative one every move has the opposite sign"},

	{Name: "polar.knots", Reference: "polar_num_knots", Default: 12, Min: 0, Max: maxCorners,
		Doc: "knots around the circle; fewer than 4 count as 4"},
	{Name: "polar.radial_jitter", Reference: "polar_radial_jitter", Default: 0.60, Min: 0, Max: 10,
		Doc: "largest relative change of a knot's radius; 0.85 is the most that counts"},
	{Name: "polar.angular_jitter", Reference: "polar_angular_jitter", Default: 0.30, Min: 0, Max: 10,
		Doc: "largest move of a knot along the circle, as a fraction of the knot spacing; 0.45 is the most that counts"},

	{Name: "voronoi.sites", Reference: "voronoi_num_sites", Default: 256, Min: 6, Max: maxPoints,
		Doc: "random sites, at least control_points"},
	{Name: "voronoi.layout", Reference: "voronoi_layout", Default: "void_ring", Choices: voronoi.LayoutNames,
		Doc: "where sites lie: all over a square, around an empty middle, in clusters, or as a mixture of " +
			"the first two"},
	{Name: "voronoi.control_points", Reference: "voronoi_control_points", Default: 18, Min: 6, Max: maxCorners,
		Doc: "sectors around the origin, in each of which the loop goes through one site"},
	{Name: "voronoi.radial_variation", Reference: "voronoi_radial_variation", Default: 0.62, Min: 0, Max: 10,
		Doc: "how far the target distance of a site from the origin varies along the loop, as a fraction " +
			"of its mean; the layouts enlarge it by up to 1.16, and 0.85 is the most that counts"},
	{Name: "voronoi.angular_jitter", Reference: "voronoi_angular_jitter",
		Unit: Angle, Default: 0.08, Min: 0, Max: 2 * math.Pi,
		Doc: "largest random change of the target direction of a site"},

	{Name: "checkpoint.count", Reference: "checkpoint_count", Default: 12, Min: 3, Max: maxCorners,
		Doc: "checkpoints around a circle of radius 1"},
	{Name: "checkpoint.min_radius", Reference: "checkpoint_radius_min_frac",
		Default: 0.33, Min: 0, Max: 1, MaxOpen: true,
		Doc: "smallest distance of a checkpoint from the middle of the circle, as a fraction of its radius"},
	{Name: "checkpoint.angular_jitter", Reference: "checkpoint_angle_jitter", Default: 0.55, Min: 0, Max: 10,
		Doc: "largest move of a checkpoint along the circle, as a fraction of the distance between two"},
	{Name: "checkpoint.turn_rate", Reference: "checkpoint_turn_rate",
		Unit: Angle, Default: 0.42, Min: 0, Max: math.Pi,
		Doc: "largest turn in one step; a lap has output.loop_points steps"},
	{Name: "checkpoint.steering_gain", Reference: "checkpoint_steer_gain", Default: 0.65, Min: 0, Max: 10,
		Doc: "fraction of the angle to the next checkpoint that one step turns by"},
	{Name: "checkpoint.lookahead", Reference: "checkpoint_lookahead_frac", Default: 0.16, Min: 0, Max: 10,
		Doc: "distance to a checkpoint at which the one after it becomes the next, as a fraction of the " +
			"radius of the circle"},
	{Name: "checkpoint.best_of", Reference: "checkpoint_best_of_k", Default: 4, Min: 1, Max: maxBestOf,
		Doc: "loops drawn for each env; the one with the fewest crossings is kept"},
	{Name: "checkpoint.clip_crossings", Reference: "checkpoint_clip_fallback", Default: false,
		Doc: "cut off the shorter part of a loop that still crosses itself, up to 16 times, and space the points of " +
			"every loop evenly"},

	{Name: "repulsive.min_growth", Reference: "repulsive_grow_mult_min", Default: 4.5, Min: 1, Max: maxGrowth,
		Doc: "shortest loop, as a multiple of the circle that it grows from"},
	{Name: "repulsive.max_growth", Reference: "repulsive_grow_mult_max",
		Default: 5.5, Min: 1, MinOpen: true, Max: maxGrowth,
		Doc: "longest loop, at least min_growth"},
	{Name: "repulsive.wall_radius", Reference: "repulsive_domain_frac",
		Default: 0.35, MinOpen: true, Max: maxGrowth,
		Doc: "radius of the wall around the loop, in units of 4.9029 times scale"},
	{Name: "repulsive.wall_to_circle_ratio", Reference: "repulsive_domain_init_ratio",
		Default: 4.0, Min: 1, MinOpen: true, Max: maxGrowth,
		Doc: "ratio of the radius of the wall to that of the first circle"},
	{Name: "repulsive.min_obstacles", Reference: "repulsive_obstacle_count_min", Default: 8, Min: 1, Max: maxDiscs,
		Doc: "minimum number of discs that the loop grows around"},
	{Name: "repulsive.max_obstacles", Reference: "repulsive_obstacle_count_max", Default: 12, Min: 1, Max: maxDiscs,
		Doc: "maximum number of discs, at least min_obstacles"},
	{Name: "repulsive.min_obstacle_radius", Reference: "repulsive_obstacle_radius_frac_min",
		Default: 0.02, MinOpen: true, Max: 1,
		Doc: "smallest disc, its radius as a fraction of that of the wall"},
	{Name: "repulsive.max_obstacle_radius", Reference: "repulsive_obstacle_radius_frac_max",
		Default: 0.045, MinOpen: true, Max: 1,
		Doc: "largest disc, at least min_obstacle_radius"},
	{Name: "repulsive.drop_obstacles", Reference: "repulsive_deactivate_obstacles", Default: true,
		Doc: "drop the discs once a loop has its length"},
	{Name: "repulsive.growth_rate", Reference: "repulsive_ratchet_rate", Default: 0.012, MinOpen: true, Max: 1,
		Doc: "growth of the loop in one iteration"},
	{Name: "repulsive.alpha", Reference: "repulsive_alpha", Default: defaultAlpha, MinOpen: true, Max: 12,
		Doc: "exponent of the tangent-point energy: that of the distance of a point from another point's tangent"},
	{Name: "repulsive.beta", Reference: "repulsive_beta", Default: defaultBeta, MinOpen: true, Max: 12,
		Doc: "exponent of the tangent-point energy: that of the distance of two points; obstacles repel with the " +
			"distance to the power alpha - beta; other exponents than 3 and 6 take about ten times as long"},
	{Name: "repulsive.step_size", Reference: "repulsive_tau", Default: 0.4, MinOpen: true, Max: 10,
		Doc: "largest move of a point in one iteration, as a fraction of the mean distance of neighbours"},
	{Name: "repulsive.stages", Reference: "repulsive_stages",
		Derived: "a quarter, a half and all of output.loop_points", Min: 4, Max: repulsive.MaxPoints,
		Doc: "points of the loop while it grows, multiples of 4, ascending to output.loop_points"},
	{Name: "repulsive.settle_iterations", Reference: "repulsive_settle_iters",
		Default: 40, Min: 1, Max: maxIterations,
		Doc: "iterations after the loop has grown to its full length"},
	{Name: "repulsive.resample_every", Reference: "repulsive_resample_every", Default: 25, Min: 1, Max: maxSweeps,
		Doc: "iterations between two resamplings at even spacing"},
	{Name: "repulsive.horizon", Derived: "1.6 times the iterations in which the longest loop grows",
		Min: 1, Max: maxIterations,
		Doc: "iteration until which the points of a loop that is done are still spread evenly, as in a batch of the " +
			"reference system that ends then"},
	{Name: "repulsive.stall_window", Reference: "repulsive_stall_window", Default: 16, Min: 1, Max: maxIterations,
		Doc: "iterations between two checks whether a loop is done"},
	{Name: "repulsive.stall_area_tolerance", Reference: "repulsive_stall_area_tol",
		Default: 0.05, Min: 0, Max: maxGrowth,
		Doc: "change of the enclosed area since the last check, as a fraction, below which a loop of full " +
			"length is done"},

	{Name: "variation.half_width_range", Derived: "road.half_width for all envs",
		Unit: Length, MinOpen: true, Max: maxLength,
		Doc: "range from which each env draws half the width of its road, uniformly"},
	{Name: "variation.random_direction", Default: false,
		Doc: "drive each track the other way round with a probability of one half, from the same point"},
	{Name: "variation.random_mirror", Default: false,
		Doc: "mirror each track at the y axis with a probability of one half"},

	{Name: "road.half_width", Reference: "half_width", Unit: Length, Default: 0.1, MinOpen: true, Max: maxLength,
		Doc: "half the width of the road"},
	{Name: "road.height", Reference: "z_base", Unit: Length, Default: 0.0, Min: -maxLength, Max: maxLength,
		Doc: "height of a flat track, and the height that random_walk and noise vary"},

	{Name: "elevation.profile", Reference: "z_profile", Default: "flat", Choices: elevation.ProfileNames,
		Doc: "heights along the track: one for all points, a random one for each control point, a random walk over the " +
			"control points, or sums of sines"},
	{Name: "elevation.min", Reference: "z_min", Unit: Length, Default: 0.0, Min: -maxLength, Max: maxLength,
		Doc: "lowest height of a track that is not flat"},
	{Name: "elevation.max", Reference: "z_max", Unit: Length, Default: 0.0, Min: -maxLength, Max: maxLength,
		Doc: "highest height of a track that is not flat, at least min"},
	{Name: "elevation.control_points", Reference: "z_control_points", Default: 10, Min: 3, Max: maxPoints,
		Doc: "points at equal distances along the track whose heights uniform and random_walk draw; a smooth curve goes " +
			"through them"},
	{Name: "elevation.max_step", Reference: "z_max_step", Default: 0.0, Min: 0, Max: maxLength,
		Doc: "largest change of the height of random_walk per unit of length in plan view, before the walk is closed"},
	{Name: "elevation.noise_amplitude", Reference: "z_noise_amplitude", Unit: Length, Default: 0.0, Min: 0,
		Max: maxLength,
		Doc: "largest deviation of the height of noise from road.height"},
	{Name: "elevation.noise_harmonics", Reference: "z_noise_harmonics", Default: 3, Min: 1, Max: maxHarmonics,
		Doc: "sines of noise, with 1, 2, ... periods to the track"},

	{Name: "banking.profile", Default: inflation.BankNames[0], Choices: inflation.BankNames,
		Doc: "bank angle along the track: none, or proportional to the curvature, with the inside of bends lower"},
	{Name: "banking.factor", Unit: Length, Default: 0.05, Min: 0, Max: maxLength,
		Doc: "bank angle in radians times the radius of the bend; for small angles, v^2/g of the speed at which a vehicle " +
			"needs no side force"},
	{Name: "banking.max_angle", Unit: Angle, Default: 0.2, MinOpen: true, Max: 1,
		Doc: "largest bank angle to either side"},
	{Name: "banking.transition", Unit: Length, Default: 0.5, Min: 0, Max: maxLength,
		Doc: "length of the line over which the bank angle is averaged, with weights that fall to 0 at its ends; the angle " +
			"changes by at most 4 max_angle on this way"},

	{Name: "relax.enabled", Reference: "relax_enable", Default: true,
		Doc: "push the centreline apart and round it until the road fits"},
	{Name: "relax.sweeps", Reference: "relax_iters", Default: 50, Min: 0, Max: maxSweeps,
		Doc: "Jacobi sweeps; without any, the loop is only smoothed and spaced"},
	{Name: "relax.margin", Reference: "relax_margin", Default: 0.15, Min: -1, Max: 10,
		Doc: "extra distance to which points are pushed apart, as a fraction of what the road needs; a negative one " +
			"leaves less than the road needs"},
	{Name: "relax.band", Reference: "relax_band",
		Derived: "the road width over the mean spacing, per env", Min: -1, Max: maxPoints,
		Doc: "neighbours along the loop that never push each other; with as many as the loop has points, no points " +
			"do, and with -1 all do"},
	{Name: "relax.acceleration", Reference: "relax_accel",
		Default: "chebyshev", Choices: []string{"chebyshev", "none"},
		Doc: "acceleration of the sweeps"},
	{Name: "relax.chebyshev_spectral_radius", Reference: "relax_cheby_rho",
		Default: 0.98, Min: 0, Max: 1, MaxOpen: true,
		Doc: "estimated spectral radius for Chebyshev"},
	{Name: "relax.chebyshev_under_relaxation", Reference: "relax_cheby_gamma", Default: 0.9, MinOpen: true, Max: 1,
		Doc: "under-relaxation of each Chebyshev step"},
	{Name: "relax.chebyshev_start", Reference: "relax_cheby_start", Default: 8, Min: 1, Max: maxSweeps,
		Doc: "first sweep that is accelerated"},
	{Name: "relax.separation_weight", Reference: "relax_sep_relax", Default: 1.0, Min: -10, Max: 10,
		Doc: "weight of the separation push; a negative one pulls close points together"},
	{Name: "relax.spacing_weight", Reference: "relax_spc_relax", Default: 1.0, Min: 0, Max: 10,
		Doc: "weight of the spacing correction"},
	{Name: "relax.bending_weight", Reference: "relax_bend_relax", Default: 1.5, Min: 0, Max: 10,
		Doc: "weight of the bending correction"},
	{Name: "relax.separation_search_every", Reference: "relax_sep_every", Default: 20, Min: 1, Max: maxSweeps,
		Doc: "sweeps between two searches for close points"},
	{Name: "relax.separation_cache_slots", Reference: "relax_sep_cache_slots", Default: 16, Min: 0, Max: maxPoints,
		Doc: "close points remembered per point; 0 searches densely instead"},
	{Name: "relax.separation_cache_skin", Reference: "relax_sep_cache_skin", Default: 0.5, Min: 0, Max: 100,
		Doc: "extra search distance, as a fraction of the separation target"},
	{Name: "relax.smoothing_passes", Reference: "relax_smooth_passes", Default: 5, Min: 0, Max: maxSweeps,
		Doc: "Taubin smoothing passes after the sweeps"},
	{Name: "relax.spacing_sweeps", Reference: "relax_smooth_spacing_iters", Default: 10, Min: 0, Max: maxSweeps,
		Doc: "spacing-only sweeps at the end"},

	{Name: "output.loop_points", Reference: "num_points", Default: 256, Min: 8, Max: maxPoints,
		Doc: "points of the first loop, before it is resampled at constant spacing"},
	{Name: "output.spacing", Reference: "spacing",
		Unit: Length, Derived: "0.6 times the half width, per env", MinOpen: true, Max: maxLength,
		Doc: "distance between points of the relaxed loop"},
	{Name: "output.max_points", Reference: "N_max", Default: 384, Min: 8, Max: maxPoints,
		Doc: "points stored per track; the rest of a row is NaN, except z"},

	{Name: "validity.turning_tolerance", Reference: "turning_tol",
		Unit: Angle, Default: 0.1, MinOpen: true, Max: 2 * math.Pi,
		Doc: "largest deviation of the total turning from one revolution"},
	{Name: "validity.thickness_tolerance", Reference: "relax_tol", Default: 0.02, Min: -10, Max: 10,
		Doc: "shortfall of thickness that still counts as valid, as a fraction of the half width; a negative one asks " +
			"for more than that, and from 1 on any thickness counts"},
	{Name: "validity.min_half_width", Reference: "w_floor", Unit: Length, Default: 1e-3, Min: 0, Max: maxLength,
		Doc: "half width that a valid track must exceed"},
	{Name: "validity.check_borders", Reference: "validity_border_check", Default: false,
		Doc: "also require that no border crosses itself or the other one"},
	{Name: "validity.max_grade", Reference: "z_valid_grade", Derived: "no limit", MinOpen: true, Max: maxLength,
		Doc: "largest change of height between two successive points, as a fraction of their distance in plan view"},
})
