package track_test

import (
	"context"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/all"
	"github.com/trackgen-go/trackgen/track"
)

func Example() {
	device, _ := backend.Open("cpu")
	defer device.Close()
	generator, _ := track.NewGenerator(device, track.Config{NumEnvs: 4}, track.WithSeed(1234))
	defer generator.Close()

	tracks, _ := generator.Generate(context.Background())
	batch, _ := tracks.Batch(context.Background())
	fmt.Println(batch.NumValid(), "valid tracks, the first", batch.Length[0], "long, of", batch.Count[0], "points")
	// Output: 4 valid tracks, the first 4.856038 long, of 82 points
}
