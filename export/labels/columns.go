package labels

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/race/difficulty"
	"github.com/trackgen-go/trackgen/race/raceline"
	"github.com/trackgen-go/trackgen/track"
)

// Prefix is in front of the names of labels as columns of files: a track has a length, too.
const Prefix = "label_"

// units are those of the labels by their names. Those of lengths and times are the units of the tracks and of the
// limits of the car: metres and seconds for a circuit.
var units = map[string]string{"lap_time": "time", "time_per_length": "time/length", "mean_speed": "length/time",
	"min_speed": "length/time", "longest_straight": "length", "width_margin": "length", "length": "length",
	"max_curvature": "1/length", "corners": "count", "slow_corners": "count", "medium_corners": "count",
	"fast_corners": "count", "hairpins": "count"}

// Columns returns the labels of tracks as columns of a file, which are computed on a device for each chunk, and what
// its metadata say of them.
func Columns(device backend.Device, c Config) (export.Extra, *export.Labels) {
	named := func(name string) string { return Prefix + name }
	var extra export.Extra
	about := &export.Labels{Settings: SettingsOf(c), Units: map[string]string{}}
	for _, of := range difficulty.Schema.Columns() {
		about.Units[named(of.Name)] = units[of.Name]
		of.Name = named(of.Name)
		extra.Columns = append(extra.Columns, of)
	}
	c.Labels.CarWidth = c.Car.CarWidth
	extra.Values = func(ctx context.Context, chunk *track.Batch) ([]column.Host, error) {
		of, err := Of(ctx, device, chunk, c)
		if err != nil {
			return nil, err
		}
		list := difficulty.Schema.Host(&of.HostColumns)
		for i := range list {
			list[i].Name = named(list[i].Name)
		}
		return list, nil
	}
	return extra, about
}

// SettingsOf returns the limits of the car and of the classes of corners by their names. Labels depend on them and on
// the tracks alone.
func SettingsOf(c Config) map[string]float64 {
	c.Labels.CarWidth = c.Car.CarWidth
	settings := map[string]float64{}
	for _, f := range raceline.Fields() {
		settings[f.Name] = number(f.Value(c.Car))
	}
	for _, f := range difficulty.Fields() {
		settings[f.Name] = number(f.Value(c.Labels))
	}
	return settings
}

// number returns the value of a setting, which is a number.
func number(value any) float64 {
	if whole, ok := value.(int); ok {
		return float64(whole)
	}
	return value.(float64)
}
