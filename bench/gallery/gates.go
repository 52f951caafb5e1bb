package main

import (
	"bytes"
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/gate"
)

// courses makes the gate courses of docs/gates.md.
func courses(ctx context.Context, device backend.Device) (_ *gate.Batch, err error) {
	config := gate.DefaultConfig()
	config.Generator, config.NumEnvs, config.Scale = gate.Voronoi, 24, 10
	config.Gate.Width, config.Gate.Radius = 1.2, 0.8
	config.Elevation.Profile, config.Elevation.Min, config.Elevation.Max = "random_walk", 1, 3
	config.Elevation.Base, config.Elevation.MaxStep = 2, 0.5
	config.Candidates = 4
	generator, err := gate.NewGenerator(device, config, gate.WithSeed(7))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, generator.Close()) }()
	return generator.Sequence().Batch(ctx)
}

// drawGates draws gate courses from above.
func drawGates(ctx context.Context, device backend.Device) ([]byte, error) {
	return pngOfGates(ctx, device, export.Picture{Envs: []int{0, 1, 2}, Columns: 3, CellSize: 300, Unit: "m"})
}

// drawGatesObliquely draws the same courses from the side and above.
func drawGatesObliquely(ctx context.Context, device backend.Device) ([]byte, error) {
	return pngOfGates(ctx, device,
		export.Picture{Envs: []int{0, 1}, Columns: 2, CellSize: 460, View: export.ViewOblique, Unit: "m"})
}

func pngOfGates(ctx context.Context, device backend.Device, picture export.Picture) ([]byte, error) {
	batch, err := courses(ctx, device)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = export.WriteGatesPNG(&out, batch, picture)
	return out.Bytes(), err
}
