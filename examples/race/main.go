// Race lets thousands of cars drive over generated tracks, all on the device: pure pursuit steers them, and a car that
// has driven its laps or has left the road goes on with a new track. The program records a step in its own capture,
// replays it two thousand times, and learns what has happened at the end.
//
//	go run ./examples/race -device vulkan:0
//
// It prints a hash of all bits of the final state, which is the same on all devices.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"time"

	"github.com/trackgen-go/trackgen"
)

func main() {
	name := flag.String("device", "cpu", "name of the device, as trackgen devices lists them")
	envs := flag.Int("envs", 4096, "number of cars, each with a track of its own")
	steps := flag.Int("steps", 2000, "number of steps of a fiftieth of a second")
	flag.Parse()
	device, err := trackgen.Open(*name)
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	r, err := drive(context.Background(), device, *envs, *steps)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %.0f steps/s of %d cars, %d laps, %d crashes, %d episodes, hash %016x\n", *name,
		float64(*steps)/r.elapsed.Seconds(), *envs, r.laps, r.crashes, r.episodes, r.hash)
}

// result is what a race has brought.
type result struct {
	elapsed                 time.Duration
	laps, crashes, episodes int
	hash                    uint64
}

// drive makes a race, records a step of the driver and the cars, and replays it.
func drive(ctx context.Context, device trackgen.Device, envs, steps int) (result, error) {
	tracks := trackgen.DefaultConfig() // in metres: about 25 to drive around, on a road of 1.4
	tracks.NumEnvs, tracks.Scale, tracks.Road.HalfWidth = envs, 5, 0.7
	config := trackgen.DefaultRaceConfig()
	config.Course.Tracks, config.Reward.Ends.Laps = &tracks, 1
	stream, err := device.NewStream()
	if err != nil {
		return result{}, err
	}
	defer stream.Close()
	race, err := trackgen.NewRace(device, config, trackgen.WithStream(stream), trackgen.WithSeed(1))
	if err != nil {
		return result{}, err
	}
	defer race.Close()
	brave := trackgen.DefaultPursuitConfig()
	brave.SpeedFactor = 1.25 // some cars leave the road
	driver, err := race.NewPursuit(brave, trackgen.WithStream(stream))
	if err != nil {
		return result{}, err
	}
	defer driver.Close()
	if err := race.BindActions(driver.Actions()); err != nil {
		return result{}, err
	}
	step, err := record(ctx, stream, driver.Update, race.Step)
	if err != nil {
		return result{}, err
	}
	defer step.Close()
	start := time.Now()
	for range steps {
		if err := stream.Replay(step); err != nil {
			return result{}, err
		}
	}
	if err := stream.Sync(); err != nil {
		return result{}, err
	}
	return summary(ctx, race, time.Since(start))
}
