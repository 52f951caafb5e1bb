package reward_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/race/reward"
)

// A car drives around a line of 100 metres at 10 metres per second, until it has completed a lap. The arrays are those
// that a course fills in each step.
func Example() {
	ctx := context.Background()
	device, err := backend.Open("cpu")
	check(err)
	length, err := exec.FromSlice(device, []float32{100})
	check(err)
	s, err := exec.NewArray[float32](device, 1)
	check(err)
	passed, err := exec.NewArray[int32](device, 1)
	check(err)

	config := reward.DefaultConfig()
	config.TimeStep, config.Weights.Lap, config.Ends.Laps, config.Ends.MaxTime = 0.1, 50, 1, 60
	judge, err := reward.New(device, reward.Source{Length: length}, config)
	check(err)
	check(judge.Bind(reward.Inputs{S: s, CheckpointPassed: passed}))
	for step := range 1000 {
		way := float32(step) - 0.5 // it begins in front of the line
		check(s.Write(ctx, []float32{wrap(way)}))
		check(passed.Write(ctx, []int32{checkpoint(way)}))
		_, err = judge.Update(ctx)
		check(err)
		outcomes, err := judge.Outcomes().Read(ctx)
		check(err)
		if outcomes.Done[0] == 1 {
			fmt.Printf("%v: lap in %.2f s, return %.1f\n", outcomes.Reasons[0], outcomes.LastLap[0], outcomes.Return[0])
			break
		}
	}
	// Output: laps done: lap in 10.00 s, return 151.0
}

// wrap returns the arc length after a way from the begin of the line.
func wrap(way float32) float32 {
	for way < 0 {
		way += 100
	}
	for way >= 100 {
		way -= 100
	}
	return way
}

// checkpoint returns the checkpoint that the car has passed in the last metre, or -1: there are two.
func checkpoint(way float32) int32 {
	switch at := wrap(way); {
	case at < 1:
		return 0
	case at >= 50 && at < 51:
		return 1
	}
	return -1
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
