package progress_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/course/progress"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/track"
)

// A car drives along the centreline, from point to point, for one lap and a bit.
func Example() {
	ctx := context.Background()
	device, err := backend.Open("cpu")
	check(err)
	config := track.DefaultConfig()
	config.NumEnvs = 1
	generator, err := track.NewGenerator(device, config, track.WithSeed(1))
	check(err)
	source := checkpoints.SourceOf(generator.Track())
	sampler, err := checkpoints.NewSampler(device, source, checkpoints.Config{Spacing: 0.5})
	check(err)
	tracker, err := progress.NewTracker(device, sampler.Set(), progress.Config{})
	check(err)

	batch, err := generator.Track().Batch(ctx)
	check(err)
	position, err := exec.FromSlice(device, batch.Center[:1])
	check(err)
	check(tracker.Bind(position))
	points := int(batch.Count[0])
	for step := range points + 4 {
		point := (step + points - 1) % points
		check(position.Write(ctx, batch.Center[point:point+1]))
		_, err = tracker.Update(ctx)
		check(err)
	}
	events, err := tracker.Events().Read(ctx)
	check(err)
	fmt.Printf("laps %d, checkpoints %d, next %d\n", events.Laps[0], events.Progress[0], events.NextCheckpoint[0])
	// Output: laps 1, checkpoints 10, next 1
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
