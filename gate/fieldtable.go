package gate

import (
	"math"
	"reflect"
	"slices"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/kernels/elevation"
	"github.com/trackgen-go/trackgen/kernels/voronoi"
	"github.com/trackgen-go/trackgen/track"
)

// These limits keep every index within int32 and every buffer at a reasonable size.
const (
	maxGates      = 512
	maxSites      = 1 << 16
	maxSweeps     = 10_000
	maxHarmonics  = 1000
	maxEnvs       = 1 << 24
	maxLength     = 1e6
	maxCandidates = 64

	// leastHalfCell keeps the number of cells of a grid, (1/(2 half_cell_size))^2, within int32.
	leastHalfCell = 2e-5
)

// groups lists the groups of fields in the order of the documentation. The group "" holds the fields outside of all
// groups.
var groups = []config.Group{
	{Name: "", Title: "Batch"},
	{Name: "corners", Title: "Corner points"},
	{Name: "polar", Title: "Generator polar"},
	{Name: "voronoi", Title: "Generator voronoi"},
	{Name: "checkpoint", Title: "Generator checkpoint"},
	{Name: "repulsive", Title: "Generator repulsive"},
	{Name: "along", Title: "Gates along tracks"},
	{Name: "gate", Title: "Gates"},
	{Name: "elevation", Title: "Elevation"},
	{Name: "output", Title: "Output"},
	{Name: "validity", Title: "Validity"},
}

const none = "no limit"

// curveGroup is the group of the settings of the generator repulsive, here and in package track.
const curveGroup = "repulsive"

// fields describes every field of Config, in the order of the documentation. The struct with its comments, the
// defaults, validation, configuration files, arguments and documents follow this table.
var fields = config.NewTable(groups, reflect.TypeFor[Source]().Name(), slices.Concat(controlFields,
	curveFields(), courseFields))

// curveFields are the settings of the curve that the generator repulsive grows: those of tracks, but for the points of
// its stages, which follow from output.loop_points of tracks.
func curveFields() (list []config.Field[Config]) {
	for _, f := range track.Fields() {
		if f.Group() != curveGroup || f.Name == "repulsive.stages" {
			continue
		}
		list = append(list, config.Field[Config]{
			Name: f.Name, Reference: f.Reference, Doc: f.Doc, Unit: f.Unit, Default: f.Default, Derived: f.Derived,
			Min: f.Min, Max: f.Max, MinOpen: f.MinOpen, MaxOpen: f.MaxOpen, NonZero: f.NonZero,
		})
	}
	return list
}

