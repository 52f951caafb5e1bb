package world

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/internal/settings"
)

// Tables are what the page is built from: every setting, what it may be, and the names of what there is.
type Tables struct {
	Version  string           `json:"version"`
	Device   string           `json:"device"`
	Kinds    map[string]Table `json:"kinds"` // by course, and "race"
	Presets  []Preset         `json:"presets"`
	Vehicles []string         `json:"vehicles"`
	Formats  []Format         `json:"formats"`
	Measures []Measure        `json:"measures"`
	// Reasons say what each test means that a track or a gate course can fail, by its name.
	Reasons map[string]string `json:"reasons"`
	Bounds  Bounds            `json:"bounds"`
	Start   *Request          `json:"start,omitempty"` // what the page begins with
}

// Bounds are those of a request.
type Bounds struct {
	Envs       int `json:"envs"`
	Statistics int `json:"statistics"`
	File       int `json:"file"` // bytes
	Laps       int `json:"laps"`
}

// Table has the settings of one kind of configuration.
type Table struct {
	Generators []string  `json:"generators,omitempty"` // of the components of a mixture; nil: there is no mixture
	Groups     []Group   `json:"groups"`
	Fields     []Setting `json:"fields"`
}

// Group is a group of settings.
type Group struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Generator is the only generator that the group has an effect for; empty: all.
	Generator string `json:"generator,omitempty"`
}

// Setting describes a control of the page.
type Setting struct {
	Name    string   `json:"name"`
	Group   string   `json:"group"`
	Doc     string   `json:"doc"`
	Type    string   `json:"type"` // int, float, bool, choice, range, list or text
	Unit    string   `json:"unit,omitempty"`
	Default string   `json:"default"`
	Derived string   `json:"derived,omitempty"` // what the default stands for, if it stands for something else
	Allowed string   `json:"allowed"`
	Choices []string `json:"choices,omitempty"`
	Min     float64  `json:"min"` // of what may be typed
	Max     float64  `json:"max"`
	Low     float64  `json:"low"` // of the slider
	High    float64  `json:"high"`
	Step    float64  `json:"step"`
}

// unitNames are the units of numbers, as the page shows them.
var unitNames = map[config.Unit]string{config.Length: "m", config.Angle: "rad"}

// tableOf returns the settings of a kind of configuration, without those for which leave returns true.
func tableOf[C any](l settings.Language[C], leave func(name string) bool) Table {
	kind := l.Kind()
	var t Table
	if kind.Generators != nil {
		t.Generators = kind.Generators()
	}
	for _, g := range kind.Groups() {
		group := Group{Name: g.Name, Title: g.Title}
		if slices.Contains(t.Generators, g.Name) {
			group.Generator = g.Name
		}
		t.Groups = append(t.Groups, group)
	}
	for _, f := range kind.Fields() {
		if !leave(f.Name) {
			t.Fields = append(t.Fields, settingOf(kind.Default(), f))
		}
	}
	return t
}

// settingOf describes one field.
func settingOf[C any](defaults C, f config.Field[C]) Setting {
	s := Setting{Name: f.Name, Group: f.Group(), Doc: f.Doc, Type: typeOf(f), Unit: unitNames[f.Unit],
		Default: f.Text(defaults), Derived: f.Derived, Allowed: f.Allowed(), Choices: f.Choices, Min: f.Min, Max: f.Max}
	s.Low, s.High, s.Step = sliderOf(f, f.Value(defaults))
	return s
}

// typeOf returns the type of the control of a field.
func typeOf[C any](f config.Field[C]) string {
	switch f.Type() {
	case reflect.TypeFor[bool]():
		return "bool"
	case reflect.TypeFor[int]():
		return "int"
	case reflect.TypeFor[float64]():
		return "float"
	case reflect.TypeFor[config.Range]():
		return "range"
	case reflect.TypeFor[string]():
		if len(f.Choices) > 0 {
			return "choice"
		}
		return "text"
	}
	return "list"
}

