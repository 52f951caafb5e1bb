package exec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
)

// launches is the number of launches per generation in the benchmarks. The difference between a benchmark of package
// exec and that of direct calls is the cost of the execution layer.
const launches = 10

// replaying is the CPU with the execution policy of a GPU.
type replaying struct{ backend.Device }

func (r replaying) Caps() backend.Caps {
	caps := r.Device.Caps()
	caps.OwnGraphs = true
	return caps
}

// step is one generation, emitted through package exec or directly.
type step struct {
	device  backend.Device
	runner  *exec.GraphRunner
	counter exec.Array[int32]
	views   []backend.View
}

func newStep(b *testing.B, device backend.Device) *step {
	runner, err := exec.NewGraphRunner(device, exec.RunnerOptions{Capturable: true})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, runner.Close()) })
	counter := newArray(b, device, int32(0))
	return &step{device: device, runner: runner, counter: counter, views: []backend.View{counter.View()}}
}

func (s *step) body(lc *exec.LaunchContext) {
	for range launches {
		count(lc, s.counter)
	}
}

func (s *step) direct(stream backend.Stream) error {
	for range launches {
		if err := stream.Launch(&countDef, backend.Launch{N: 1, Buffers: s.views}); err != nil {
			return err
		}
	}
	return nil
}

func (s *step) run(b *testing.B) func() error {
	ctx, body := b.Context(), s.body
	return func() error {
		_, err := s.runner.Run(ctx, body, exec.RunOptions{})
		return err
	}
}

func (s *step) capture(emit func() error) func() error {
	stream := s.device.DefaultStream()
	return func() error {
		if err := stream.BeginCapture(); err != nil {
			return err
		}
		if err := emit(); err != nil {
			return err
		}
		graph, err := stream.EndCapture()
		if err != nil {
			return err
		}
		return graph.Close()
	}
}

func measure(b *testing.B, once func() error) {
	b.ReportAllocs()
	for b.Loop() {
		if err := once(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGeneration(b *testing.B) {
	b.Run("eager/exec", func(b *testing.B) { measure(b, newStep(b, openCPU(b)).run(b)) })
	b.Run("eager/direct", func(b *testing.B) {
		s := newStep(b, openCPU(b))
		stream := s.device.DefaultStream()
		measure(b, func() error { return s.direct(stream) })
	})
	b.Run("recorded/exec", func(b *testing.B) {
		s := newStep(b, openCPU(b))
		measure(b, s.capture(s.run(b)))
	})
	b.Run("recorded/direct", func(b *testing.B) {
		s := newStep(b, openCPU(b))
		stream := s.device.DefaultStream()
		measure(b, s.capture(func() error { return s.direct(stream) }))
	})
	b.Run("replayed/exec", func(b *testing.B) { measure(b, newStep(b, replaying{openCPU(b)}).run(b)) })
	b.Run("replayed/direct", func(b *testing.B) {
		s := newStep(b, replaying{openCPU(b)})
		require.NoError(b, s.run(b)())
		stream, graph := s.device.DefaultStream(), s.runner.Graph()
		measure(b, func() error { return stream.Replay(graph) })
	})
}

// BenchmarkBoundedLoop runs a loop that ends after the first of ten windows.
func BenchmarkBoundedLoop(b *testing.B) {
	device := openCPU(b)
	p := newProducer(b, device, exec.RunnerOptions{Capturable: true})
	c := newCountdown(b, device, 1)
	iteration := c.iteration
	body := func(lc *exec.LaunchContext) {
		c.begin(lc)
		exec.BoundedLoop(lc, 10, iteration, exec.LoopOptions{Active: c.flag})
	}
	ctx := b.Context()
	measure(b, func() error {
		_, err := p.Run(ctx, body, exec.RunOptions{})
		return err
	})
}

// Replaying a runner's graph allocates nothing on the heap.
func TestReplayOfOwnGraphAllocatesNothing(t *testing.T) { // R20
	device := replaying{openCPU(t)}
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
	require.NoError(t, p.Prepare(t.Context(), p.body))
	ctx, body := t.Context(), p.body
	for _, key := range []any{nil, &countDef} {
		require.Zero(t, testing.AllocsPerRun(50, func() {
			if _, err := p.Run(ctx, body, exec.RunOptions{Key: key, Sync: true}); err != nil {
				t.Error(err)
			}
		}))
	}
}