// controlFields are the settings of the batch and of the control points, before those of the curve of repulsive.
var controlFields = []config.Field[Config]{
	{Name: generatorField, Reference: "generator",
		Default: Bezier, Choices: []string{Bezier, Hull, Polar, Voronoi, Checkpoint, Repulsive},
		ChoicesNow: func() []string { return append(Generators(), Mixed) },
		Doc:        "which generator draws the control points"},
	{Name: "num_envs", Reference: "num_envs", Default: 1, Min: 1, Max: maxEnvs,
		Doc: "courses in the batch, E"},
	{Name: "candidates", Default: 1, Min: 1, Max: maxCandidates,
		Doc: "maximum number of courses that an env draws until one is valid; the first valid one is kept"},
	{Name: "ordering", Reference: "gate_ordering", Derived: "ccw, and raw with repulsive", Choices: orderings,
		Doc: "order of the gates: by angle around their centroid, as they were drawn, or pairs in random order; bezier and " +
			"hull allow ccw and random_pairs, polar, voronoi and checkpoint allow ccw and raw"},
	{Name: "scale", Reference: "scale", Unit: config.Length, Default: 1.0, Min: -maxLength, Max: maxLength,
		Doc: "side of the square that corner points are drawn in; the courses of polar, voronoi, checkpoint and repulsive " +
			"span 1.44 times as much before gates are moved apart; 0 puts all gates in one place"},

	{Name: "corners.min_count", Reference: "min_num_points", Default: 9, Min: 2, Max: maxGates,
		Doc: "minimum number of gates of bezier and hull"},
	{Name: "corners.max_count", Reference: "max_num_points", Default: 13, Min: 2, Max: maxGates,
		Doc: "maximum number of gates of bezier and hull, at least min_count"},
	{Name: "corners.half_cell_size", Reference: "min_point_distance", Default: 0.05, Min: leastHalfCell, Max: 0.5,
		Doc: "half the cell size of the grid that corner points are drawn from, as a fraction of scale"},

	{Name: "polar.knots", Reference: "polar_num_knots", Default: 12, Min: 0, Max: maxGates,
		Doc: "gates around the circle; fewer than 4 count as 4"},
	{Name: "polar.radial_jitter", Reference: "polar_radial_jitter", Default: 0.60, Min: 0, Max: 10,
		Doc: "largest relative change of a gate's radius; 0.85 is the most that counts"},
	{Name: "polar.angular_jitter", Reference: "polar_angular_jitter", Default: 0.30, Min: 0, Max: 10,
		Doc: "largest move of a gate along the circle, as a fraction of the spacing; 0.45 is the most that counts"},

	{Name: "voronoi.sites", Reference: "voronoi_num_sites", Default: 256, Min: 3, Max: maxSites,
		Doc: "random sites, at least control_points"},
	{Name: "voronoi.layout", Reference: "voronoi_site_layout", Default: "void_ring", Choices: voronoi.LayoutNames,
		Doc: "where sites lie: all over a square, around an empty middle, in clusters, or as a mixture of the first two"},
	{Name: "voronoi.control_points", Reference: "voronoi_control_points", Default: 18, Min: 3, Max: maxGates,
		Doc: "sectors around the origin, in each of which one site becomes a gate"},
	{Name: "voronoi.radial_variation", Reference: "voronoi_radial_variation", Default: 0.62, Min: 0, Max: 10,
		Doc: "how far the target distance of a site from the origin varies along the course, as a fraction of its mean; " +
			"the layouts enlarge it by up to 1.16, and 0.85 is the most that counts"},
	{Name: "voronoi.angular_jitter", Reference: "voronoi_angular_jitter", Unit: config.Angle, Default: 0.08, Min: 0,
		Max: 2 * math.Pi,
		Doc: "largest random change of the target direction of a site"},

	{Name: "checkpoint.count", Reference: "checkpoint_count", Default: 12, Min: 3, Max: maxGates,
		Doc: "gates around a circle of radius 1"},
	{Name: "checkpoint.min_radius", Reference: "checkpoint_radius_min_frac", Default: 0.33, Min: 0, Max: 1, MaxOpen: true,
		Doc: "smallest distance of a gate from the middle of the circle, as a fraction of its radius"},
	{Name: "checkpoint.angular_jitter", Reference: "checkpoint_angle_jitter", Default: 0.55, Min: 0, Max: 10,
		Doc: "largest move of a gate along the circle, as a fraction of the distance between two"},

	{Name: "repulsive.min_count", Default: 18, Min: 2, Max: maxGates,
		Doc: "minimum number of gates, at equal distances along the curve"},
	{Name: "repulsive.max_count", Default: 24, Min: 2, Max: maxGates,
		Doc: "maximum number of gates, at least min_count"},
}

