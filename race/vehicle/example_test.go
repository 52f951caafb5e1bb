package vehicle_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/race/vehicle"
)

func Example() {
	ctx := context.Background()
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	config := vehicle.DefaultConfig() // an F1TENTH car
	config.Car.Friction = vehicle.Around(1, 0.2)
	simulator, err := vehicle.New(device, vehicle.Source{}, config)
	if err != nil {
		log.Fatal(err)
	}
	defer simulator.Close()

	actions, err := exec.FromSlice(device, []float32{0.2, 0.5}) // a policy would write them
	if err != nil {
		log.Fatal(err)
	}
	defer actions.Close()
	if err := simulator.Bind(vehicle.Inputs{Actions: actions}); err != nil {
		log.Fatal(err)
	}
	for range 50 {
		if err := simulator.Step(ctx); err != nil {
			log.Fatal(err)
		}
	}
	state, err := simulator.State().Read(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("after 1 s at %.1f m/s, %.1f m to the left\n", state.Car.Speed[0], state.Position[0].Y)
	// Output: after 1 s at 4.8 m/s, 0.6 m to the left
}
