package line_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/gate"
)

func Example() {
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	config := gate.DefaultConfig()
	config.NumEnvs = 4
	generator, err := gate.NewGenerator(device, config, gate.WithSeed(1234))
	if err != nil {
		log.Fatal(err)
	}
	defer generator.Close()

	sampler, err := line.New(device, line.SourceOf(generator.Sequence()), line.DefaultConfig())
	if err != nil {
		log.Fatal(err)
	}
	defer sampler.Close()
	lines, err := sampler.Line().Read(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the first line has", lines.Count[0], "points and is", lines.Length[0], "long")
	// Output: the first line has 96 points and is 4.9919677 long
}
