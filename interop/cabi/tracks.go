//go:build cgo

package main

import (
	"context"
	"encoding/json"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/settings"
	"github.com/trackgen-go/trackgen/seeds"
	"github.com/trackgen-go/trackgen/track"
)

// tracks is a producer of batches of tracks.
type tracks struct {
	producing
	lacking
	generator *track.Generator
}

func newTracks(d *device, text string, options []generation.Option) (producer, error) {
	c, err := readTracks(text)
	if err != nil {
		return nil, err
	}
	g, err := track.NewGenerator(d.Device, c, options...)
	if err != nil {
		return nil, err
	}
	return &tracks{producing: producing{kind: kindTracks}, lacking: kindTracks, generator: g}, nil
}

// readTracks reads a configuration of tracks and checks it.
func readTracks(text string) (track.Config, error) {
	return readSettings(settings.Tracks, track.DefaultConfig(), text, track.Config.Validate)
}

// resolveTracks returns a configuration of tracks with all settings.
func resolveTracks(text string) (json.RawMessage, error) {
	c, err := readTracks(text)
	if err != nil {
		return nil, err
	}
	return json.Marshal(export.Config(c.Resolved()))
}

func (t *tracks) config() (json.RawMessage, error) {
	return json.Marshal(export.Config(t.generator.Config().Resolved()))
}

func (t *tracks) results() []result {
	list := resultList{envs: t.generator.Track().Envs}
	list.tracks("", t.generator.Track())
	list.seeds(t.generator.Seeds())
	return list.list
}

// tracks adds a batch of tracks.
func (l *resultList) tracks(part string, t *track.Track) {
	if t != nil {
		l.columns(part, track.Schema.Device(&t.DeviceColumns), t.NMax)
	}
}

// seeds adds the key of the next generation.
func (l *resultList) seeds(s *seeds.State) {
	if s != nil {
		l.integers("seeds.seed", "seed of the next generation", s.Seed(), int64(l.envs))
		l.integers("seeds.epoch", "epoch of the next generation", s.Epoch(), int64(l.envs))
	}
}

func (t *tracks) generate(ctx context.Context) error {
	_, err := t.generator.Generate(ctx)
	return err
}

func (t *tracks) regenerate(ctx context.Context, mask exec.Array[int32], sameEpoch bool) error {
	if sameEpoch {
		_, err := t.generator.Regenerate(ctx, mask, track.SameEpoch())
		return err
	}
	_, err := t.generator.Regenerate(ctx, mask)
	return err
}

func (t *tracks) setSeeds(ctx context.Context, values []int32) error {
	return t.generator.SetSeeds(ctx, values)
}

func (t *tracks) setEpoch(ctx context.Context, epoch int32) error {
	return t.generator.SetEpoch(ctx, epoch)
}

func (t *tracks) close() error { return t.generator.Close() }
