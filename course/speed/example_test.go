package speed_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/course/speed"
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

	car := speed.DefaultConfig()
	car.MaxSpeed = 4
	planner, err := speed.New(device, speed.SourceOf(generator.Track()), car)
	if err != nil {
		log.Fatal(err)
	}
	defer planner.Close()
	batch, err := planner.Profile().Read(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	row := batch.Speed[:generator.Track().NMax]
	slowest, fastest := row[0], row[0]
	for _, v := range row {
		if v == v { // not padding
			slowest, fastest = min(slowest, v), max(fastest, v)
		}
	}
	fmt.Printf("on the first track, the car drives %.2f to %.2f\n", slowest, fastest)
	// Output: on the first track, the car drives 0.94 to 2.16
}
