// Package labels computes how hard the tracks of a file are to drive, and chooses tracks by it, for commands that read
// files. Programs whose tracks are on a device use packages raceline, difficulty and filter.
package labels

import (
	"context"
	"errors"
	"math"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/race/difficulty"
	"github.com/trackgen-go/trackgen/race/difficulty/filter"
	"github.com/trackgen-go/trackgen/race/raceline"
	"github.com/trackgen-go/trackgen/track"
)

// Config has the car of the racing lines, whose width is that of the labels too, and the classes of corners.
type Config struct {
	Car    raceline.Config
	Labels difficulty.Config // CarWidth is replaced by that of Car
}

// DefaultConfig returns the configuration with every field at its default.
func DefaultConfig() Config {
	return Config{Car: raceline.DefaultConfig(), Labels: difficulty.DefaultConfig()}
}

// Batch is the labels of a batch of tracks.
type Batch = difficulty.Batch

// Filter is a condition that tracks match or not.
type Filter = filter.Filter

// Parse returns the filter of a condition: see filter.Parse.
func Parse(text string) (*Filter, error) { return filter.Parse(text) }

// Names lists the names of the labels, in the order of difficulty.Schema.
func Names() []string { return filter.Names() }

// Of computes the labels of a batch on a device. It returns a *config.Error for a wrong field of the configuration, a
// *backend.ArgumentError for a batch without widths of the road, or an error of the device.
func Of(ctx context.Context, device backend.Device, b *track.Batch, c Config) (_ *Batch, err error) {
	tracks, err := track.Upload(ctx, device, b)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tracks.Close()) }()
	lines, err := raceline.New(device, raceline.SourceOf(tracks), c.Car)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lines.Close()) }()
	c.Labels.CarWidth = c.Car.CarWidth
	assessor, err := difficulty.New(device, difficulty.SourceOf(tracks, lines.Line()), c.Labels)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, assessor.Close()) }()
	return assessor.Labels().Read(ctx)
}

// ValuesOf returns the labels of env e of a batch in the order of Names.
func ValuesOf(b *Batch, e int) []float64 {
	byName, names := filter.Values(b, e), Names()
	values := make([]float64, len(names))
	for i, name := range names {
		values[i] = byName[name].(float64)
	}
	return values
}

// Means adds up labels over tracks.
type Means struct {
	sums  []float64
	count int
}

// Add adds values of ValuesOf, unless the track has no racing line.
func (m *Means) Add(values []float64) {
	if math.IsNaN(values[0]) {
		return
	}
	if m.sums == nil {
		m.sums = make([]float64, len(values))
	}
	for i, v := range values {
		m.sums[i] += v
	}
	m.count++
}

// ByName returns the means by the names of the labels, nil without a track.
func (m *Means) ByName() map[string]float64 {
	if m.count == 0 {
		return nil
	}
	means := map[string]float64{}
	for i, name := range Names() {
		means[name] = m.sums[i] / float64(m.count)
	}
	return means
}
