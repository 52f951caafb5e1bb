package flight_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/course/localise"
	"github.com/trackgen-go/trackgen/course/speed"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/flight"
	"github.com/trackgen-go/trackgen/track"
)

func Example() {
	ctx := context.Background()
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	config := track.DefaultConfig()
	config.NumEnvs, config.Scale = 1, 10
	generator, err := track.NewGenerator(device, config, track.WithSeed(1234))
	if err != nil {
		log.Fatal(err)
	}
	defer generator.Close()
	planner, err := speed.New(device, speed.SourceOf(generator.Track()), speed.DefaultConfig())
	if err != nil {
		log.Fatal(err)
	}
	defer planner.Close()
	localiser, err := localise.New(device, localise.SourceOf(generator.Track()), localise.DefaultConfig())
	if err != nil {
		log.Fatal(err)
	}
	defer localiser.Close()
	controller, err := flight.New(device, flight.SourceOf(generator.Track(), planner.Profile()), flight.DefaultConfig())
	if err != nil {
		log.Fatal(err)
	}
	defer controller.Close()

	var position, velocity exec.Array[kernel.Vec3] // a simulator would write these
	var orientation exec.Array[kernel.Quat]
	if position, err = exec.NewArray[kernel.Vec3](device, 1); err != nil {
		log.Fatal(err)
	}
	defer position.Close()
	if velocity, err = exec.NewArray[kernel.Vec3](device, 1); err != nil {
		log.Fatal(err)
	}
	defer velocity.Close()
	if orientation, err = exec.NewArray[kernel.Quat](device, 1); err != nil {
		log.Fatal(err)
	}
	defer orientation.Close()
	start, err := exec.NewArray[float32](device, 1) // at the start line, on the centreline
	if err != nil {
		log.Fatal(err)
	}
	defer start.Close()
	err = localiser.Place(ctx, localise.Spots{S: start, N: start, NUp: start},
		localise.Poses{Position: position, Orientation: orientation}, exec.Array[int32]{})
	if err != nil {
		log.Fatal(err)
	}

	if err := localiser.LocateAt(ctx, position); err != nil { // in every step
		log.Fatal(err)
	}
	err = controller.UpdateAt(ctx, flight.Inputs{Position: position, Orientation: orientation, Velocity: velocity,
		Segment: localiser.Frames().Segment})
	if err != nil {
		log.Fatal(err)
	}
	actions, err := controller.Actions().Read(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("thrust %.2f, rates %.2f %.2f %.2f\n", actions[0], actions[1], actions[2], actions[3])
	// Output: thrust -0.70, rates 0.00 0.95 -0.00
}
