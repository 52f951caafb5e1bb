package command

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
)

// courses returns the tracks or gate courses to drive on: generated ones, those of an .npz file, or the circuits of
// files.
func (f *driveFlags) courses(ctx context.Context, a *app, device trackgen.Device, paths []string, ofGates bool) (
	r raceway, err error) {
	switch {
	case ofGates && len(paths) == 0:
		r.gates, err = f.generatedGates(ctx, a, device)
	case ofGates:
		if err = f.refuseGenerator(); err == nil {
			r.gates, err = readGates(ctx, paths[0])
		}
	default:
		r.tracks, err = f.tracks(ctx, a, device, paths)
	}
	return r, err
}

// tracks returns the tracks to drive on.
func (f *driveFlags) tracks(ctx context.Context, a *app, device trackgen.Device, paths []string) (
	*trackgen.Batch, error) {
	if len(paths) == 0 {
		return f.generated(ctx, a, device)
	}
	if err := f.refuseGenerator(); err != nil {
		return nil, err
	}
	if len(paths) == 1 && strings.EqualFold(filepath.Ext(paths[0]), formatNPZ.extension()) {
		return readTracks(ctx, paths[0])
	}
	circuits, _, err := f.reading.read(ctx, a.stdin, paths, nil)
	if err != nil {
		return nil, err
	}
	return f.reading.measure(ctx, device, circuits)
}

// refuseGenerator refuses the flags of a generator, where there is a file.
func (f *driveFlags) refuseGenerator() error {
	if f.file != "" || len(f.set) > 0 || f.generator != "" || f.mix != "" || f.envs > 0 {
		return badInputf("--config, --set, --generator, --mix and --envs are for what is generated, and there is a file: " +
			"leave them out")
	}
	return nil
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
