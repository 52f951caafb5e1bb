package curriculum_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/race/curriculum"
	"github.com/trackgen-go/trackgen/track"
)

// Tracks whose laps take longer and longer, for the envs of a mask.
func Example() {
	ctx := context.Background()
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	tracks, settings := track.DefaultConfig(), course.DefaultConfig()
	tracks.NumEnvs = 4
	settings.Tracks, settings.Checkpoints.Spacing = &tracks, 0.5
	loop, err := course.New(device, settings, course.WithSeed(1234))
	if err != nil {
		log.Fatal(err)
	}
	defer loop.Close()

	config := curriculum.DefaultConfig()
	config.Label, config.Tries = "lap_time", 16
	chooser, err := curriculum.New(device, tracks, curriculum.SourceOf(loop.Seeds()), config)
	if err != nil {
		log.Fatal(err)
	}
	defer chooser.Close()
	// In a training loop, kernels write the targets and the mask.
	target, _ := exec.FromSlice(device, []float32{2, 2.5, 3, 3.5})
	done, err := exec.FromSlice(device, []int32{1, 1, 0, 1})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { target.Close(); done.Close() }()
	if err := chooser.Choose(ctx, target, done); err != nil {
		log.Fatal(err)
	}
	if err := loop.Regenerate(ctx, done); err != nil { // makes the chosen tracks
		log.Fatal(err)
	}
	chosen, err := chooser.Choices().Read(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("laps of %.2f s, at the epochs %d\n", chosen.Label, chosen.Epoch)
	// Output:
	// laps of [2.15 2.73 NaN 3.46] s, at the epochs [14 3 0 13]
}
