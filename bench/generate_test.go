// Package bench holds the benchmarks of whole generations.
package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/all"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/capture"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// BenchmarkGenerate measures one generation, including the wait, on every device of this machine; the CPU backend uses
// all cores. It also reports tracks per second (in total, and on the CPU per worker), the number of operations of a
// generation, and its heap allocations. "trackgen bench" measures the same and more within a given time.
func BenchmarkGenerate(b *testing.B) {
	for _, driver := range backend.Devices() {
		for _, device := range driver.Devices {
			for _, name := range track.Generators() {
				for _, envs := range sizes(device, name) {
					b.Run(fmt.Sprintf("%s/%s/E=%d", device.Name, name, envs),
						func(b *testing.B) { generate(b, device.Name, name, envs, 0) })
				}
			}
		}
	}
}

// sizes returns the numbers of tracks to measure, limited to what a device generates in seconds.
func sizes(device backend.Info, generator string) []int {
	switch {
	case generator == track.Repulsive:
		return []int{1, 64}
	case device.Software:
		return []int{1, 64, 512}
	default:
		return []int{1, 64, 512, 4096}
	}
}

// BenchmarkWorkers measures how a generation of 512 tracks scales with the workers.
func BenchmarkWorkers(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) { generate(b, "cpu", track.Bezier, 512, workers) })
	}
}

func generate(b *testing.B, deviceName, name string, envs, workers int) {
	ctx := context.Background()
	device, err := backend.Open(deviceName, backend.Workers(workers))
	if err != nil {
		b.Fatal(err)
	}
	defer device.Close()
	generator, err := track.NewGenerator(device, tracktest.Config(name, envs))
	if err != nil {
		b.Fatal(err)
	}
	defer generator.Close()
	operations := recorded(b, device, generator)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := generator.Generate(ctx); err != nil {
			b.Fatal(err)
		}
		if err := device.DefaultStream().Sync(); err != nil {
			b.Fatal(err)
		}
	}
	perSecond := float64(envs) * float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(perSecond, "tracks/s")
	if workers := device.Info().Workers; workers > 0 {
		b.ReportMetric(perSecond/float64(workers), "tracks/s/core")
	}
	b.ReportMetric(float64(operations), "operations/op")
}

// recorded counts the operations of one generation by recording them.
func recorded(b *testing.B, device backend.Device, generator *track.Generator) int {
	graph, err := capture.Of(device.DefaultStream(), func() error {
		_, err := generator.Generate(context.Background())
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	defer graph.Close()
	return graph.Nodes()
}

// BenchmarkRegenerate measures a regeneration by mask: 4096 envs, of which the given fraction is masked.
func BenchmarkRegenerate(b *testing.B) {
	const envs = 4096
	ctx := context.Background()
	for _, percent := range []int{0, 1, 10, 100} {
		b.Run(fmt.Sprintf("masked=%d%%", percent), func(b *testing.B) {
			device, err := backend.Open("cpu")
			if err != nil {
				b.Fatal(err)
			}
			defer device.Close()
			generator, err := track.NewGenerator(device, tracktest.Config(track.Bezier, envs))
			if err != nil {
				b.Fatal(err)
			}
			defer generator.Close()
			values := make([]int32, envs)
			for e := range values {
				if e*percent%100 < percent && percent > 0 {
					values[e] = 1
				}
			}
			mask, err := exec.FromSlice(device, values)
			if err != nil {
				b.Fatal(err)
			}
			defer mask.Close()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := generator.Regenerate(ctx, mask); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
