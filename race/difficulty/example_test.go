package difficulty_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/race/difficulty"
	"github.com/trackgen-go/trackgen/race/raceline"
	"github.com/trackgen-go/trackgen/track"
)

func Example() {
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	config := track.DefaultConfig()
	config.NumEnvs = 4
	generator, err := track.NewGenerator(device, config, track.WithSeed(1234))
	if err != nil {
		log.Fatal(err)
	}
	defer generator.Close()
	lines, err := raceline.New(device, raceline.SourceOf(generator.Track()), raceline.DefaultConfig())
	if err != nil {
		log.Fatal(err)
	}
	defer lines.Close()

	source := difficulty.SourceOf(generator.Track(), lines.Line())
	assessor, err := difficulty.New(device, source, difficulty.DefaultConfig())
	if err != nil {
		log.Fatal(err)
	}
	defer assessor.Close()
	batch, err := assessor.Labels().Read(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for e := range batch.Envs {
		fmt.Printf("a lap of %.2f s, %d corners, %d of them hairpins\n",
			batch.LapTime[e], batch.Corners[e], batch.Hairpins[e])
	}
	// Output:
	// a lap of 2.82 s, 3 corners, 2 of them hairpins
	// a lap of 2.22 s, 4 corners, 2 of them hairpins
	// a lap of 3.12 s, 6 corners, 2 of them hairpins
	// a lap of 3.52 s, 6 corners, 3 of them hairpins
}
