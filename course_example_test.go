package trackgen_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen"
)

// Record the regenerations before a step and the step once, and replay them: each car drives along its centreline, and
// gets a new track after two checkpoints. docs/course.md begins with it.
func ExampleNewCourse() {
	ctx := context.Background()
	device, err := trackgen.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()

	tracks := trackgen.DefaultConfig()
	tracks.NumEnvs = 3
	config := trackgen.DefaultCourseConfig()
	config.Tracks, config.Checkpoints.Spacing, config.Collision.Method = &tracks, 0.6, trackgen.CollisionSegments
	course, err := trackgen.NewCourse(device, config, trackgen.WithSeed(1234))
	if err != nil {
		log.Fatal(err)
	}
	defer course.Close()

	// A simulator on the device would write these arrays.
	position, _ := trackgen.FromSlice(device, make([]trackgen.Vec3, 3))
	orientation, _ := trackgen.FromSlice(device, []trackgen.Quat{{W: 1}, {W: 1}, {W: 1}})
	half, _ := trackgen.FromSlice(device, []trackgen.Vec2{{X: 0.04, Y: 0.02}, {X: 0.04, Y: 0.02}, {X: 0.04, Y: 0.02}})
	done, err := trackgen.FromSlice(device, make([]int32, 3))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { position.Close(); orientation.Close(); half.Close(); done.Close() }()
	inputs := trackgen.CourseInputs{Position: position, Orientation: orientation, HalfExtents: half}
	if err := course.Bind(inputs); err != nil {
		log.Fatal(err)
	}

	stream := device.CurrentStream()
	if err := stream.BeginCapture(); err != nil {
		log.Fatal(err)
	}
	if err := course.Regenerate(ctx, done); err != nil {
		log.Fatal(err)
	}
	signals, err := course.Step(ctx)
	if err != nil {
		log.Fatal(err)
	}
	graph, err := stream.EndCapture()
	if err != nil {
		log.Fatal(err)
	}
	defer graph.Close()

	for step := range 60 {
		batch, err := course.Source().Tracks.Batch(ctx)
		if err != nil {
			log.Fatal(err)
		}
		cars, ended := make([]trackgen.Vec3, 3), make([]int32, 3)
		for e := range cars {
			points := batch.Points(batch.Center, e)
			cars[e] = points[(step-2+len(points))%len(points)]
		}
		host, err := signals.Read(ctx)
		if err != nil {
			log.Fatal(err)
		}
		for e, passed := range host.Events.Progress {
			if passed == 2 {
				ended[e] = 1
			}
		}
		if position.Write(ctx, cars) != nil || done.Write(ctx, ended) != nil || stream.Replay(graph) != nil {
			log.Fatal("the loop has failed")
		}
	}
	epochs, err := course.Seeds().Epoch().Read(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("tracks finished:", epochs)
	// Output: tracks finished: [1 1 1]
}
