package curvature_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/course/curvature"
	"github.com/trackgen-go/trackgen/track"
)

func Example() {
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	config := track.DefaultConfig()
	config.NumEnvs = 4
	generator, err := track.NewGenerator(device, config, track.WithSeed(1234))
	if err != nil {
		log.Fatal(err)
	}
	defer generator.Close()

	estimator, err := curvature.New(device, curvature.SourceOf(generator.Track()), curvature.DefaultConfig())
	if err != nil {
		log.Fatal(err)
	}
	defer estimator.Close()
	batch, err := estimator.Curvature().Read(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("the first track begins with a curvature of %.2f\n", batch.Curvature[0])
	// Output: the first track begins with a curvature of 0.34
}
