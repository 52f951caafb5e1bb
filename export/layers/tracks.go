package layers

import (
	"context"
	"errors"
	"math"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/course/props"
	"github.com/trackgen-go/trackgen/course/speed"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/track"
)

// trackRun is a run over tracks.
type trackRun struct {
	run
	batch  *track.Batch
	tracks *track.Track
}

// Tracks computes the layers of tracks: element e of the result is those of env e.
//
// It returns a *ConfigError (config.ErrConfig) for each wrong field of the configuration, and for a spacing that
// cannot be derived; a *backend.ArgumentError for a batch whose sizes do not fit; or an error of the device.
func Tracks(ctx context.Context, device backend.Device, b *track.Batch, c Config) (_ []export.CourseLayers, err error) {
	if err := exec.CheckDevice(prefix+"tracks", device); err != nil {
		return nil, err
	}
	envs := 0
	if b != nil {
		envs = b.Envs
	}
	if err := c.check(OfTracks(), envs); err != nil {
		return nil, err
	}
	r := &trackRun{run: run{Config: c, ctx: ctx, device: device, out: make([]export.CourseLayers, envs)}, batch: b}
	defer func() { err = errors.Join(err, r.close()) }()
	tracks, err := track.Upload(ctx, device, b)
	if r.tracks, err = keep(&r.run, tracks, err); err != nil {
		return nil, err
	}
	err = r.each([]part{
		{[]Layer{Checkpoints}, r.checkpoints}, {[]Layer{Props}, r.props}, {[]Layer{Field}, r.field},
		{[]Layer{Speed}, r.speed}, {carLayers, r.cars}, {[]Layer{Ground}, r.ground},
	})
	return r.out, err
}

// spacing returns the distance for a number of items along a track of mean length, or the one that the configuration
// gives.
func (r *trackRun) spacing(given float64, field string, items float64) (float64, error) {
	if given > 0 {
		return given, nil
	}
	sum, n := 0.0, 0.0
	for e, length := range r.batch.Length {
		if l := float64(length); r.batch.Valid[e] != 0 && l > 0 && !math.IsInf(l, 0) {
			sum, n = sum+l, n+1
		}
	}
	if n == 0 {
		return 0, &ConfigError{Field: field, Value: "0", Allowed: "a number > 0, because no track is valid"}
	}
	return min(sum/n/items, maxLength), nil
}

// ofSpacing returns the error of a component about its spacing as one about the field of Config that sets it.
func ofSpacing(err error, field string) error {
	var wrong *ConfigError
	if errors.As(err, &wrong) && wrong.Field == "spacing" {
		return &ConfigError{Field: field, Value: wrong.Value, Allowed: wrong.Allowed}
	}
	return err
}

func (r *trackRun) checkpoints() error {
	const items = 16
	spacing, err := r.spacing(r.CheckpointSpacing, "checkpoint_spacing", items)
	if err != nil {
		return err
	}
	config := checkpoints.Config{Spacing: spacing, MaxCheckpoints: r.MaxCheckpoints}
	sampler, err := checkpoints.NewSampler(r.device, checkpoints.SourceOf(r.tracks), config)
	if sampler, err = keep(&r.run, sampler, err); err != nil {
		return ofSpacing(err, "checkpoint_spacing")
	}
	set, err := sampler.Set().Read(r.ctx)
	if err != nil {
		return err
	}
	for e := range r.out {
		for k := range int(set.Count[e]) {
			at := e*set.MaxCheckpoints + k
			r.out[e].Checkpoints = append(r.out[e].Checkpoints, export.CheckpointBar{Left: set.Left[at], Right: set.Right[at]})
		}
	}
	return nil
}

func (r *trackRun) props() error {
	const items = 48
	spacing, err := r.spacing(r.PropSpacing, "prop_spacing", items)
	if err != nil {
		return err
	}
	config := props.DefaultConfig()
	config.Spacing, config.Mode = spacing, r.PropMode
	sampler, err := props.NewSampler(r.device, props.SourceOf(r.tracks), config)
	if sampler, err = keep(&r.run, sampler, err); err != nil {
		return ofSpacing(err, "prop_spacing")
	}
	placed, err := sampler.Props().Read(r.ctx)
	if err != nil {
		return err
	}
	for e := range r.out {
		for k := range int(placed.Count[e]) {
			at := e*placed.MaxProps + k
			r.out[e].Props = append(r.out[e].Props, export.PropMark{Position: placed.Position[at],
				Tangent: placed.Tangent[at], Length: placed.Length[at], Segment: r.PropMode == props.Segments})
		}
	}
	return nil
}

func (r *trackRun) speed() error {
	profiles, err := r.profiles(speed.SourceOf(r.tracks))
	if err != nil {
		return err
	}
	for e := range r.out {
		r.out[e].Line = r.batch.Points(r.batch.Center, e)
		r.out[e].Speed = profiles.Speed[e*profiles.NMax:][:r.batch.Count[e]]
	}
	return nil
}
