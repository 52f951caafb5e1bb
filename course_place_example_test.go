package trackgen_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/course/localise"
)

// Four cars on the grid of an imported circuit.
func ExampleNewCourseOver() {
	ctx := context.Background()
	device, err := trackgen.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()

	// An ellipse in metres. trackgen.ReadCircuit reads circuits from files.
	var ellipse trackgen.Circuit
	for i := range 100 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 100)
		ellipse.X, ellipse.Y = append(ellipse.X, 200*cos), append(ellipse.Y, 100*sin)
	}
	tracks, err := trackgen.Import(ctx, device, trackgen.ImportOptions{HalfWidth: 6}, ellipse)
	if err != nil {
		log.Fatal(err)
	}
	defer tracks.Close()

	config := trackgen.DefaultCourseConfig()
	config.Agents, config.Checkpoints.Spacing, config.Localize.Enabled = 4, 50, true
	course, err := trackgen.NewCourseOver(device, trackgen.CourseSource{Tracks: tracks}, config)
	if err != nil {
		log.Fatal(err)
	}
	defer course.Close()

	// Two columns of cars, behind the start: how far along the line, to its right, and above it.
	s, _ := trackgen.FromSlice(device, []float32{-4, -8, -12, -16})
	n, _ := trackgen.FromSlice(device, []float32{-2, 2, -2, 2})
	up, _ := trackgen.FromSlice(device, make([]float32, 4))
	position, _ := trackgen.FromSlice(device, make([]trackgen.Vec3, 4))
	orientation, err := trackgen.FromSlice(device, make([]trackgen.Quat, 4))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { s.Close(); n.Close(); up.Close(); position.Close(); orientation.Close() }()
	at, to := localise.Spots{S: s, N: n, NUp: up}, localise.Poses{Position: position, Orientation: orientation}
	all := trackgen.Array[int32]{} // or a mask
	if err := course.Localiser().Place(ctx, at, to, all); err != nil {
		log.Fatal(err)
	}

	if err := course.Bind(trackgen.CourseInputs{Position: position}); err != nil {
		log.Fatal(err)
	}
	signals, err := course.Step(ctx)
	if err != nil {
		log.Fatal(err)
	}
	host, err := signals.Read(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("place:", host.Events.Place)
	fmt.Printf("along: %.0f\n", host.Places.S)
	// Output:
	// place: [1 2 3 4]
	// along: [965 961 957 953]
}
