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
	config := track.DefaultConfig()
	config.NumEnvs = 4
	generator, err := track.NewGenerator(device, config, track.WithSeed(1234))
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

// With candidates, an env whose track is not valid draws again. Candidate is the number of the draw that was kept.
func ExampleConfig_candidates() {
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	for _, candidates := range []int{1, 4} {
		config := track.DefaultConfig()
		config.Generator, config.NumEnvs, config.Candidates = track.Hull, 512, candidates
		generator, err := track.NewGenerator(device, config)
		if err != nil {
			log.Fatal(err)
		}
		batch, err := generator.Track().Batch(context.Background())
		if err != nil {
			log.Fatal(err)
		}
		again := 0
		for _, kept := range batch.Candidate {
			if kept > 0 {
				again++
			}
		}
		fmt.Println(batch.NumValid(), "valid tracks,", again, "of them drawn again")
		if err := generator.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// 506 valid tracks, 0 of them drawn again
	// 512 valid tracks, 6 of them drawn again
}

// In a mixed batch, two envs in three draw bezier loops of different sizes, and the others draw polar ones. The
// component of the last env is given.
func ExampleWithComponents() {
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	config := track.DefaultConfig()
	config.Generator, config.NumEnvs = track.Mixed, 6
	sizes := config.NewComponent(2, track.Bezier)
	sizes.Bezier.StyleSampling, sizes.Bezier.ScaleRange = true, track.Range{Min: 0.8, Max: 1.5}
	config.Mix = []track.Component{sizes, config.NewComponent(1, track.Polar)}
	generator, err := track.NewGenerator(device, config, track.WithComponents([]int32{-1, -1, -1, -1, -1, 1}))
	if err != nil {
		log.Fatal(err)
	}
	defer generator.Close()
	batch, err := generator.Track().Batch(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for e, k := range batch.Component {
		fmt.Println("env", e, "is", config.Mix[k].Generator)
	}
	// Output:
	// env 0 is polar
	// env 1 is bezier
	// env 2 is bezier
	// env 3 is polar
	// env 4 is polar
	// env 5 is polar
}

// In a training loop, envs whose episode has ended get new tracks; all others keep theirs.
func ExampleGenerator_Regenerate() {
	ctx := context.Background()
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	config := track.DefaultConfig()
	config.NumEnvs = 4
	generator, err := track.NewGenerator(device, config)
	if err != nil {
		log.Fatal(err)
	}
	defer generator.Close()

	done, err := exec.FromSlice(device, []int32{0, 1, 0, 1}) // a simulator writes this array on the device
	if err != nil {
		log.Fatal(err)
	}
	defer done.Close()
	tracks, err := generator.Regenerate(ctx, done)
	if err != nil {
		log.Fatal(err)
	}
	batch, err := tracks.Batch(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("epochs", batch.Epoch)
	// Output: epochs [0 1 0 1]
}

// Import makes a measured circuit a track with the measured widths. Package circuit reads such circuits from files.
func ExampleImport() {
	ctx := context.Background()
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	var c track.Circuit
	for i := range 60 { // a figure of eight, 8 to 12 m wide
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 60)
		c.X, c.Y = append(c.X, 200*sin), append(c.Y, 200*sin*cos)
		c.Right, c.Left = append(c.Right, 5+cos), append(c.Left, 5+cos)
	}
	tracks, err := track.Import(ctx, device, track.ImportOptions{}, c)
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

// A survey says where the road of a circuit has no room, and what TrimInner would cut.
func ExampleSurveyCircuit() {
	var c track.Circuit
	for i := range 60 { // an ellipse whose ends, of radius 5, are too tight for 7 m of road inside
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 60)
		c.X, c.Y = append(c.X, 80*cos), append(c.Y, 20*sin)
		c.Right, c.Left = append(c.Right, 7), append(c.Left, 7)
	}
	survey, err := track.SurveyCircuit(track.ImportOptions{}, c)
	if err != nil {
		log.Fatal(err)
	}
	bend := survey.Sharpest
	fmt.Printf("radius %.1f with %.0f of road inside, %.0f along, at %.0f, %.0f\n", bend.Radius, bend.Inner, bend.At,
		bend.X, bend.Y)
	survey, err = track.SurveyCircuit(track.ImportOptions{TrimInner: true}, c)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d points have no room after cuts of up to %.1f\n", survey.SharpPoints, survey.LargestCut)
	// Output:
	// radius 4.8 with 7 of road inside, 172 along, at -80, 0
	// 0 points have no room after cuts of up to 2.4
}
