package trackgen_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen"
)

// Bake the ground around tracks with hills, and bake it again where tracks change.
func ExampleNewHeightBaker() {
	ctx := context.Background()
	device, err := trackgen.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()

	config := trackgen.DefaultConfig()
	config.NumEnvs, config.Candidates = 64, 8
	config.Elevation.Profile, config.Elevation.Min, config.Elevation.Max = "random_walk", -1, 1
	config.Elevation.MaxStep = 0.4
	generator, err := trackgen.NewGenerator(device, config, trackgen.WithSeed(7))
	if err != nil {
		log.Fatal(err)
	}
	defer generator.Close()

	heights := trackgen.DefaultHeightConfig()
	heights.Resolution, heights.Blend.Mode = 64, "smooth"
	baker, err := trackgen.NewHeightBaker(device, trackgen.HeightSourceOf(generator.Track()), heights)
	if err != nil {
		log.Fatal(err)
	}
	defer baker.Close()
	field, err := baker.Bake(ctx)
	if err != nil {
		log.Fatal(err)
	}
	grid, err := field.Grid(ctx)
	if err != nil {
		log.Fatal(err)
	}
	x, y := grid.Middle(0, 32, 32)
	fmt.Printf("the ground is %.3f high at (%.3f, %.3f)\n", grid.Of(0)[32*64+32], x, y)

	done, err := trackgen.NewArray[int32](device, config.NumEnvs) // 1 where an episode has ended
	if err != nil {
		log.Fatal(err)
	}
	defer done.Close()
	if _, err := generator.Regenerate(ctx, done); err != nil {
		log.Fatal(err)
	}
	if _, err := baker.BakeMasked(ctx, done); err != nil {
		log.Fatal(err)
	}
	// Output: the ground is 0.001 high at (0.671, 0.331)
}