// courseFields are the settings of what is done with control points.
var courseFields = []config.Field[Config]{
	{Name: "along.spacing", Unit: config.Length, Default: 1.0, MinOpen: true, Max: maxLength,
		Doc: "distance between gates along a track; the track is divided into equal parts of about this length"},
	{Name: "along.road_fraction", Default: 1.0, Min: 0, Max: 10,
		Doc: "width of a gate as a fraction of the width of the road, where gate.width is 0; the road counts as twice as " +
			"wide as it is to its narrower side"},
	{Name: "along.any_track", Default: false,
		Doc: "whether courses along tracks that are not valid may be valid"},

	{Name: "gate.radius", Reference: "gate_radius", Unit: config.Length, Default: 0.025, Min: 0, Max: maxLength,
		Doc: "half the distance in plan view below which two gates are too near; gates are moved apart to it"},
	{Name: "gate.separation_sweeps", Reference: "gate_solve_iters", Default: 8, Min: 0, Max: maxSweeps,
		Doc: "sweeps over all pairs of gates that move gates apart; with 0, gates stay where they were drawn"},
	{Name: "gate.width", Reference: "gate_width", Unit: config.Length, Default: 0.0, Min: 0, Max: maxLength,
		Doc: "width of the opening of a gate, from post to post"},
	{Name: "gate.size_range", Derived: "1 for all envs", MinOpen: true, Max: maxLength,
		Doc: "range from which each env draws a factor for gate.radius and gate.width, uniformly"},
	{Name: "gate.align", Reference: "gate_align", Default: "yaw_only", Choices: aligns,
		Doc: "whether gates stand upright or tilt with the course"},

	{Name: "elevation.profile", Reference: "z_profile", Default: "flat", Choices: elevation.ProfileNames,
		Doc: "heights of the gates: one for all, a random one for each, a random walk along the course, or sums of sines"},
	{Name: "elevation.base", Reference: "z_base", Unit: config.Length, Default: 0.0, Min: -maxLength, Max: maxLength,
		Doc: "height of a flat course, and the height that random_walk and noise vary"},
	{Name: "elevation.min", Reference: "z_min", Unit: config.Length, Default: 0.0, Min: -maxLength, Max: maxLength,
		Doc: "lowest height of a course that is not flat"},
	{Name: "elevation.max", Reference: "z_max", Unit: config.Length, Default: 0.0, Min: -maxLength, Max: maxLength,
		Doc: "highest height of a course that is not flat, at least min"},
	{Name: "elevation.max_step", Reference: "z_max_step", Default: 0.0, Min: 0, Max: maxLength,
		Doc: "largest change of the height of random_walk per unit of length in plan view"},
	{Name: "elevation.noise_amplitude", Reference: "z_noise_amplitude", Unit: config.Length, Default: 0.0, Min: 0,
		Max: maxLength,
		Doc: "largest deviation of the height of noise from base"},
	{Name: "elevation.noise_harmonics", Reference: "z_noise_harmonics", Default: 3, Min: 1, Max: maxHarmonics,
		Doc: "sines of noise, with 1, 2, ... periods to the course"},

	{Name: "output.max_gates", Reference: "max_gates", Default: 32, Min: 2, Max: maxGates,
		Doc: "gates stored per course; the rest of a row is NaN"},

	{Name: "validity.min_gates", Reference: "min_gates", Default: 4, Min: 2, Max: maxGates,
		Doc: "minimum number of gates of a valid course"},
	{Name: "validity.max_grade", Reference: "z_valid_grade", Derived: none, MinOpen: true, Max: maxLength,
		Doc: "largest change of height from gate to gate, as a fraction of their distance in plan view"},
	{Name: "validity.min_distance", Unit: config.Length, Default: 0.0, Min: 0, Max: maxLength,
		Doc: "smallest distance from a gate to the next one"},
	{Name: "validity.max_distance", Unit: config.Length, Derived: none, MinOpen: true, Max: maxLength,
		Doc: "largest distance from a gate to the next one, at least min_distance"},
	{Name: "validity.min_turn", Unit: config.Angle, Default: 0.0, Min: 0, Max: math.Pi,
		Doc: "smallest angle between the way to a gate and the way from it"},
	{Name: "validity.max_turn", Unit: config.Angle, Derived: none, MinOpen: true, Max: math.Pi,
		Doc: "largest angle between the way to a gate and the way from it, at least min_turn"},
}

// Unit, Group and Field describe the fields of a Config: see package config.
type (
	Unit  = config.Unit
	Group = config.Group
	Field = config.Field[Config]
	// Range is a closed interval [Min, Max] from which each env draws its own value.
	Range = config.Range
)

// DefaultConfig returns the configuration of one bezier course with every field at its default.
func DefaultConfig() Config { return fields.Default() }

// Groups lists the groups of fields in the order of the documentation. The first one holds the fields outside of all
// groups.
func Groups() []Group { return fields.Groups() }

// Fields lists every field of Config except Mix, in the order of the documentation.
func Fields() []Field { return fields.Fields() }

// FieldNamed returns the field with the given name.
func FieldNamed(name string) (Field, bool) { return fields.Named(name) }

// FieldOfReference returns the field that has the given name in the reference system and a different name here:
// gate.width for "gate_width". It ignores a group before the name.
func FieldOfReference(name string) (Field, bool) { return fields.OfReference(name) }
