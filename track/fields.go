package track

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/trackgen-go/trackgen/kernels/repulsive"
)

// Unit says what a number of the configuration measures.
type Unit uint8

// The units.
const (
	Dimensionless Unit = iota
	Length             // track units (metres)
	Angle              // radians
)

// Field documents one field of Config.
type Field struct {
	Name    string   // as in configuration files: "half_width"
	Section string   // heading under which files group it
	Doc     string   // one sentence, without the range
	Unit    Unit     // of numbers and ranges
	Default any      // int, float64, bool, string, or nil where the default is derived (Auto says how) or absent
	Auto    string   // how a nil default is found
	Choices []string // strings: what is allowed

	goName   string
	min, max float64 // numbers: the closed range, unless minOpen or maxOpen
	minOpen  bool
	maxOpen  bool
	index    []int
}

// Type is the Go type of the field's value: int, float64, bool, string, Range or []int.
func (f Field) Type() reflect.Type {
	fieldType := configType.FieldByIndex(f.index).Type
	if fieldType.Kind() == reflect.Pointer {
		fieldType = fieldType.Elem()
	}
	return fieldType
}

// Allowed describes the values that the field accepts, as error messages and the documentation print it.
func (f Field) Allowed() string {
	if len(f.Choices) > 0 {
		return "one of " + strings.Join(f.Choices, ", ")
	}
	fieldType := f.Type()
	noun := "a number"
	switch {
	case fieldType == reflect.TypeFor[Range]():
		noun = "a pair [min, max] with min <= max, each"
	case fieldType.Kind() == reflect.Bool:
		return "true or false"
	case fieldType.Kind() == reflect.Int:
		noun = "a whole number"
	case fieldType == reflect.TypeFor[[]int]():
		noun = "a list of whole numbers, each"
	}
	var bounds []string
	if !math.IsInf(f.min, -1) {
		bounds = append(bounds, compare(">", f.minOpen)+" "+shortest(f.min))
	}
	if !math.IsInf(f.max, 1) {
		bounds = append(bounds, compare("<", f.maxOpen)+" "+shortest(f.max))
	}
	if len(bounds) == 0 {
		return noun
	}
	return noun + " " + strings.Join(bounds, " and ")
}

// comment is the documentation of the struct field: meaning, default and range. A test holds the source to it.
func (f Field) comment() string {
	is := fmt.Sprint(f.Default)
	if f.Default == nil {
		is = f.Auto
	}
	return fmt.Sprintf("%s: %s. Default: %s; %s.", f.goName, f.Doc, is, f.Allowed())
}

func compare(sign string, open bool) string {
	if open {
		return sign
	}
	return sign + "="
}

