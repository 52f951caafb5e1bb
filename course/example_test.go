package course_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// Four cars stand on the first points of their tracks, and one of them beside the road.
func Example() {
	ctx := context.Background()
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	tracks := track.DefaultConfig()
	tracks.NumEnvs = 4
	config := course.DefaultConfig()
	config.Tracks, config.Checkpoints.Spacing, config.Collision.Method = &tracks, 0.6, course.Segments
	c, err := course.New(device, config, course.WithSeed(1234))
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	batch, err := c.Source().Tracks.Batch(ctx)
	if err != nil {
		log.Fatal(err)
	}
	cars := make([]kernel.Vec3, 4)
	for e := range cars {
		cars[e] = batch.Points(batch.Center, e)[0]
	}
	cars[2].X += 0.5
	position, _ := exec.FromSlice(device, cars)
	orientation, _ := exec.FromSlice(device, []kernel.Quat{{W: 1}, {W: 1}, {W: 1}, {W: 1}})
	half, err := exec.FromSlice(device, []kernel.Vec2{{X: 0.04, Y: 0.02}, {X: 0.04, Y: 0.02}, {X: 0.04, Y: 0.02},
		{X: 0.04, Y: 0.02}})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { position.Close(); orientation.Close(); half.Close() }()
	if err := c.Bind(course.Inputs{Position: position, Orientation: orientation, HalfExtents: half}); err != nil {
		log.Fatal(err)
	}

	signals, err := c.Step(ctx)
	if err != nil {
		log.Fatal(err)
	}
	host, err := signals.Read(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("out of bounds:", host.Contacts.OutOfBounds)
	fmt.Println("next checkpoint:", host.Events.NextCheckpoint)
	done, err := exec.FromSlice(device, host.Contacts.OutOfBounds)
	if err != nil {
		log.Fatal(err)
	}
	defer done.Close()
	if err := c.Regenerate(ctx, done); err != nil { // a new track for the car beside the road
		log.Fatal(err)
	}
	// Output:
	// out of bounds: [0 0 1 0]
	// next checkpoint: [0 0 0 0]
}
