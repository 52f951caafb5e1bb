package circuit_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"strings"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/all"
	"github.com/trackgen-go/trackgen/circuit"
	"github.com/trackgen-go/trackgen/track"
)

// Read a file and make a track from it that can be used like a generated one.
func Example() {
	file := "# x_m,y_m,w_tr_right_m,w_tr_left_m\n"
	for i := range 36 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 36)
		file += fmt.Sprintf("%.3f,%.3f,6,%.3f\n", 150*cos, 100*sin, 4+sin)
	}
	c, err := circuit.Read("ring.csv", strings.NewReader(file), circuit.Options{}) // or circuit.ReadFile
	if err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	tracks, err := track.Import(ctx, device, track.ImportOptions{Spacing: 5}, c.Circuit)
	if err != nil {
		log.Fatal(err)
	}
	defer tracks.Close()
	batch, err := tracks.Batch(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: %.0f m, %d points, %.2f m wide at the start\n",
		batch.Reason[0], batch.Length[0], batch.Count[0], batch.WidthRight[0]+batch.WidthLeft[0])
	// Output: valid: 793 m, 159 points, 10.00 m wide at the start
}
