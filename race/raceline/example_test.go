package raceline_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/race/raceline"
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

	car := raceline.DefaultConfig()
	car.CarWidth, car.MaxSpeed = 0.04, 4
	optimiser, err := raceline.New(device, raceline.SourceOf(generator.Track()), car)
	if err != nil {
		log.Fatal(err)
	}
	defer optimiser.Close()
	batch, err := optimiser.Line().Read(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("a lap of the first track takes %.2f s on a line of length %.2f\n", batch.LapTime[0], batch.Length[0])
	// Output: a lap of the first track takes 2.99 s on a line of length 4.59
}
