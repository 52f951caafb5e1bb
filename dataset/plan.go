package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/export/parquet"
	"github.com/trackgen-go/trackgen/track"
)

// Limits of a plan.
const (
	// MaxTracks is the number of different seeds.
	MaxTracks = 1 << 32
	// MaxShardTracks is the largest number of tracks of one file.
	MaxShardTracks = 1 << 24
	// MaxShards is the largest number of files.
	MaxShards = 100_000
	// DefaultShardTracks makes files of about 100 MB of the default configuration.
	DefaultShardTracks = 1 << 15
	// DefaultShardTracksNPZ makes files of about 15 MB. A shard of NPZ is in memory until it is complete.
	DefaultShardTracksNPZ = 1 << 12
)

// Format is the format of the shards.
type Format string

// The formats.
const (
	Parquet Format = "parquet" // one row for each track, with its real points alone
	NPZ     Format = "npz"     // NumPy arrays, cut to the longest track of the shard and deflated
)

// ErrPlan is matched by the errors of a Plan that is not valid.
var ErrPlan = errors.New("dataset: invalid plan")

// PlanError names a wrong field of a plan, its value and what is allowed. It matches ErrPlan.
type PlanError struct {
	Field, Value, Allowed string
}

// Error implements error.
func (e *PlanError) Error() string {
	return fmt.Sprintf("dataset: %s is %s: must be %s", e.Field, e.Value, e.Allowed)
}

// Is makes a PlanError match ErrPlan.
func (e *PlanError) Is(target error) bool { return target == ErrPlan }

// Plan says what a data set holds and how it is cut into shards. Equal plans give equal bytes.
type Plan struct {
	Config track.Config // of every track; num_envs has no effect
	First  int32        // seed of the first track; the next one has the next seed
	Tracks int64        // number of tracks that are generated, 1 to MaxTracks; all seeds must be int32 values
	Epoch  int32        // of every track

	// ShardTracks is the number of seeds of each shard but the last, 1 to MaxShardTracks; 0 is the default of the format.
	ShardTracks int
	Format      Format // "" is Parquet
	// Layout says which columns the shards have and how they are stored. It is of Parquet alone.
	Layout parquet.Layout

	// Where is the condition that chose the tracks to keep, in the words of whoever gave Run.Keep; "" if all are kept.
	Where string
}

// complete returns p with its defaults.
func (p Plan) complete() Plan {
	if p.Format == "" {
		p.Format = Parquet
	}
	switch {
	case p.ShardTracks != 0:
	case p.Format == NPZ:
		p.ShardTracks = DefaultShardTracksNPZ
	default:
		p.ShardTracks = DefaultShardTracks
	}
	if p.Format == Parquet {
		p.Layout = p.Layout.Resolved()
	}
	p.Config.NumEnvs = 1
	p.Config = p.Config.Resolved()
	return p
}

// Validate returns an error that names the first wrong field: a *PlanError, or the *track.ConfigError of the
// configuration.
func (p Plan) Validate() error {
	if p.ShardTracks < 0 || p.ShardTracks > MaxShardTracks {
		return &PlanError{"shard_tracks", fmt.Sprint(p.ShardTracks), fmt.Sprintf("1 to %d", MaxShardTracks)}
	}
	p = p.complete()
	last := int64(p.First) + p.Tracks - 1
	switch {
	case p.Tracks < 1 || p.Tracks > MaxTracks:
		return &PlanError{"tracks", fmt.Sprint(p.Tracks), fmt.Sprintf("1 to %d", int64(MaxTracks))}
	case last > math.MaxInt32:
		return &PlanError{"seed", fmt.Sprint(p.First), fmt.Sprintf(
			"at most %d, so that %d tracks have seeds up to %d", math.MaxInt32-p.Tracks+1, p.Tracks, math.MaxInt32)}
	case p.Format != Parquet && p.Format != NPZ:
		return &PlanError{"format", fmt.Sprintf("%q", string(p.Format)), fmt.Sprintf("%q or %q", Parquet, NPZ)}
	case p.Format == NPZ && !p.Layout.IsZero():
		return &PlanError{"format", fmt.Sprintf("%q", string(NPZ)), fmt.Sprintf(
			"%q with a compression, a precision or columns", Parquet)}
	case p.Shards() > MaxShards:
		return &PlanError{"shard_tracks", fmt.Sprint(p.ShardTracks), fmt.Sprintf(
			"at least %d, so that %d tracks need at most %d shards", (p.Tracks+MaxShards-1)/MaxShards, p.Tracks, MaxShards)}
	}
	if err := p.Layout.Validate(); err != nil && p.Format == Parquet {
		return fmt.Errorf("dataset: %w", err)
	}
	if err := p.Config.Validate(); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	return nil
}

