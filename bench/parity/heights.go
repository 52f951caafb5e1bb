package parity

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/track"
)

// ground are height fields of the tracks of a generator.
type ground struct {
	tracks
	baker *heightfield.Baker
}

func (g ground) generate(ctx context.Context) error {
	if err := g.tracks.generate(ctx); err != nil {
		return err
	}
	_, err := g.baker.Bake(ctx)
	return err
}

func (g ground) regenerate(ctx context.Context, mask exec.Array[int32]) error {
	if err := g.tracks.regenerate(ctx, mask); err != nil {
		return err
	}
	_, err := g.baker.BakeMasked(ctx, mask)
	return err
}

func (g ground) StageArrays() []column.StageArray {
	const stage = "heightfield"
	h := g.baker.Heights()
	return append(g.tracks.StageArrays(), column.NewStageArray(stage, heightfield.LowOutput, h.Low),
		column.NewStageArray(stage, heightfield.HighOutput, h.High),
		column.NewStageArray(stage, heightfield.HeightOutput, h.Height))
}

func (g ground) Close() error { return errors.Join(g.baker.Close(), g.Generator.Close()) }

// CompareHeights is Compare for height fields of hilly tracks of the default generator, some of which are not valid.
// The generator of a comparison is then "heights" and the mode of their blending.
func CompareHeights(ctx context.Context, devices []backend.Device, config heightfield.Config, envs int, seed int32,
	modes []Mode, report func(Comparison)) ([]Comparison, error) {
	hilly := track.DefaultConfig()
	hilly.NumEnvs, hilly.Elevation.Profile, hilly.Elevation.Max = envs, "uniform", 0.3
	return subject{generator: "heights " + config.Blend.Mode, envs: envs,
		make: func(device backend.Device, options ...generation.Option) (generator, error) {
			g, err := track.NewGenerator(device, hilly, options...)
			if err != nil {
				return nil, err
			}
			o, err := generation.Collect("parity: ", "compare heights", options)
			if err != nil {
				return nil, errors.Join(err, g.Close())
			}
			baker, err := heightfield.NewBaker(device, heightfield.SourceOf(g.Track()), config,
				heightfield.WithStream(o.Seeds.DefaultStream))
			if err != nil {
				return nil, errors.Join(err, g.Close())
			}
			return ground{tracks{g}, baker}, nil
		}}.compare(ctx, devices, seed, modes, report)
}
