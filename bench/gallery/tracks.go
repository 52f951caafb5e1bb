package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/track"
)

const (
	drawn = 5 // tracks per generator: its first valid ones
	made  = 8
)

// drawTracks draws one row of tracks for each generator. All of them are one mixed batch.
func drawTracks(ctx context.Context, device backend.Device) ([]byte, error) {
	config := track.DefaultConfig()
	config.Generator = track.Mixed
	var components, seeds []int32
	for _, name := range track.Generators() {
		if name == track.Mixed {
			continue
		}
		for k := range made {
			components, seeds = append(components, int32(len(config.Mix))), append(seeds, int32(k))
		}
		config.Mix = append(config.Mix, config.NewComponent(1, name))
	}
	config.NumEnvs = len(components)
	batch, err := tracksOf(ctx, device, config, track.WithSeeds(seeds), track.WithComponents(components))
	if err != nil {
		return nil, err
	}
	picture := export.Picture{Columns: drawn, CellSize: 180, FitCells: true, Labels: make([]string, batch.Envs)}
	for k, component := range config.Mix {
		for e, left := k*made, drawn; e < (k+1)*made && left > 0; e++ {
			picture.Labels[e] = fmt.Sprintf("%s, seed %d", component.Generator, seeds[e])
			if batch.Valid[e] != 0 {
				picture.Envs = append(picture.Envs, e)
				left--
			}
		}
	}
	return pngOf(batch, picture)
}

// hills makes the tracks of docs/hills.md.
func hills(ctx context.Context, device backend.Device) (*track.Batch, error) {
	config := track.DefaultConfig()
	config.NumEnvs, config.Candidates = 24, 8
	config.Elevation.Profile, config.Elevation.Min, config.Elevation.Max = "random_walk", -1, 1
	config.Elevation.MaxStep, config.Validity.MaxGrade = 0.15, 0.2
	return tracksOf(ctx, device, config, track.WithSeed(7))
}

// drawHills draws tracks with hills from above.
func drawHills(ctx context.Context, device backend.Device) ([]byte, error) {
	batch, err := hills(ctx, device)
	if err != nil {
		return nil, err
	}
	return pngOf(batch, export.Picture{Envs: []int{0, 1, 2}, Columns: 3, CellSize: 300})
}

// drawHillsObliquely draws the same tracks from the side and above.
func drawHillsObliquely(ctx context.Context, device backend.Device) ([]byte, error) {
	batch, err := hills(ctx, device)
	if err != nil {
		return nil, err
	}
	return pngOf(batch, export.Picture{Envs: []int{0, 1}, Columns: 2, CellSize: 460, View: export.ViewOblique})
}

// tracksOf generates a batch of tracks.
func tracksOf(ctx context.Context, device backend.Device, config track.Config, options ...track.Option) (_ *track.Batch,
	err error) {
	generator, err := track.NewGenerator(device, config, options...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, generator.Close()) }()
	return generator.Track().Batch(ctx)
}

func pngOf(batch *track.Batch, picture export.Picture) ([]byte, error) {
	var out bytes.Buffer
	err := export.WritePNG(&out, batch, picture)
	return out.Bytes(), err
}
