package preview_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/preview"
	"github.com/trackgen-go/trackgen/track"
)

// A car at the begin of its track, which looks along it, sees the road.
func Example() {
	ctx := context.Background()
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	config := track.DefaultConfig()
	config.NumEnvs = 1
	generator, err := track.NewGenerator(device, config, track.WithSeed(1234))
	if err != nil {
		log.Fatal(err)
	}
	defer generator.Close()
	settings := preview.DefaultConfig()
	settings.Distances = preview.EvenDistances(3, 0.2)
	settings.Channels = []string{preview.CenterX, preview.CenterY, preview.WidthLeft}
	ahead, err := preview.New(device, preview.SourceOf(generator.Track()), settings)
	if err != nil {
		log.Fatal(err)
	}
	defer ahead.Close()

	car := preview.Inputs{Position: generator.Track().Center, S: generator.Track().Arclen} // of point 0
	if car.Position, err = car.Position.Slice(0, 1); err != nil {
		log.Fatal(err)
	}
	if car.S, err = car.S.Slice(0, 1); err != nil {
		log.Fatal(err)
	}
	if car.Orientation, err = exec.FromSlice(device, []kernel.Quat{{Z: 0.96, W: 0.28}}); err != nil {
		log.Fatal(err)
	}
	defer car.Orientation.Close()
	if err := ahead.Bind(car); err != nil {
		log.Fatal(err)
	}
	if err := ahead.Update(ctx); err != nil { // in every step
		log.Fatal(err)
	}
	batch, err := ahead.Observations().Read(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for k := range batch.Places {
		fmt.Printf("%.2f\n", batch.Values[k*3:][:3])
	}
	// Output:
	// [0.18 0.09 0.10]
	// [0.36 0.17 0.10]
	// [0.56 0.15 0.10]
}
