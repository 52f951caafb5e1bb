package rangefinder_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/rangefinder"
)

// everything is a configuration in which every kernel runs.
func everything(perEnv int) rangefinder.Config {
	c := rangefinder.DefaultConfig()
	c.Agents, c.Beams, c.SeeAgents, c.Sigma, c.Dropout, c.Range, c.Seed = perEnv, 37, true, 0.02, 0.05, 20, 7
	return c
}

// inCPU returns the scans of several updates on the CPU, with one worker.
func (s scene) inCPU(t *testing.T, c rangefinder.Config, updates int) (list []*rangefinder.Batch) {
	t.Helper()
	device := coursetest.OpenCPU(t, backend.Workers(1))
	finder, err := rangefinder.New(device, s.source(t, device, true), c)
	require.NoError(t, err)
	defer func() { require.NoError(t, finder.Close()) }()
	require.NoError(t, finder.Bind(s.inputs(t, device)))
	for range updates {
		require.NoError(t, finder.Update(t.Context()))
		b, err := finder.Scans().Read(t.Context())
		require.NoError(t, err)
		list = append(list, b)
	}
	return list
}

// checkEverything checks that a device gives the bits of the CPU with one worker, where every kernel runs: bound, for
// each call, recorded and replayed.
func checkEverything(t *testing.T, device backend.Device, s scene, c rangefinder.Config) {
	t.Helper()
	ctx := t.Context()
	want := s.inCPU(t, c, 4)
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	finder, err := rangefinder.New(device, s.source(t, device, true), c, rangefinder.WithStream(stream))
	require.NoError(t, err)
	defer func() { require.NoError(t, finder.Close()) }()
	same := func(name string, want *rangefinder.Batch) {
		t.Helper()
		got, err := finder.Scans().Read(ctx)
		require.NoError(t, err)
		coursetest.SameBits(t, name, want.Distance, got.Distance)
		require.Equal(t, want.Hit, got.Hit, name)
	}
	inputs := s.inputs(t, device)
	require.NoError(t, finder.UpdateAt(ctx, inputs))
	same("per call", want[0])
	require.NoError(t, finder.Bind(inputs))
	require.NoError(t, finder.Update(ctx))
	same("bound", want[1])
	require.NoError(t, stream.BeginCapture())
	require.NoError(t, finder.Update(ctx))
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	for k := 2; k < 4; k++ {
		require.NoError(t, stream.Replay(graph))
		same("replayed", want[k])
	}
	clone, err := finder.Scans().Clone(ctx)
	require.NoError(t, err)
	defer func() { require.NoError(t, clone.Close()) }()
	require.NoError(t, finder.Reset(ctx, exec.Array[int32]{}))
	require.NoError(t, finder.Update(ctx))
	same("reset", want[0])
	copied, err := clone.Read(ctx)
	require.NoError(t, err)
	require.Equal(t, want[3].Hit, copied.Hit)
}

// checkRefresh checks that a refresh has the same bits in every way to run.
func checkRefresh(t *testing.T, device backend.Device) {
	t.Helper()
	ctx, r := t.Context(), rand.New(rand.NewPCG(51, 1))
	s, other := road(r, 5, 20, 2), adverse(r, 5, 20, 2, true)
	other.position, other.orientation, other.half = s.position, s.orientation, s.half
	c := rangefinder.DefaultConfig()
	c.Agents, c.Beams = 2, 20
	source := s.source(t, device, false)
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	finder, err := rangefinder.New(device, source, c, rangefinder.WithStream(stream))
	require.NoError(t, err)
	defer func() { require.NoError(t, finder.Close()) }()
	inputs := s.inputs(t, device)
	rows := func(list []float32) [][]float32 { return slices.Collect(slices.Chunk(list, c.Agents*c.Beams)) }
	want := func(s scene) [][]float32 {
		var list []float32
		for i := range s.position {
			for _, b := range s.beams(c, i) {
				distance, _ := s.walls(b, i/c.Agents, float32(c.Range))
				list = append(list, distance)
			}
		}
		return rows(list)
	}
	coursetest.CheckRefresh(t, coursetest.Refresh{Device: device, Stream: stream, Of: finder,
		Rows: func() [][]float32 {
			require.NoError(t, finder.UpdateAt(ctx, inputs))
			b, err := finder.Scans().Read(ctx)
			require.NoError(t, err)
			return rows(b.Distance)
		},
		Want: want(s),
		Change: func() [][]float32 {
			require.NoError(t, source.Borders.Inner.Write(ctx, other.inner))
			require.NoError(t, source.Borders.Outer.Write(ctx, other.outer))
			require.NoError(t, source.Borders.Count.Write(ctx, other.count))
			return want(other)
		}})
}

