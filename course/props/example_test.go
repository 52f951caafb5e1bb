package props_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/course/props"
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
	settings := props.DefaultConfig()
	settings.Spacing, settings.Mode = 0.5, props.Segments
	sampler, err := props.NewSampler(device, props.SourceOf(generator.Track()), settings)
	check(err)
	barriers, err := sampler.Props().Read(ctx)
	check(err)
	fmt.Println("pieces of barrier along each track:", barriers.Count, "of at most", barriers.MaxProps)
	// Output: pieces of barrier along each track: [11 10] of at most 17
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
