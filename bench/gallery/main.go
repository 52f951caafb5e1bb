// Gallery draws the tracks of the README, one row per generator. All of them are one mixed batch.
//
//	go run ./bench/gallery docs/images/tracks.png
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/track"
)

const (
	drawn = 5 // tracks per generator: its first valid ones
	made  = 8
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gallery PICTURE.png")
		os.Exit(2)
	}
	if err := draw(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "gallery:", err)
		os.Exit(1)
	}
}

func draw(ctx context.Context, path string) (err error) {
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

	device, err := backend.Open("cpu")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	generator, err := track.NewGenerator(device, config, track.WithSeeds(seeds), track.WithComponents(components))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, generator.Close()) }()
	batch, err := generator.Track().Batch(ctx)
	if err != nil {
		return err
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
	return export.WriteFile(path, func(w io.Writer) error { return export.WritePNG(w, batch, picture) })
}
