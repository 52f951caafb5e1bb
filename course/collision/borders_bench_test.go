package collision_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// BenchmarkBorders asks about 65,536 boxes on roads of 84 and of 840 points. "moving" asks about boxes that have moved
// a little since the query before, "anywhere" about boxes that may be anywhere on the road.
func BenchmarkBorders(b *testing.B) {
	const envs, boxes, scenes = 256, 256, 4
	for _, method := range []string{collision.ByIndex, collision.ByScan} {
		for _, points := range []int{84, 840} {
			device, draw := coursetest.OpenCPU(b, backend.Workers(1)), rand.New(rand.NewPCG(1, 2))
			r := &roads{stride: points}
			for range envs {
				r.winding(draw, points, 1)
			}
			source := r.source(b, device)
			var moving, anywhere []boxInputs
			s := r.onRoad(draw, boxes, 0.4)
			for range scenes {
				anywhere = append(anywhere, boxInputsOf(b, device, r.onRoad(draw, boxes, 0.4)))
				for i := range s.position {
					s.position[i] = s.position[i].Add(kernel.V3(draw.Float32()-0.5, draw.Float32()-0.5, 0).Scale(0.02))
				}
				moving = append(moving, boxInputsOf(b, device, s))
			}
			for _, way := range []struct {
				name   string
				inputs []boxInputs
				swept  bool
			}{{"moving", moving, false}, {"anywhere", anywhere, false}, {"swept", moving, true}} {
				b.Run(fmt.Sprintf("%s/%d/%s", method, points, way.name), func(b *testing.B) {
					c := bordersOf(b, device, source, collision.BordersConfig{Boxes: boxes, Method: method, Swept: way.swept})
					i := 0
					for b.Loop() {
						_, err := c.QueryBoxes(context.Background(), way.inputs[i%scenes].boxes)
						require.NoError(b, err)
						i++
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/envs/boxes, "ns/box")
				})
			}
		}
	}
}