// shortest prints v in the fewest digits that read back as v, and without an exponent where that stays short.
func shortest(v float64) string {
	if magnitude := math.Abs(v); magnitude >= 1e-4 && magnitude < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// contains reports whether v lies in the field's range; NaN never does. What is not to be its lower end must not become it in
// float32 either, in which kernels compute.
func (f Field) contains(v float64) bool {
	if f.minOpen && float32(v) <= float32(f.min) || f.maxOpen && v >= f.max {
		return false
	}
	return v >= f.min && v <= f.max
}

// Limits that keep every index within int32 and every buffer within reason.
const (
	maxCorners = 512
	maxSamples = 4096
	maxPoints  = 1 << 16
	maxSweeps  = 100_000
	maxEnvs    = 1 << 24
	maxLength  = 1e6
	maxGrowth  = 1000
	maxDiscs   = 16

	maxCandidates = 64

	// leastPointDistance keeps the number of cells of a grid, of which there are (1/(2 min_point_distance))^2, within int32.
	leastPointDistance = 2e-5
)

var configType = reflect.TypeFor[Config]()

var fields = bindFields([]Field{
	{Name: generatorField, goName: "Generator", Section: "Batch", Doc: "which generator draws the first loop", Default: "bezier", Choices: []string{Bezier, Hull, Polar, Voronoi, Checkpoint, Repulsive}},
	{Name: "num_envs", goName: "NumEnvs", Section: "Batch", Doc: "tracks in the batch, E", Default: 1, min: 1, max: maxEnvs},
	{Name: "candidates", goName: "Candidates", Section: "Batch", Doc: "most tracks that an env draws until one is valid and its first loop does not cross itself; the best one is kept", Default: 1, min: 1, max: maxCandidates},

	{Name: "min_num_points", goName: "MinNumPoints", Section: "Points (bezier and hull)", Doc: "fewest corner points", Default: 9, min: 2, max: maxCorners},
	{Name: "max_num_points", goName: "MaxNumPoints", Section: "Points (bezier and hull)", Doc: "most corner points, at least min_num_points", Default: 13, min: 2, max: maxCorners},
	{Name: "num_points_per_segment", goName: "NumPointsPerSegment", Section: "Points (bezier and hull)", Doc: "samples of each curve segment (all generators that draw splines)", Default: 30, min: 2, max: maxSamples},
	{Name: "min_point_distance", goName: "MinPointDistance", Section: "Points (bezier and hull)", Doc: "half the cell size of the grid that corner points are drawn from, as a fraction of scale", Default: 0.05, min: leastPointDistance, max: 0.5},
	{Name: "rad", goName: "Rad", Section: "Points (bezier and hull)", Doc: "handle length as a fraction of the chord (bezier)", Default: 0.4, min: 0, max: 10},
	{Name: "edgy", goName: "Edgy", Section: "Points (bezier and hull)", Doc: "how far a corner's tangent leans to its outgoing edge; 0 is the middle (bezier)", Default: 0.0, min: -maxLength, max: maxLength},
	{Name: "scale", goName: "Scale", Section: "Points (bezier and hull)", Doc: "side of the square that corner points are drawn in; the loops of polar, voronoi and checkpoint span 1.44 times as much", Unit: Length, Default: 1.0, minOpen: true, max: maxLength},
	{Name: "handle_clamp_frac", goName: "HandleClampFrac", Section: "Points (bezier and hull)", Doc: "longest handle as a fraction of the shorter edge at its corner (bezier)", Default: 0.4, min: 0, max: 10},

	{Name: "hull_displacement", goName: "HullDisplacement", Section: "Hull", Doc: "largest move of the middle of an edge, as a fraction of its distance to the centroid of the corners", Default: 0.15, min: 0, max: 10},

	{Name: "style_sampling", goName: "StyleSampling", Section: "Style", Doc: "draw rad, scale and handle_clamp_frac per env from the ranges below (bezier)", Default: false},
	{Name: "rad_range", goName: "RadRange", Section: "Style", Doc: "range of rad", Auto: "the scalar rad", min: 0, max: 10},
	{Name: "scale_range", goName: "ScaleRange", Section: "Style", Doc: "range of scale", Auto: "the scalar scale", Unit: Length, minOpen: true, max: maxLength},
	{Name: "handle_clamp_frac_range", goName: "HandleClampFracRange", Section: "Style", Doc: "range of handle_clamp_frac", Auto: "the scalar handle_clamp_frac", min: 0, max: 10},

	{Name: "polar_num_knots", goName: "PolarNumKnots", Section: "Polar", Doc: "knots around the circle", Default: 12, min: 4, max: maxCorners},
	{Name: "polar_radial_jitter", goName: "PolarRadialJitter", Section: "Polar", Doc: "largest relative change of a knot's radius", Default: 0.60, min: 0, max: 0.85},
	{Name: "polar_angular_jitter", goName: "PolarAngularJitter", Section: "Polar", Doc: "largest move of a knot along the circle, as a fraction of the knot spacing", Default: 0.30, min: 0, max: 0.45},

	{Name: "voronoi_num_sites", goName: "VoronoiNumSites", Section: "Voronoi", Doc: "random sites, at least voronoi_control_points", Default: 256, min: 6, max: maxPoints},
	{Name: "voronoi_layout", goName: "VoronoiLayout", Section: "Voronoi", Doc: "where sites lie: all over a square, around an empty middle, in clusters, or as a mixture of the first two", Default: "void_ring", Choices: voronoiLayouts},
	{Name: "voronoi_control_points", goName: "VoronoiControlPoints", Section: "Voronoi", Doc: "sectors around the origin, in each of which the loop goes through one site", Default: 18, min: 6, max: maxCorners},
	{Name: "voronoi_radial_variation", goName: "VoronoiRadialVariation", Section: "Voronoi", Doc: "how far the wanted distance of a site from the origin varies along the loop, as a fraction of its mean; the layouts enlarge it by up to 1.16, and 0.85 is the most that counts", Default: 0.62, min: 0, max: 10},
	{Name: "voronoi_angular_jitter", goName: "VoronoiAngularJitter", Section: "Voronoi", Doc: "largest move of the wanted direction of a site", Unit: Angle, Default: 0.08, min: 0, max: 2 * math.Pi},

	{Name: "checkpoint_count", goName: "CheckpointCount", Section: "Checkpoint", Doc: "checkpoints around a circle of radius 1", Default: 12, min: 3, max: maxCorners},
	{Name: "checkpoint_radius_min_frac", goName: "CheckpointRadiusMinFrac", Section: "Checkpoint", Doc: "smallest distance of a checkpoint from the middle of the circle, as a fraction of its radius", Default: 0.33, min: 0, max: 1, maxOpen: true},
	{Name: "checkpoint_angle_jitter", goName: "CheckpointAngleJitter", Section: "Checkpoint", Doc: "largest move of a checkpoint along the circle, as a fraction of the distance between two", Default: 0.55, min: 0, max: 10},
	{Name: "checkpoint_turn_rate", goName: "CheckpointTurnRate", Section: "Checkpoint", Doc: "largest turn in a step, of which a lap has num_points", Unit: Angle, Default: 0.42, minOpen: true, max: math.Pi},
	{Name: "checkpoint_steer_gain", goName: "CheckpointSteerGain", Section: "Checkpoint", Doc: "part of the angle to the next checkpoint that a step turns by", Default: 0.65, minOpen: true, max: 10},
	{Name: "checkpoint_lookahead_frac", goName: "CheckpointLookaheadFrac", Section: "Checkpoint", Doc: "distance to a checkpoint at which the one after it becomes the next, as a fraction of the radius of the circle", Default: 0.16, min: 0, max: 10},
	{Name: "checkpoint_best_of_k", goName: "CheckpointBestOfK", Section: "Checkpoint", Doc: "loops drawn for each env, of which the one that crosses itself least is taken", Default: 4, min: 1, max: 64},
	{Name: "checkpoint_clip_fallback", goName: "CheckpointClipFallback", Section: "Checkpoint", Doc: "cut off the shorter part of a loop that still crosses itself, up to 16 times", Default: false},

	{Name: "repulsive_grow_mult_min", goName: "RepulsiveGrowMultMin", Section: "Repulsive", Doc: "shortest loop, as a multiple of the circle that it grows from", Default: 4.5, min: 1, max: maxGrowth},
	{Name: "repulsive_grow_mult_max", goName: "RepulsiveGrowMultMax", Section: "Repulsive", Doc: "longest loop, at least repulsive_grow_mult_min", Default: 5.5, min: 1, minOpen: true, max: maxGrowth},
	{Name: "repulsive_domain_frac", goName: "RepulsiveDomainFrac", Section: "Repulsive", Doc: "radius of the wall around the loop, in units of 4.9029 times scale", Default: 0.35, minOpen: true, max: maxGrowth},
	{Name: "repulsive_domain_init_ratio", goName: "RepulsiveDomainInitRatio", Section: "Repulsive", Doc: "radius of the wall over that of the first circle", Default: 4.0, min: 1, minOpen: true, max: maxGrowth},
	{Name: "repulsive_obstacle_count_min", goName: "RepulsiveObstacleCountMin", Section: "Repulsive", Doc: "fewest discs that the loop grows around", Default: 8, min: 1, max: maxDiscs},
	{Name: "repulsive_obstacle_count_max", goName: "RepulsiveObstacleCountMax", Section: "Repulsive", Doc: "most discs, at least repulsive_obstacle_count_min", Default: 12, min: 1, max: maxDiscs},
	{Name: "repulsive_obstacle_radius_frac_min", goName: "RepulsiveObstacleRadiusFracMin", Section: "Repulsive", Doc: "smallest disc, its radius as a fraction of that of the wall", Default: 0.02, minOpen: true, max: 1},
	{Name: "repulsive_obstacle_radius_frac_max", goName: "RepulsiveObstacleRadiusFracMax", Section: "Repulsive", Doc: "largest disc, at least repulsive_obstacle_radius_frac_min", Default: 0.045, minOpen: true, max: 1},
	{Name: "repulsive_ratchet_rate", goName: "RepulsiveRatchetRate", Section: "Repulsive", Doc: "growth of the loop in one iteration", Default: 0.012, minOpen: true, max: 1},
	{Name: "repulsive_tau", goName: "RepulsiveTau", Section: "Repulsive", Doc: "largest move of a point in one iteration, as a fraction of the mean distance of neighbours", Default: 0.4, minOpen: true, max: 10},
	{Name: "repulsive_stages", goName: "RepulsiveStages", Section: "Repulsive", Doc: "points of the loop while it grows, multiples of 4, ascending to num_points", Auto: "a quarter, a half and all of num_points", min: 4, max: repulsive.MaxPoints},
	{Name: "repulsive_settle_iters", goName: "RepulsiveSettleIters", Section: "Repulsive", Doc: "iterations at the end beside those that growing takes", Default: 40, min: 1, max: maxIterations},
	{Name: "repulsive_resample_every", goName: "RepulsiveResampleEvery", Section: "Repulsive", Doc: "iterations between two times that the points are spread evenly", Default: 25, min: 1, max: maxSweeps},
	{Name: "repulsive_stall_window", goName: "RepulsiveStallWindow", Section: "Repulsive", Doc: "iterations between two checks whether a loop is done", Default: 16, min: 1, max: maxIterations},
	{Name: "repulsive_stall_area_tol", goName: "RepulsiveStallAreaTol", Section: "Repulsive", Doc: "change of the enclosed area since the last check, as a fraction, below which a loop of full length is done", Default: 0.05, min: 0, max: maxGrowth},
	{Name: "repulsive_deactivate_obstacles", goName: "RepulsiveDeactivateObstacles", Section: "Repulsive", Doc: "drop the discs once a loop has its length", Default: true},

	{Name: "half_width", goName: "HalfWidth", Section: "Road", Doc: "half the width of the road", Unit: Length, Default: 0.1, minOpen: true, max: maxLength},

	{Name: "relax_enable", goName: "RelaxEnable", Section: "Relaxation", Doc: "push the centreline apart and round it until the road fits", Default: true},
	{Name: "relax_tol", goName: "RelaxTol", Section: "Relaxation", Doc: "shortfall of thickness that still counts as valid, as a fraction of half_width", Default: 0.02, min: 0, max: 1, maxOpen: true},
	{Name: "relax_band", goName: "RelaxBand", Section: "Relaxation", Doc: "neighbours along the loop that never push each other", Auto: "the road width over the mean spacing, per env", min: 1, max: maxPoints},
	{Name: "relax_iters", goName: "RelaxIters", Section: "Relaxation", Doc: "Jacobi sweeps", Default: 50, min: 1, max: maxSweeps},
	{Name: "relax_accel", goName: "RelaxAccel", Section: "Relaxation", Doc: "acceleration of the sweeps", Default: "chebyshev", Choices: []string{"chebyshev", "none"}},
	{Name: "relax_cheby_rho", goName: "RelaxChebyRho", Section: "Relaxation", Doc: "estimated spectral radius for Chebyshev", Default: 0.98, min: 0, max: 1, maxOpen: true},
	{Name: "relax_cheby_gamma", goName: "RelaxChebyGamma", Section: "Relaxation", Doc: "under-relaxation of each Chebyshev step", Default: 0.9, minOpen: true, max: 1},
	{Name: "relax_cheby_start", goName: "RelaxChebyStart", Section: "Relaxation", Doc: "first sweep that is accelerated", Default: 8, min: 1, max: maxSweeps},
	{Name: "relax_smooth_passes", goName: "RelaxSmoothPasses", Section: "Relaxation", Doc: "Taubin smoothing passes after the sweeps", Default: 5, min: 0, max: maxSweeps},
	{Name: "relax_smooth_spacing_iters", goName: "RelaxSmoothSpacingIters", Section: "Relaxation", Doc: "spacing-only sweeps at the end", Default: 10, min: 0, max: maxSweeps},
	{Name: "relax_sep_every", goName: "RelaxSepEvery", Section: "Relaxation", Doc: "sweeps between two searches for close points", Default: 20, min: 1, max: maxSweeps},
	{Name: "relax_sep_cache_slots", goName: "RelaxSepCacheSlots", Section: "Relaxation", Doc: "close points remembered per point; 0 searches densely instead", Default: 16, min: 0, max: 64},
	{Name: "relax_sep_cache_skin", goName: "RelaxSepCacheSkin", Section: "Relaxation", Doc: "extra search distance, as a fraction of the separation target", Default: 0.5, min: 0, max: 100},
	{Name: "relax_sep_relax", goName: "RelaxSepRelax", Section: "Relaxation", Doc: "weight of the separation push", Default: 1.0, min: 0, max: 10},
	{Name: "relax_spc_relax", goName: "RelaxSpcRelax", Section: "Relaxation", Doc: "weight of the spacing correction", Default: 1.0, min: 0, max: 10},
	{Name: "relax_bend_relax", goName: "RelaxBendRelax", Section: "Relaxation", Doc: "weight of the bending correction", Default: 1.5, min: 0, max: 10},
	{Name: "relax_margin", goName: "RelaxMargin", Section: "Relaxation", Doc: "how much farther than the road needs the points are pushed, as a fraction", Default: 0.15, min: 0, max: 10},

	{Name: "num_points", goName: "NumPoints", Section: "Output", Doc: "points of the loop between generation and constant-spacing resampling", Default: 256, min: 8, max: maxPoints},
	{Name: "spacing", goName: "Spacing", Section: "Output", Doc: "distance between points of the relaxed loop", Unit: Length, Auto: "0.6 times half_width", minOpen: true, max: maxLength},
	{Name: "N_max", goName: "NMax", Section: "Output", Doc: "points stored per track; the rest of a row is NaN, but for z", Default: 384, min: 8, max: maxPoints},

	{Name: "turning_tol", goName: "TurningTol", Section: "Validity", Doc: "largest deviation of the total turning from one revolution", Unit: Angle, Default: 0.1, minOpen: true, max: 2 * math.Pi},
	{Name: "w_floor", goName: "WFloor", Section: "Validity", Doc: "half width that a valid track must exceed", Unit: Length, Default: 1e-3, min: 0, max: maxLength},
	{Name: "validity_border_check", goName: "ValidityBorderCheck", Section: "Validity", Doc: "also require that no border crosses itself or the other one", Default: false},

	{Name: "z_base", goName: "ZBase", Section: "Elevation", Doc: "height of the track", Unit: Length, Default: 0.0, min: -maxLength, max: maxLength},
})

// bindFields finds the struct field of each entry. The table and the struct are both constants of this package; a test
// checks that they match one to one.
func bindFields(table []Field) []Field {
	for i := range table {
		field, ok := configType.FieldByName(table[i].goName)
		if ok {
			table[i].index = field.Index
		}
	}
	return table
}

// generatorField is the field whose choices Register extends.
const generatorField = "generator"

// Fields lists every field of Config in the order of the documentation.
func Fields() []Field {
	list := append([]Field(nil), fields...)
	for i := range list {
		list[i] = list[i].withChoices()
	}
	return list
}

// withChoices adds the generators there are, which change with Register.
func (f Field) withChoices() Field {
	if f.Name == generatorField {
		f.Choices = append(Generators(), Mixed)
	}
	return f
}

// FieldNamed returns the field with the given name.
func FieldNamed(name string) (Field, bool) {
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Field{}, false
	}
	return fields[i].withChoices(), true
}