// sliderRanges are the ends of sliders that do not follow from the default: where it is 0, or where what is worth
// trying lies elsewhere.
var sliderRanges = map[string][2]float64{
	"road.half_width": {0.02, 0.3}, "scale": {0.2, 4}, "candidates": {1, 8},
	"road.height": {-1, 1}, "elevation.base": {-1, 2}, "elevation.min": {-0.5, 0.5}, "elevation.max": {0, 1},
	"elevation.max_step": {0, 0.5}, "elevation.noise_amplitude": {0, 0.5}, "elevation.noise_harmonics": {1, 12},
	"elevation.control_points": {3, 40}, "banking.factor": {0, 0.3}, "banking.max_angle": {0.02, 0.6},
	"bezier.edginess": {-2, 2}, "bezier.handle_length": {-0.5, 1.5}, "bezier.handle_limit": {0, 1.5},
	"hull.displacement": {-0.5, 0.8}, "corners.half_cell_size": {0.01, 0.2}, "validity.min_half_width": {0, 0.1},
	"validity.max_grade": {0, 0.5}, "output.spacing": {0, 0.2}, "gate.width": {0, 0.3}, "gate.radius": {0.01, 0.3},
	"variation.half_width_range": {0.02, 0.3}, "bezier.scale_range": {0.2, 4}, "gate.size_range": {0, 0.3},
	"bezier.handle_length_range": {0, 1.5}, "bezier.handle_limit_range": {0, 1.5}, "relax.band": {-1, 40},
	"validity.min_spacing": {0, 1}, "validity.max_spacing": {0, 4}, "relax.sweeps": {0, 200},
}

// sliderOf returns the ends and the step of the slider of a number. The ends are those of the values if these are near,
// else four times the default to either side: nobody tries a road that is 1000 km wide.
func sliderOf[C any](f config.Field[C], value any) (low, high, step float64) {
	isWhole := false
	start := 0.0
	switch v := value.(type) {
	case int:
		start, isWhole = float64(v), true
	case float64:
		start = v
	case config.Range:
		start = v.Max
	default:
		return 0, 0, 0
	}
	low, high = f.Min, f.Max
	if span := max(4*math.Abs(start), 1); high-low > 4*span {
		low, high = max(low, min(0, start*4)), min(high, max(start*4, 1))
		if start == 0 && isWhole {
			high = min(f.Max, 64)
		}
	}
	if ends, ok := sliderRanges[f.Name]; ok {
		low, high = max(ends[0], f.Min), min(ends[1], f.Max)
	}
	if isWhole {
		return math.Ceil(low), math.Floor(high), 1
	}
	step = math.Pow(10, math.Floor(math.Log10((high-low)/100)))
	if f.MinOpen && low <= f.Min {
		low = f.Min + step
	}
	if f.MaxOpen && high >= f.Max {
		high = f.Max - step
	}
	return low, high, step
}

// tables answers the call "tables".
func (w *World) tables(_ context.Context, _ Request, _ []byte, emit Emit) error {
	kinds := map[string]Table{
		CourseTracks:  tableOf(settings.Tracks, hasOwnControl),
		CourseGates:   tableOf(settings.Gates, func(name string) bool { return hasOwnControl(name) || isAlong(name) }),
		CourseCircuit: tableOf(circuitLanguage, func(string) bool { return false }),
		"race":        tableOf(settings.Races, leftOutOfRace),
	}
	return emit(Frame{Head: struct {
		Kind string `json:"kind"`
		Tables
	}{"tables", Tables{Version: w.options.Version, Device: w.device.Info().Name, Kinds: kinds, Presets: presets,
		Vehicles: vehicleNames(), Formats: formats, Measures: measures, Reasons: reasonTexts,
		Bounds: Bounds{Envs: MaxEnvs, Statistics: MaxStatistics, File: MaxFile, Laps: maxLaps},
		Start:  w.options.Start}}})
}

// hasOwnControl reports whether the page has a control of its own for a field.
func hasOwnControl(name string) bool { return name == "num_envs" || name == generatorField }

// isAlong reports whether a field is about gates along tracks.
func isAlong(name string) bool { return strings.HasPrefix(name, "along.") }

// ofRace are the groups of settings that change how one vehicle drives one episode on each track.
var ofRace = []string{"collision", "vehicle", "car", "drone", "spawn", "speed", "raceline", "ends"}

// leftOutOfRace reports whether a field of a race has no effect on how vehicles drive, or has a control of its own.
func leftOutOfRace(name string) bool {
	group, _, _ := strings.Cut(name, ".")
	return !slices.Contains(ofRace, group) || slices.Contains([]string{"ends.laps", "ends.max_time", "ends.max_steps",
		"ends.env", "vehicle.model", "collision.agents"}, name)
}

// vehicleNames lists the vehicles, the default first.
func vehicleNames() []string { return append(trackgen.CarNames(), trackgen.Agilicious) }
