package trackgen_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen"
)

func ExampleNewRace() {
	ctx := context.Background()
	device, err := trackgen.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	tracks := trackgen.DefaultConfig()
	tracks.NumEnvs, tracks.Scale, tracks.Road.HalfWidth = 16, 10, 1 // in metres
	config := trackgen.DefaultRaceConfig()
	config.Course.Tracks, config.Reward.Ends.Laps = &tracks, 1
	race, err := trackgen.NewRace(device, config, trackgen.WithSeed(1))
	if err != nil {
		log.Fatal(err)
	}
	defer race.Close()
	driver, err := race.NewPursuit(trackgen.DefaultPursuitConfig())
	if err != nil {
		log.Fatal(err)
	}
	defer driver.Close()
	if err := race.BindActions(driver.Actions()); err != nil {
		log.Fatal(err)
	}
	for range 900 { // 18 seconds
		if err := driver.Update(ctx); err != nil {
			log.Fatal(err)
		}
		if err := race.Step(ctx); err != nil {
			log.Fatal(err)
		}
	}
	totals, err := race.Totals().Read(ctx)
	if err != nil {
		log.Fatal(err)
	}
	laps, crashes := 0, 0
	for e := range totals.Laps {
		laps += int(totals.Laps[e])
		crashes += int(totals.OffRoad[e])
	}
	fmt.Println(laps, "laps,", crashes, "crashes")
	// Output: 16 laps, 0 crashes
}
