package collision_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

func ExampleBorders() {
	ctx := context.Background()
	device, err := backend.Open("cpu")
	must(err)
	config := track.DefaultConfig()
	config.NumEnvs = 2
	generator, err := track.NewGenerator(device, config, track.WithSeed(1))
	must(err)
	tracks, err := generator.Track().Batch(ctx)
	must(err)
	first, second := tracks.Points(tracks.Center, 0)[0], tracks.Points(tracks.Outer, 1)[3]
	position, err := exec.FromSlice(device, []kernel.Vec3{first, second})
	must(err)
	orientation, err := exec.FromSlice(device, []kernel.Quat{{W: 1}, {W: 1}})
	must(err)
	halfExtents, err := exec.FromSlice(device, []kernel.Vec2{{X: 0.05, Y: 0.02}, {X: 0.05, Y: 0.02}})
	must(err)

	checker, err := collision.NewBorders(device, collision.BordersOf(generator.Track()), collision.BordersConfig{})
	must(err)
	must(checker.Bind(collision.Boxes{Position: position, Orientation: orientation, HalfExtents: halfExtents}))
	contacts, err := checker.Query(ctx)
	must(err)
	host, err := contacts.Read(ctx)
	must(err)
	fmt.Println("out of bounds:", host.OutOfBounds)
	fmt.Println("nearest border:", host.Boundary)
	// Output:
	// out of bounds: [0 1]
	// nearest border: [1 1]
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