// Shards returns the number of shards.
func (p Plan) Shards() int {
	size := int64(p.complete().ShardTracks)
	return int((p.Tracks + size - 1) / size)
}

// Shard is one file of a data set.
type Shard struct {
	Index  int    `json:"index"`
	File   string `json:"file"`
	First  int32  `json:"first_seed"`
	Tracks int    `json:"seeds"` // number of seeds: of its rows, if all tracks are kept
}

// Shard returns shard i, from 0.
func (p Plan) Shard(i int) Shard {
	p = p.complete()
	low := int64(i) * int64(p.ShardTracks)
	return Shard{
		Index: i, File: fmt.Sprintf("tracks-%05d-of-%05d.%s", i, p.Shards(), p.Format),
		First: int32(int64(p.First) + low), Tracks: int(min(int64(p.ShardTracks), p.Tracks-low)),
	}
}

// planFormat is the version of the layout of a data set. It increases when older programs would misread a newer one.
const planFormat = 1

// planJSON is the JSON form of a plan.
type planJSON struct {
	Format      int             `json:"format"`
	Version     string          `json:"version"`
	Files       Format          `json:"files"`
	First       int32           `json:"first_seed"`
	Tracks      int64           `json:"tracks"`
	Epoch       int32           `json:"epoch"`
	ShardTracks int             `json:"shard_tracks"`
	Shards      int             `json:"shards"`
	Layout      *layoutJSON     `json:"layout,omitempty"` // of Parquet
	Where       string          `json:"where,omitempty"`
	Config      json.RawMessage `json:"config"`
}

// layoutJSON is the JSON form of a layout.
type layoutJSON struct {
	Compression parquet.Compression `json:"compression"`
	Precision   parquet.Precision   `json:"precision"`
	Columns     []string            `json:"columns"` // with one value per point; null for all
}

// text returns the JSON form of a plan for a version of TrackGen: equal for equal plans.
func (p Plan) text(version string) ([]byte, error) {
	p = p.complete()
	config, err := json.Marshal(export.Config(p.Config))
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	form := planJSON{
		Format: planFormat, Version: version, Files: p.Format, First: p.First, Tracks: p.Tracks, Epoch: p.Epoch,
		ShardTracks: p.ShardTracks, Shards: p.Shards(), Where: p.Where, Config: config,
	}
	if p.Format == Parquet {
		form.Layout = &layoutJSON{p.Layout.Compression, p.Layout.Precision, p.Layout.Columns}
	}
	return indented(form)
}

// plan returns the plan of a JSON form.
func (j planJSON) plan() (Plan, error) {
	var config export.Config
	if err := json.Unmarshal(j.Config, &config); err != nil {
		return Plan{}, fmt.Errorf("config: %w", err)
	}
	p := Plan{
		Config: track.Config(config), First: j.First, Tracks: j.Tracks, Epoch: j.Epoch, ShardTracks: j.ShardTracks,
		Format: j.Files, Where: j.Where,
	}
	if l := j.Layout; l != nil {
		p.Layout = parquet.Layout{Compression: l.Compression, Precision: l.Precision, Columns: l.Columns}
	}
	return p, p.Validate()
}

// indented returns the JSON form of a value with a line end.
func indented(value any) ([]byte, error) {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	return append(text, '\n'), nil
}
