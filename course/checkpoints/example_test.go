package checkpoints_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/track"
)

func Example() {
	ctx := context.Background()
	device, err := backend.Open("cpu")
	check(err)
	config := track.DefaultConfig()
	config.NumEnvs = 2
	generator, err := track.NewGenerator(device, config, track.WithSeed(1))
	check(err)
	source := checkpoints.SourceOf(generator.Track())
	sampler, err := checkpoints.NewSampler(device, source, checkpoints.Config{Spacing: 0.5})
	check(err)
	set, err := sampler.Set().Read(ctx)
	check(err)
	fmt.Println("checkpoints of each track:", set.Count, "of at most", set.MaxCheckpoints)
	// Output: checkpoints of each track: [9 9] of at most 15
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
