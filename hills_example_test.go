package trackgen_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen"
)

// Generate tracks with hills.
func ExampleNewGenerator_hills() {
	device, err := trackgen.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()

	config := trackgen.DefaultConfig()
	config.NumEnvs, config.Candidates = 512, 8
	config.Elevation.Profile, config.Elevation.Min, config.Elevation.Max = "random_walk", -1, 1
	config.Elevation.MaxStep, config.Validity.MaxGrade = 0.15, 0.2
	generator, err := trackgen.NewGenerator(device, config, trackgen.WithSeed(7))
	if err != nil {
		log.Fatal(err)
	}
	defer generator.Close()

	batch, err := generator.Track().Batch(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d of %d tracks are valid; track 0 is %.3f long\n", batch.NumValid(), batch.Envs, batch.Length[0])
	for i, p := range batch.Points(batch.Center, 0)[:3] {
		up := batch.Tangent[i].Z
		fmt.Printf("point %d at (%.3f, %.3f, %.3f), tangent %.3f upwards\n", i, p.X, p.Y, p.Z, up)
	}
	// Output:
	// 512 of 512 tracks are valid; track 0 is 5.500 long
	// point 0 at (0.364, -0.110, 0.000), tangent -0.023 upwards
	// point 1 at (0.379, -0.051, -0.002), tangent -0.052 upwards
	// point 2 at (0.417, -0.004, -0.006), tangent -0.082 upwards
}
