package rangefinder_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/rangefinder"
	"github.com/trackgen-go/trackgen/track"
)

// A car on the centreline of its track, which looks along it, measures to the right, ahead and to the left.
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
	settings := rangefinder.DefaultConfig()
	settings.Beams, settings.FieldOfView, settings.Range = 3, math.Pi, 10
	finder, err := rangefinder.New(device, rangefinder.SourceOf(generator.Track()), settings)
	if err != nil {
		log.Fatal(err)
	}
	defer finder.Close()

	var car rangefinder.Inputs
	if car.Position, err = generator.Track().Center.Slice(0, 1); err != nil { // a simulator would write it
		log.Fatal(err)
	}
	if car.Orientation, err = exec.FromSlice(device, []kernel.Quat{{Z: 0.96, W: 0.28}}); err != nil {
		log.Fatal(err)
	}
	defer car.Orientation.Close()
	if err := finder.Bind(car); err != nil {
		log.Fatal(err)
	}
	if err := finder.Update(ctx); err != nil { // in every step
		log.Fatal(err)
	}
	batch, err := finder.Scans().Read(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f %d\n", batch.Distance, batch.Hit)
	// Output: [0.10 0.22 0.11] [1 1 2]
}
