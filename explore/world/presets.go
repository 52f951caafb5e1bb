package world

// Preset is a style of tracks or gate courses to start from.
type Preset struct {
	Name     string            `json:"name"`
	Course   string            `json:"course"`
	Doc      string            `json:"doc"`
	Settings map[string]string `json:"settings"`
	Mix      []Component       `json:"mix,omitempty"`
}

// presets are styles that are valid for at least nine of ten seeds, and look different from each other.
var presets = []Preset{
	{Name: "Default", Course: CourseTracks, Doc: "bezier, as a new configuration", Settings: map[string]string{}},
	{Name: "Flowing", Course: CourseTracks, Doc: "wide radii, few corners", Settings: map[string]string{
		"generator": "bezier", "corners.min_count": "5", "corners.max_count": "7", "bezier.handle_length": "0.6",
		"bezier.handle_limit": "0.6", "candidates": "4"}},
	{Name: "Twisty", Course: CourseTracks, Doc: "many tight corners on a narrow road", Settings: map[string]string{
		"generator": "hull", "corners.min_count": "14", "corners.max_count": "20", "road.half_width": "0.06",
		"hull.displacement": "0.25", "candidates": "4"}},
	{Name: "Oval", Course: CourseTracks, Doc: "near circles with banked bends", Settings: map[string]string{
		"generator": "polar", "polar.radial_jitter": "0.12", "polar.knots": "6", "banking.profile": "curvature",
		"road.half_width": "0.12"}},
	{Name: "Maze", Course: CourseTracks, Doc: "long loops that fill their space; takes twenty times as long",
		Settings: map[string]string{"generator": "repulsive", "candidates": "2"}},
	{Name: "Hills", Course: CourseTracks, Doc: "rolling ground, at most 20 % steep", Settings: map[string]string{
		"generator": "voronoi", "elevation.profile": "noise", "elevation.noise_amplitude": "0.12",
		"elevation.min": "-0.3", "elevation.max": "0.3", "validity.max_grade": "0.4", "candidates": "4"}},
	{Name: "Varied", Course: CourseTracks, Doc: "four generators, widths, directions and mirrors, for training",
		Settings: map[string]string{"variation.half_width_range": "[0.07, 0.12]", "variation.random_direction": "true",
			"variation.random_mirror": "true", "candidates": "4"},
		Mix: []Component{{Generator: "bezier", Weight: 2}, {Generator: "polar", Weight: 1},
			{Generator: "voronoi", Weight: 1}, {Generator: "checkpoint", Weight: 1}}},
	{Name: "Default", Course: CourseGates, Doc: "gates on a level course", Settings: map[string]string{
		"gate.width": "0.06", "candidates": "4"}},
	{Name: "Slalom", Course: CourseGates, Doc: "many close gates", Settings: map[string]string{"generator": "polar",
		"polar.knots": "24", "polar.radial_jitter": "0.5", "gate.width": "0.06", "candidates": "8"}},
	{Name: "Rise and fall", Course: CourseGates, Doc: "gates at different heights, tilted to the way",
		Settings: map[string]string{"generator": "voronoi", "elevation.profile": "random_walk", "elevation.min": "0.1",
			"elevation.max": "0.8", "elevation.base": "0.4", "elevation.max_step": "0.5", "gate.align": "full_tangent",
			"gate.width": "0.08", "candidates": "8"}},
}
