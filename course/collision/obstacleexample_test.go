package collision_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// Two cars, one metre long and half a metre wide, change places in one step.
func ExampleNewAgents() {
	device, err := backend.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	checker, err := collision.NewAgents(device, collision.AgentConfig{Envs: 1, Boxes: 2, Swept: true})
	if err != nil {
		log.Fatal(err)
	}
	defer checker.Close()
	position, _ := exec.FromSlice(device, []kernel.Vec3{{X: -4}, {X: 4}})
	orientation, _ := exec.FromSlice(device, []kernel.Quat{{W: 1}, {W: 1}})
	half, _ := exec.FromSlice(device, []kernel.Vec2{{X: 0.5, Y: 0.25}, {X: 0.5, Y: 0.25}})
	defer position.Close()
	defer orientation.Close()
	defer half.Close()
	boxes := collision.Boxes{Position: position, Orientation: orientation, HalfExtents: half}
	if err := checker.Bind(boxes); err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	for _, places := range [][]kernel.Vec3{{{X: -4}, {X: 4}}, {{X: 4}, {X: -4}}} {
		if err := position.Write(ctx, places); err != nil {
			log.Fatal(err)
		}
		contacts, err := checker.Query(ctx) // eager, recorded into a capture, or replayed
		if err != nil {
			log.Fatal(err)
		}
		host, err := contacts.Read(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("distance", host.Distance[0], "hit", host.Hit[0], "first contact", host.FirstContact[0])
	}
	// Output:
	// distance 7 hit 0 first contact NaN
	// distance 7 hit 0 first contact 0.4375
}