// checkDevice checks that a device gives the bits of the rules and of the CPU.
func checkDevice(t *testing.T, device backend.Device) {
	t.Helper()
	r := rand.New(rand.NewPCG(52, 1))
	for _, c := range configs(2) {
		checkWalls(t, device, adverse(r, 3, 20, 2, true), c)
	}
	checkRefresh(t, device)
	checkEverything(t, device, road(r, 3, 30, 3), everything(3))
	body := everything(3)
	body.Frame, body.PlaceZ = rangefinder.Body, 0.1
	tilted := adverse(r, 4, 12, 3, true)
	for i := range tilted.orientation {
		tilted.orientation[i] = kernel.Quat{X: float32(r.NormFloat64()), Y: 0.3, Z: float32(r.NormFloat64()), W: 0.4}
	}
	checkEverything(t, device, tilted, body)
}

func TestRunsAreEqual(t *testing.T) {
	for _, workers := range []int{1, 3} {
		checkDevice(t, coursetest.OpenCPU(t, backend.Workers(workers)))
	}
}

// In debug mode every launch runs the instrumented twin, which detects races, bad indices and bad divisions. It must
// find none, and the results must have the same bits.
func TestKernelsInDebugMode(t *testing.T) { checkDevice(t, coursetest.OpenCPU(t, backend.Debug(true))) }

// The index of a checker gives the bits of an index of its own.
func TestIndexOfAChecker(t *testing.T) {
	device, s := coursetest.OpenCPU(t), road(rand.New(rand.NewPCG(53, 1)), 4, 30, 2)
	c := rangefinder.DefaultConfig()
	c.Agents = 2
	source := s.source(t, device, false)
	checker, err := collision.NewBorders(device, source.Borders, collision.BordersConfig{})
	require.NoError(t, err)
	defer func() { require.NoError(t, checker.Close()) }()
	shared := rangefinder.Source{Envs: 4, Checker: checker.Arrays()}
	require.Equal(t, s.scan(t, device, source, c), s.scan(t, device, shared, c))
}

// No finite input gives a NaN, and no input gives a range that is negative or too long.
func TestRangesAreNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(54, 1))
	for _, frame := range []string{rangefinder.Level, rangefinder.Body} {
		for range 10 {
			s, c := adverse(r, 6, 30, 3, true), everything(3)
			c.Frame = frame
			for i, x := range s.inCPU(t, c, 1)[0].Distance {
				p := s.position[i/c.Beams]
				if math.IsNaN(float64(x)) {
					require.False(t, kernel.Abs(p.X) <= 1e25, "%v", p)
					continue
				}
				require.GreaterOrEqual(t, x, float32(0))
				require.LessOrEqual(t, x, float32(c.Range))
			}
		}
	}
}

// The hot methods allocate nothing and wait for nothing, on a device that is watched.
func TestHotMethods(t *testing.T) {
	ctx, s := t.Context(), road(rand.New(rand.NewPCG(55, 1)), 2, 20, 2)
	device := exectest.Instrument(coursetest.OpenCPU(t))
	source, inputs, mask := s.source(t, device, true), s.inputs(t, device), coursetest.Upload(t, device, []int32{1, 0})
	bound, err := rangefinder.New(device, source, everything(2))
	require.NoError(t, err)
	defer func() { require.NoError(t, bound.Close()) }()
	free, err := rangefinder.New(device, source, everything(2))
	require.NoError(t, err)
	defer func() { require.NoError(t, free.Close()) }()
	require.NoError(t, bound.Bind(inputs))
	calls := map[string]func(ctx context.Context) error{
		"update":         bound.Update,
		"update at":      func(ctx context.Context) error { return free.UpdateAt(ctx, inputs) },
		"reset":          func(ctx context.Context) error { return bound.Reset(ctx, mask) },
		"refresh":        bound.Refresh,
		"refresh masked": func(ctx context.Context) error { return bound.RefreshMasked(ctx, mask) },
	}
	for name, call := range calls {
		require.NoError(t, call(ctx)) // remembers the work
		require.NoError(t, exectest.HotPath(device, exectest.Options{}).Do(ctx, call), name)
		if testing.CoverMode() == "" {
			assert.Zero(t, testing.AllocsPerRun(20, func() { _ = call(ctx) }), name)
		}
	}
}

// The schema has no mistake.
func TestSchema(t *testing.T) { require.NoError(t, rangefinder.Schema.Err()) }
