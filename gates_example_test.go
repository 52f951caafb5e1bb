package trackgen_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen"
)

// Make gate courses for a drone, and print the first gates of one. docs/gates.md begins with it.
func ExampleNewGateGenerator() {
	device, err := trackgen.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()

	config := trackgen.DefaultGateConfig()
	config.Generator, config.NumEnvs, config.Scale = trackgen.Voronoi, 512, 10
	config.Gate.Width, config.Gate.Radius = 1.2, 0.8
	config.Elevation.Profile, config.Elevation.Min, config.Elevation.Max = "random_walk", 1, 3
	config.Elevation.Base, config.Elevation.MaxStep = 2, 0.5
	config.Candidates = 4
	courses, err := trackgen.NewGateGenerator(device, config, trackgen.WithSeed(7))
	if err != nil {
		log.Fatal(err)
	}
	defer courses.Close()

	batch, err := courses.Sequence().Batch(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d of %d courses are valid; course 0 has %d gates\n", batch.NumValid(), batch.Envs, batch.Count[0])
	for k, p := range batch.Gates(batch.Position, 0)[:3] {
		fmt.Printf("gate %d at (%.2f, %.2f, %.2f)\n", k, p.X, p.Y, p.Z)
	}
	// Output:
	// 508 of 512 courses are valid; course 0 has 18 gates
	// gate 0 at (-2.06, -6.30, 2.00)
	// gate 1 at (-3.22, -5.17, 2.69)
	// gate 2 at (-6.64, -4.17, 3.00)
}

// Gates stand every 2.5 m along hilly tracks, and half as wide as the road.
func ExampleNewGatesAlong() {
	device, err := trackgen.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()

	config := trackgen.DefaultConfig()
	config.NumEnvs, config.Scale, config.Road.HalfWidth, config.Candidates = 64, 10, 1, 8
	config.Elevation.Profile, config.Elevation.Max = "uniform", 2
	tracks, err := trackgen.NewGenerator(device, config, trackgen.WithSeed(7))
	if err != nil {
		log.Fatal(err)
	}
	defer tracks.Close()

	gates := trackgen.DefaultGateConfig()
	gates.Along.Spacing, gates.Along.RoadFraction, gates.Gate.Radius = 2.5, 0.5, 0.5
	courses, err := trackgen.NewGatesAlong(device, tracks.Track(), gates)
	if err != nil {
		log.Fatal(err)
	}
	defer courses.Close()

	batch, err := courses.Sequence().Batch(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d of %d courses are valid; course 0 has %d gates\n", batch.NumValid(), batch.Envs, batch.Count[0])
	for k, p := range batch.Gates(batch.Position, 0)[:3] {
		fmt.Printf("gate %d at (%.2f, %.2f, %.2f), %.2f wide\n", k, p.X, p.Y, p.Z, 2*batch.HalfSize[k])
	}
	// Output:
	// 64 of 64 courses are valid; course 0 has 19 gates
	// gate 0 at (5.32, -1.78, 1.36), 1.00 wide
	// gate 1 at (4.45, -4.16, 1.27), 1.00 wide
	// gate 2 at (2.17, -4.47, 1.24), 1.00 wide
}
