package layers_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/export/layers"
	"github.com/trackgen-go/trackgen/track"
)

func Example() {
	ctx := context.Background()
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	generator, err := track.NewGenerator(device, track.DefaultConfig(), track.WithSeed(7))
	if err != nil {
		log.Fatal(err)
	}
	defer generator.Close()
	batch, err := generator.Track().Batch(ctx)
	if err != nil {
		log.Fatal(err)
	}

	config := layers.DefaultConfig()
	config.Layers = []layers.Layer{layers.Checkpoints, layers.Field}
	answers, err := layers.Tracks(ctx, device, batch, config)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := export.WritePNG(&file, batch, export.Picture{Layers: answers}); err != nil {
		log.Fatal(err)
	}
	fmt.Println("a picture with", len(answers[0].Checkpoints), "checkpoints")
	// Output: a picture with 16 checkpoints
}
