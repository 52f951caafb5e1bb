package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
)

// tracks returns the tracks to drive on: generated ones, those of an .npz file, or the circuits of files.
func (f *driveFlags) tracks(ctx context.Context, a *app, device trackgen.Device, paths []string) (
	*trackgen.Batch, error) {
	switch {
	case len(paths) == 0:
		return f.generated(ctx, a, device)
	case f.file != "" || len(f.set) > 0 || f.generator != "" || f.mix != "" || f.envs > 0:
		return nil, badInputf("--config, --set, --generator, --mix and --envs are for tracks that are generated, and " +
			"there is a file: leave them out")
	case len(paths) == 1 && strings.EqualFold(filepath.Ext(paths[0]), formatNPZ.extension()):
		if export.HoldsGates(paths[0]) {
			return nil, badInputf("%s holds gate courses, and drive needs tracks", paths[0])
		}
		return readTracks(ctx, paths[0])
	}
	circuits, _, err := f.reading.read(ctx, a.stdin, paths, nil)
	if err != nil {
		return nil, err
	}
	return f.reading.measure(ctx, device, circuits)
}

// generated returns the tracks of the generator.
func (f *driveFlags) generated(ctx context.Context, a *app, device trackgen.Device) (_ *trackgen.Batch, err error) {
	loaded, err := f.configFlags.load(a.stdin, nil)
	if err != nil {
		return nil, err
	}
	generator, err := trackgen.NewGenerator(device, loaded.Config, trackgen.WithSeed(f.seed))
	if err != nil {
		return nil, flagOfRace(err)
	}
	defer func() { err = errors.Join(err, generator.Close()) }()
	return generator.Track().Batch(ctx)
}

// readTracks returns all tracks of a file.
func readTracks(ctx context.Context, path string) (*trackgen.Batch, error) {
	reader, err := export.OpenNPZ(path)
	if err != nil {
		return nil, badInput(err)
	}
	defer reader.Close() //nolint:errcheck // the file was only read
	all := new(trackgen.Batch)
	err = readChunks(ctx, reader, reader.Shape().Envs, func(chunk *trackgen.Batch, _ int) (bool, error) {
		var envs []int
		for e := range chunk.Envs {
			envs = append(envs, e)
		}
		return true, all.Append(chunk, envs...)
	})
	return all, err
}
