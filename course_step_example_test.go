package trackgen_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen"
)

// One step: four cars stand at the start of their tracks, and one of them beside the road.
func ExampleCourse_Step() {
	ctx := context.Background()
	device, err := trackgen.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()

	tracks := trackgen.DefaultConfig()
	tracks.NumEnvs = 4
	config := trackgen.DefaultCourseConfig()
	config.Tracks, config.Checkpoints.Spacing, config.Collision.Method = &tracks, 0.6, trackgen.CollisionSegments
	course, err := trackgen.NewCourse(device, config, trackgen.WithSeed(7)) // makes the tracks, too
	if err != nil {
		log.Fatal(err)
	}
	defer course.Close()

	batch, err := course.Source().Tracks.Batch(ctx)
	if err != nil {
		log.Fatal(err)
	}
	cars, upright, size := make([]trackgen.Vec3, 4), make([]trackgen.Quat, 4), make([]trackgen.Vec2, 4)
	for e := range cars {
		cars[e], upright[e], size[e] = batch.Points(batch.Center, e)[0], trackgen.Quat{W: 1}, trackgen.Vec2{X: 0.04, Y: 0.02}
	}
	cars[2].X += 0.5

	// In a training loop, the simulator writes these arrays.
	position, _ := trackgen.FromSlice(device, cars)
	orientation, _ := trackgen.FromSlice(device, upright)
	half, err := trackgen.FromSlice(device, size)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { position.Close(); orientation.Close(); half.Close() }()
	inputs := trackgen.CourseInputs{Position: position, Orientation: orientation, HalfExtents: half}
	if err := course.Bind(inputs); err != nil {
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
	fmt.Println("next checkpoint:", host.Events.NextCheckpoint)
	fmt.Println("out of bounds:", host.Contacts.OutOfBounds)
	fmt.Printf("distance from the border: %.3f\n", host.Contacts.Distance)
	// Output:
	// next checkpoint: [0 0 0 0]
	// out of bounds: [0 0 1 0]
	// distance from the border: [0.054 0.054 -0.080 0.067]
}
