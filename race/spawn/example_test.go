package spawn_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/spawn"
	"github.com/trackgen-go/trackgen/track"
)

// Four cars of each track begin anywhere along it, apart from each other, up to half of the room beside the centreline.
func Example() {
	ctx := context.Background()
	device, err := backend.Open("cpu")
	check(err)
	tracks := track.DefaultConfig()
	tracks.NumEnvs = 2
	generator, err := track.NewGenerator(device, tracks, track.WithSeed(1))
	check(err)

	config := spawn.DefaultConfig()
	config.Agents, config.Mode, config.Lateral = 4, spawn.Anywhere, spawn.Range{Min: -0.5, Max: 0.5}
	spawner, err := spawn.New(device, spawn.SourceOf(generator.Track()), config)
	check(err)
	position, err := exec.NewArray[kernel.Vec3](device, 8)
	check(err)
	orientation, err := exec.NewArray[kernel.Quat](device, 8)
	check(err)
	check(spawner.Bind(spawn.Agents{Position: position, Orientation: orientation}))
	check(spawner.Spawn(ctx, exec.Array[int32]{}))
	spots, err := spawner.Spots().Read(ctx)
	check(err)
	fmt.Printf("%.2f\n%.3f\n", spots.S[:4], spots.N[:4])
	// Output:
	// [2.90 3.63 0.52 1.11]
	// [-0.029 -0.034 -0.041 0.016]
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
