package collision_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// benchEnvs and benchBoxes are those of the benchmarks: 4096 boxes, on one core.
const (
	benchEnvs  = 256
	benchBoxes = 16
)

// benchScene has boxes spread over a field of the given half width.
func benchScene(width float32) boxScene {
	r := rand.New(rand.NewPCG(1, 1))
	place := func() float32 { return (r.Float32()*2 - 1) * width }
	var s boxScene
	for range benchEnvs * benchBoxes {
		sin, cos := math.Sincos(r.Float64() * 7)
		s.position = append(s.position, kernel.V3(place(), place(), 0))
		s.turn = append(s.turn, kernel.Quat{Z: float32(sin), W: float32(cos)})
		s.half = append(s.half, kernel.V2(0.04, 0.02))
	}
	return s
}

// report runs a query and reports the time of a box.
func report(b *testing.B, boxes int, query func() error) {
	b.Helper()
	require.NoError(b, query())
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, query())
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(boxes), "ns/box")
}

func BenchmarkDiscs(b *testing.B) {
	device, scene := coursetest.OpenCPU(b, backend.Workers(1)), benchScene(1)
	for _, discs := range []int{1, 16, 64} {
		for _, swept := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d discs swept=%v", discs, swept), func(b *testing.B) {
				r := rand.New(rand.NewPCG(2, 2))
				places := drawn(r, benchEnvs*discs, func(r *rand.Rand) kernel.Vec3 {
					return kernel.V3(r.Float32()*2-1, r.Float32()*2-1, 0)
				})
				d, err := collision.NewDiscs(device,
					collision.DiscSource{Envs: benchEnvs, Discs: coursetest.Upload(b, device, places)},
					collision.DiscConfig{Boxes: benchBoxes, Radius: 0.03, Swept: swept})
				require.NoError(b, err)
				defer func() { require.NoError(b, d.Close()) }()
				require.NoError(b, d.Bind(boxInputsOf(b, device, scene).boxes))
				report(b, len(scene.position), func() error { _, err := d.Query(context.Background()); return err })
			})
		}
	}
}

// The agents of an env are spread over the area of a track. "crowd" has all of them within reach of each other.
func BenchmarkAgents(b *testing.B) {
	device := coursetest.OpenCPU(b, backend.Workers(1))
	for name, width := range map[string]float32{"track": 1, "crowd": 0.05} {
		for _, boxes := range []int{2, 16, 64} {
			b.Run(fmt.Sprintf("%s %d boxes", name, boxes), func(b *testing.B) {
				scene := benchScene(width)
				a, err := collision.NewAgents(device,
					collision.AgentConfig{Envs: len(scene.position) / boxes, Boxes: boxes, Swept: true})
				require.NoError(b, err)
				defer func() { require.NoError(b, a.Close()) }()
				require.NoError(b, a.Bind(boxInputsOf(b, device, scene).boxes))
				report(b, len(scene.position), func() error { _, err := a.Query(context.Background()); return err })
			})
		}
	}
}

// fieldOf bakes the fields of tracks with points at the given spacing.
func fieldOf(b *testing.B, device backend.Device, spacing float64,
	c collision.FieldConfig) (field *collision.Field, points float64) {
	b.Helper()
	tracks := tracktest.Config(track.Bezier, benchEnvs)
	tracks.Output.Spacing, tracks.Output.MaxPoints = spacing, 1024
	g, err := track.NewGenerator(device, tracks)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, g.Close()) })
	f, err := collision.NewField(device, collision.BordersOf(g.Track()), c)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, f.Close()) })
	batch, err := g.Track().Batch(context.Background())
	require.NoError(b, err)
	for _, n := range batch.Count {
		points += float64(n) / benchEnvs
	}
	return f, points
}

func BenchmarkFieldQuery(b *testing.B) {
	device, scene := coursetest.OpenCPU(b, backend.Workers(1)), benchScene(1)
	for _, spacing := range []float64{0.08, 0.01} {
		f, points := fieldOf(b, device, spacing, collision.FieldConfig{Boxes: benchBoxes, Resolution: 64})
		b.Run(fmt.Sprintf("%.0f points", points), func(b *testing.B) {
			inputs := boxInputsOf(b, device, scene)
			report(b, len(scene.position), func() error {
				_, err := f.QueryBoxes(context.Background(), inputs.boxes)
				return err
			})
		})
	}
}

// BenchmarkFieldBake bakes 256 fields of 64*64 cells on one core. kernels/distancefield has the scan to compare with.
func BenchmarkFieldBake(b *testing.B) {
	device := coursetest.OpenCPU(b, backend.Workers(1))
	for _, spacing := range []float64{0.08, 0.01} {
		f, points := fieldOf(b, device, spacing, collision.FieldConfig{Resolution: 64})
		b.Run(fmt.Sprintf("%.0f points", points), func(b *testing.B) {
			for b.Loop() {
				require.NoError(b, f.Refresh(context.Background()))
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/benchEnvs, "µs/env")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchEnvs/64/64, "ns/cell")
		})
	}
}