// Set stores value in the field of c. value is an int, float64, bool, string, Range or []int, as the field's type asks; a whole
// float64 is accepted for an int and an int for a float64. The range is checked by Validate.
func (f Field) Set(c *Config, value any) error {
	target := reflect.ValueOf(c).Elem().FieldByIndex(f.index)
	if target.Kind() == reflect.Pointer {
		target.Set(reflect.New(target.Type().Elem()))
		target = target.Elem()
	}
	refuse := &ConfigError{Field: f.Name, Value: fmt.Sprint(value), Allowed: f.Allowed()}
	switch v := value.(type) {
	case int:
		switch target.Kind() {
		case reflect.Int:
			target.SetInt(int64(v))
		case reflect.Float64:
			target.SetFloat(float64(v))
		default:
			return refuse
		}
	case float64:
		switch {
		case target.Kind() == reflect.Float64:
			target.SetFloat(v)
		case target.Kind() == reflect.Int && v == math.Trunc(v) && math.Abs(v) < 1<<53:
			target.SetInt(int64(v))
		default:
			return refuse
		}
	case bool:
		if target.Kind() != reflect.Bool {
			return refuse
		}
		target.SetBool(v)
	case string:
		if target.Kind() != reflect.String {
			return refuse
		}
		target.SetString(v)
	case Range:
		if target.Type() != reflect.TypeFor[Range]() {
			return refuse
		}
		target.Set(reflect.ValueOf(v))
	case []int:
		if target.Type() != reflect.TypeFor[[]int]() || len(v) == 0 {
			return refuse
		}
		target.Set(reflect.ValueOf(slices.Clone(v)))
	default:
		return refuse
	}
	// A zero would read as "default" in a plain field, so it is refused there where zero is not allowed anyway.
	if number, ok := f.number(*c); ok && number == 0 && !f.contains(0) {
		return refuse
	}
	return nil
}

// Value returns the field's value in c: an int, float64, bool, string, Range or []int, and nil where it is unset.
func (f Field) Value(c Config) any {
	value := reflect.ValueOf(c).FieldByIndex(f.index)
	if value.Kind() == reflect.Pointer {
		if value.IsNil() {
			return nil
		}
		return value.Elem().Interface()
	}
	if value.IsZero() && value.Kind() != reflect.Bool && !(value.Kind() == reflect.Float64 && f.Default == 0.0) {
		return nil
	}
	if list, ok := value.Interface().([]int); ok {
		return slices.Clone(list)
	}
	return value.Interface()
}

// listText writes a list as configuration files do.
func listText(list []int) string { return strings.ReplaceAll(fmt.Sprint(list), " ", ", ") }

// number returns the field's value as a number.
func (f Field) number(c Config) (float64, bool) {
	value := reflect.ValueOf(c).FieldByIndex(f.index)
	if value.Kind() == reflect.Pointer {
		if value.IsNil() {
			return 0, false
		}
		value = value.Elem()
	}
	switch value.Kind() {
	case reflect.Int:
		return float64(value.Int()), true
	case reflect.Float64:
		return value.Float(), true
	default:
		return 0, false
	}
}
