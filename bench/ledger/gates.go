package ledger

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/track"
)

// GateEntry holds the hashes of a batch of gate courses. The configurations are constants of this package, and each has
// a name; seeds begin at 0.
type GateEntry struct {
	Name   string    `json:"name"`
	Arrays []Array   `json:"arrays"`
	Envs   []EnvHash `json:"envs"` // of each env, over its part of every array
}

const (
	gateEnvs = 256
	slowEnvs = 24 // of repulsive, whose courses take a hundred times as long as others
)

// gateConfigs returns the configurations of the entries: each generator with its defaults, one batch in which
// everything varies from env to env, and gates along tracks.
func gateConfigs() map[string]gate.Config {
	configs := map[string]gate.Config{}
	for _, name := range []string{gate.Bezier, gate.Hull, gate.Polar, gate.Voronoi, gate.Checkpoint, gate.Repulsive} {
		c := gate.DefaultConfig()
		c.Generator, c.NumEnvs = name, gateEnvs
		if name == gate.Repulsive {
			c.NumEnvs = slowEnvs
		}
		configs["gates of "+name] = c
	}
	c := gate.DefaultConfig()
	c.Generator, c.NumEnvs, c.Candidates, c.Gate.Width = gate.Mixed, gateEnvs, 3, 0.25
	c.Elevation.Profile, c.Elevation.Max, c.Elevation.MaxStep = "random_walk", 0.5, 0.6
	c.Gate.SizeRange, c.Gate.Align = gate.Range{Min: 0.5, Max: 1.5}, "full_tangent"
	c.Mix = []gate.Component{c.NewComponent(2, gate.Bezier), c.NewComponent(1, gate.Voronoi)}
	c.Mix[0].Ordering = "random_pairs"
	configs["gates of mixed"] = c
	c = gate.DefaultConfig()
	c.Generator, c.NumEnvs, c.Along.Spacing, c.Gate.Align = gate.AlongTracks, gateEnvs, 0.4, "full_tangent"
	configs["gates along tracks"] = c
	return configs
}

// ComputeGates generates every batch of gate courses on a device and hashes it. The entries are in the order of their
// names.
func ComputeGates(ctx context.Context, device backend.Device) ([]GateEntry, error) {
	var entries []GateEntry
	for name, c := range gateConfigs() {
		batch, err := generateGates(ctx, device, c)
		if err != nil {
			return nil, fmt.Errorf("ledger: %s: %w", name, err)
		}
		entry := GateEntry{Name: name}
		entry.Arrays, entry.Envs = hashGates(batch)
		entries = append(entries, entry)
	}
	slices.SortFunc(entries, func(a, b GateEntry) int { return cmp.Compare(a.Name, b.Name) })
	return entries, nil
}

// CheckGates generates the first envs of an entry again and returns how they differ, or nil if they are equal. If envs
// is 0 or exceeds the number of envs of the entry, it generates all of them.
func CheckGates(ctx context.Context, device backend.Device, entry GateEntry, envs int) (*Difference, error) {
	c, ok := gateConfigs()[entry.Name]
	if !ok {
		return nil, fmt.Errorf("ledger: entry %q: this version has no such configuration", entry.Name)
	}
	if envs > 0 {
		c.NumEnvs = min(envs, len(entry.Envs))
	}
	batch, err := generateGates(ctx, device, c)
	if err != nil {
		return nil, fmt.Errorf("ledger: %s: %w", entry.Name, err)
	}
	return hashes{entry.Arrays, entry.Envs}.compare(gate.Schema.Host(&batch.HostColumns), batch.Envs), nil
}

// hashGates is hash for gate courses.
func hashGates(batch *gate.Batch) ([]Array, []EnvHash) {
	var names []string
	for _, column := range gate.Schema.Columns() {
		names = append(names, column.Name)
	}
	return hashOf(gate.Schema.Host(&batch.HostColumns), batch.Envs, names)
}

func generateGates(ctx context.Context, device backend.Device, c gate.Config, with ...gate.Option) (_ *gate.Batch,
	err error) {
	if c.Generator == gate.AlongTracks {
		return placeGates(ctx, device, c)
	}
	g, err := gate.NewGenerator(device, c, with...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	return g.Sequence().Batch(ctx)
}

// placeGates places gates along default tracks with hills.
func placeGates(ctx context.Context, device backend.Device, c gate.Config) (_ *gate.Batch, err error) {
	t := track.DefaultConfig()
	t.NumEnvs, t.Elevation.Profile, t.Elevation.Max = c.NumEnvs, "uniform", 0.3
	tracks, err := track.NewGenerator(device, t)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tracks.Close()) }()
	courses, err := gate.NewAlong(device, tracks.Track(), c)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, courses.Close()) }()
	return courses.Sequence().Batch(ctx)
}

//go:embed gates.json
var builtinGates []byte

// Gates returns the hashes of gate courses of this version.
func Gates() ([]GateEntry, error) {
	var entries []GateEntry
	if err := json.Unmarshal(builtinGates, &entries); err != nil {
		return nil, fmt.Errorf("ledger: gate courses: %w", err)
	}
	return entries, nil
}
