package trackgen_test

import (
	"context"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/all"
	"github.com/trackgen-go/trackgen/track"
)

func Example() {
	device, _ := backend.Open("auto")
	defer device.Close()
	config := track.DefaultConfig()
	config.NumEnvs = 512
	generator, _ := track.NewGenerator(device, config)
	defer generator.Close()
	tracks, _ := generator.Generate(context.Background())
	batch, _ := tracks.Batch(context.Background())
	fmt.Printf("%d of %d tracks are valid; track 0 has %d points and is %.2f long\n",
		batch.NumValid(), batch.Envs, batch.Count[0], batch.Length[0])
	// Output: 512 of 512 tracks are valid; track 0 has 68 points and is 4.06 long
}
