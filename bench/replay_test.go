package bench

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/capture"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/checkpoint"
	"github.com/trackgen-go/trackgen/kernels/hull"
	"github.com/trackgen-go/trackgen/kernels/inflation"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
	"github.com/trackgen-go/trackgen/kernels/repulsive"
	"github.com/trackgen-go/trackgen/kernels/selection"
	"github.com/trackgen-go/trackgen/kernels/spline"
	"github.com/trackgen-go/trackgen/kernels/voronoi"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// call is one call of a kernel's Go function.
type call struct {
	run         func(first, last int32, args *kernel.Args)
	first, last int32
	args        kernel.Args
}

// calls returns the calls of kernel functions that emit causes on the CPU.
func calls(emit func()) []call {
	var mu sync.Mutex // several workers run the items of a launch
	var list []call
	for _, defs := range [][]*kernel.Def{selection.Defs, centerline.Defs, checkpoint.Defs, hull.Defs, voronoi.Defs,
		spline.Defs, repulsive.Defs, relaxation.Defs, inflation.Defs} {
		for _, def := range defs {
			run := def.Go
			def.Go = func(first, last int32, args *kernel.Args) {
				mu.Lock()
				list = append(list, call{run, first, last, *args})
				mu.Unlock()
				run(first, last, args)
			}
			defer func() { def.Go = run }()
		}
	}
	emit()
	return list
}

// BenchmarkReplay measures the overhead of replaying a caller's captured generation of one track over the kernels
// alone, called as plain functions. Both run alternately; overhead-ns is the difference of their medians.
func BenchmarkReplay(b *testing.B) {
	for _, name := range track.Generators() {
		b.Run(name, func(b *testing.B) { replayOverhead(b, name) })
	}
}

func replayOverhead(b *testing.B, name string) {
	device, err := backend.Open("cpu", backend.Scalar(true)) // calls sees the Go functions
	if err != nil {
		b.Fatal(err)
	}
	defer device.Close()
	generator, err := track.NewGenerator(device, tracktest.Config(name, 1))
	if err != nil {
		b.Fatal(err)
	}
	defer generator.Close()
	stream := device.DefaultStream()
	graph, err := capture.Of(stream, func() error { _, err := generator.Generate(context.Background()); return err })
	if err != nil {
		b.Fatal(err)
	}
	defer graph.Close()
	kernels := calls(func() { err = stream.Replay(graph) })
	if least := unconditionalLaunches(b, graph); err != nil || len(kernels) < least {
		b.Fatalf("%d calls in %d launches or more, error %v", len(kernels), least, err)
	}
	var alone, replayed []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		for i := range kernels {
			k := &kernels[i]
			k.run(k.first, k.last, &k.args)
		}
		middle := time.Now()
		if err := stream.Replay(graph); err != nil {
			b.Fatal(err)
		}
		alone, replayed = append(alone, middle.Sub(start)), append(replayed, time.Since(middle))
	}
	b.ReportMetric(float64(median(alone)), "kernels-ns")
	b.ReportMetric(float64(median(replayed)), "replay-ns")
	b.ReportMetric(float64(median(replayed)-median(alone)), "overhead-ns")
}

// unconditionalLaunches counts the launches of a graph outside of conditionals: each calls its kernel.
func unconditionalLaunches(b *testing.B, graph backend.Graph) (launches int) {
	inspector, ok := graph.(backend.Inspector)
	if !ok {
		b.Fatalf("%T cannot be inspected", graph)
	}
	for _, operation := range inspector.Operations() {
		if operation.Kind == backend.OperationLaunch {
			launches++
		}
	}
	return launches
}

func median(values []time.Duration) time.Duration {
	slices.Sort(values)
	return values[len(values)/2]
}
