package track_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/all"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/track"
)

func Example() {
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	generator, err := track.NewGenerator(device, track.Config{NumEnvs: 4}, track.WithSeed(1234))
	if err != nil {
		log.Fatal(err)
	}
	defer generator.Close()

	batch, err := generator.Track().Batch(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(batch.NumValid(), "valid tracks, the first", batch.Length[0], "long, of", batch.Count[0], "points")
	// Output: 4 valid tracks, the first 4.856038 long, of 82 points
}

// In a training loop, the envs whose episode has ended get new tracks and the others keep theirs.
func ExampleGenerator_Regenerate() {
	ctx := context.Background()
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	generator, err := track.NewGenerator(device, track.Config{NumEnvs: 4})
	if err != nil {
		log.Fatal(err)
	}
	defer generator.Close()

	done, err := exec.FromSlice(device, []int32{0, 1, 0, 1}) // an agent's simulator writes this array on the device
	if err != nil {
		log.Fatal(err)
	}
	defer done.Close()
	tracks, err := generator.Regenerate(ctx, done, true)
	if err != nil {
		log.Fatal(err)
	}
	batch, err := tracks.Batch(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("epochs", batch.Epochs)
	// Output: epochs [0 1 0 1]
}

// A measured circuit becomes a track with the width of each place. Package circuit reads such circuits from files.
func ExampleFromCenterline() {
	ctx := context.Background()
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	var c track.Centerline
	for i := range 60 { // a figure of eight, 8 to 12 m wide
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 60)
		c.X, c.Y = append(c.X, 200*sin), append(c.Y, 200*sin*cos)
		c.Right, c.Left = append(c.Right, 5+cos), append(c.Left, 5+cos)
	}
	tracks, err := track.FromCenterline(ctx, device, track.Measured{}, c)
	if err != nil {
		log.Fatal(err)
	}
	defer tracks.Close()

	batch, err := tracks.Batch(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v, %.0f long, crosses itself %d time\n", batch.Reason[0], batch.Length[0], batch.Crossings[0])
	// Output: valid, 1219 long, crosses itself 1 time
}
