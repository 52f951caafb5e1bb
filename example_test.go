package trackgen_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/trackgen-go/trackgen"
)

// Generate a batch and print how many of its tracks are valid.
func Example() {
	device, _ := trackgen.Open("auto")
	defer device.Close()
	config := trackgen.DefaultConfig()
	config.NumEnvs = 512
	generator, _ := trackgen.NewGenerator(device, config)
	defer generator.Close()
	batch, _ := generator.Track().Batch(context.Background())
	fmt.Printf("%d of %d tracks are valid; track 0 has %d points and is %.2f long\n",
		batch.NumValid(), batch.Envs, batch.Count[0], batch.Length[0])
	// Output: 512 of 512 tracks are valid; track 0 has 68 points and is 4.06 long
}

// A training loop: envs whose episode has ended get new tracks; all others keep theirs.
func Example_training() {
	ctx := context.Background()
	device, err := trackgen.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	config := trackgen.DefaultConfig()
	config.Generator, config.NumEnvs = trackgen.Polar, 8
	generator, err := trackgen.NewGenerator(device, config, trackgen.WithSeed(1234))
	if err != nil {
		log.Fatal(err)
	}
	defer generator.Close()
	done, err := trackgen.NewArray[int32](device, config.NumEnvs) // a simulator writes it on the device
	if err != nil {
		log.Fatal(err)
	}
	defer done.Close()

	tracks := generator.Track()
	for step := range 3 {
		ended := make([]int32, config.NumEnvs)
		ended[step] = 1
		if err := done.Write(ctx, ended); err != nil {
			log.Fatal(err)
		}
		if tracks, err = generator.Regenerate(ctx, done); err != nil {
			log.Fatal(err)
		}
		length, err := tracks.Length.Slice(step, step+1) // of this env alone
		if err != nil {
			log.Fatal(err)
		}
		values, err := length.Read(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("env %d has a new track, %.2f long\n", step, values[0])
	}
	epochs, err := tracks.Epoch.Read(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("epochs", epochs)
	// Output:
	// env 0 has a new track, 4.74 long
	// env 1 has a new track, 4.79 long
	// env 2 has a new track, 4.99 long
	// epochs [1 1 1 0 0 0 0 0]
}

// Import a measured circuit as a track with the measured widths. ReadCircuit reads a circuit from a file.
func Example_import() {
	ctx := context.Background()
	device, err := trackgen.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	c := trackgen.Circuit{Name: "Eight"}
	for i := range 60 { // a figure of eight, 8 to 12 m wide
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 60)
		c.X, c.Y = append(c.X, 200*sin), append(c.Y, 200*sin*cos)
		c.Right, c.Left = append(c.Right, 5+cos), append(c.Left, 5+cos)
	}
	tracks, err := trackgen.Import(ctx, device, trackgen.ImportOptions{Spacing: 4}, c)
	if err != nil {
		log.Fatal(err)
	}
	defer tracks.Close()
	batch, err := tracks.Batch(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v, %.0f long, %d points, crosses itself %d time\n",
		batch.Reason[0], batch.Length[0], batch.Count[0], batch.Crossings[0])
	// Other libraries can read the points on the device, at their address.
	fmt.Println(tracks.Center.Len(), "points at an address:", tracks.Center.Address() != 0)
	// Output:
	// valid, 1219 long, 305 points, crosses itself 1 time
	// 305 points at an address: true
}

// A batch on all devices of a backend. Its tracks have the bits of a batch on one device.
func ExampleNewShardedGenerator() {
	devices, err := trackgen.OpenAll("cpu:all") // or "cuda:all", or "cuda:0,cuda:1"
	if err != nil {
		log.Fatal(err)
	}
	defer func() {
		for _, device := range devices {
			_ = device.Close()
		}
	}()
	config := trackgen.DefaultConfig()
	config.NumEnvs = 8
	generator, err := trackgen.NewShardedGenerator(devices, config, trackgen.WithSeed(100))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = generator.Close() }()
	batch, err := generator.Batch(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	low, high := generator.Envs(0)
	fmt.Println(batch.Envs, "tracks, of which the first device has", low, "to", high-1)
	// Output: 8 tracks, of which the first device has 0 to 7
}
