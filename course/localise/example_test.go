package localise_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/course/localise"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
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
	config.NumEnvs = 1
	generator, err := track.NewGenerator(device, config, track.WithSeed(1234))
	if err != nil {
		log.Fatal(err)
	}
	defer generator.Close()
	localiser, err := localise.New(device, localise.SourceOf(generator.Track()), localise.DefaultConfig())
	if err != nil {
		log.Fatal(err)
	}
	defer localiser.Close()

	position, err := exec.FromSlice(device, []kernel.Vec3{{X: 0.3, Y: 0.2}}) // a simulator would write it
	if err != nil {
		log.Fatal(err)
	}
	defer position.Close()
	if err := localiser.Bind(position); err != nil {
		log.Fatal(err)
	}
	if err := localiser.Locate(ctx); err != nil { // in every step
		log.Fatal(err)
	}
	batch, err := localiser.Frames().Read(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f along the track, %.2f to the right\n", batch.S[0], batch.N[0])
	// Output: 4.66 along the track, 0.29 to the right
}
