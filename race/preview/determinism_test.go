package preview_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/race/preview"
)

// overwrite copies other lines to the arrays of a source.
func (l lines) overwrite(t *testing.T, s preview.Source) {
	t.Helper()
	ctx := t.Context()
	require.NoError(t, s.Center.Write(ctx, l.center))
	require.NoError(t, s.Outer.Write(ctx, l.outer))
	require.NoError(t, s.Inner.Write(ctx, l.inner))
	require.NoError(t, s.Arclen.Write(ctx, l.arclen))
	require.NoError(t, s.Length.Write(ctx, l.length))
	require.NoError(t, s.Winding.Write(ctx, l.winding))
	require.NoError(t, s.Count.Write(ctx, l.count))
	require.NoError(t, s.Curvature.Write(ctx, l.curvature))
	require.NoError(t, s.Speed.Write(ctx, l.speed))
}

// checkRuns checks that a device gives the bits of the rules in every way to run.
func checkRuns(t *testing.T, device backend.Device) {
	t.Helper()
	const envs, perEnv = 5, 3
	ctx, r := t.Context(), rand.New(rand.NewPCG(31, 1))
	l, other := roads(r, envs, 12, false), roads(r, envs, 12, true)
	source, c := l.upload(t, device), configs(r, perEnv)[3]
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	p, err := preview.New(device, source, c, preview.WithStream(stream))
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	who := somewhere(r, l, perEnv, false)
	inputs := who.upload(t, device)
	rows := func(list []float32) (rows [][]float32) {
		for e := range envs {
			n := len(list) / envs
			rows = append(rows, list[e*n:][:n])
		}
		return rows
	}
	read := func() []float32 {
		b, err := p.Observations().Read(ctx)
		require.NoError(t, err)
		return b.Values
	}
	for range 2 { // the first call is eager, later ones may replay a graph
		require.NoError(t, p.UpdateAt(ctx, inputs))
		coursetest.SameBits(t, "per call", l.observe(c, who, true), read())
	}
	require.NoError(t, p.Bind(inputs))
	coursetest.CheckRefresh(t, coursetest.Refresh{Device: device, Stream: stream, Of: p,
		Rows: func() [][]float32 {
			require.NoError(t, p.Update(ctx))
			return rows(read())
		},
		Want: rows(l.observe(c, who, true)),
		Change: func() [][]float32 {
			other.overwrite(t, source)
			return rows(other.observe(c, who, true))
		}})
	require.NoError(t, p.Refresh(ctx))
	clone, err := p.Observations().Clone(ctx)
	require.NoError(t, err)
	defer func() { require.NoError(t, clone.Close()) }()

	require.NoError(t, stream.BeginCapture())
	require.NoError(t, p.Update(ctx))
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	for range 2 {
		who = somewhere(r, l, perEnv, true)
		require.NoError(t, inputs.Position.Write(ctx, who.position))
		require.NoError(t, inputs.Orientation.Write(ctx, who.orientation))
		require.NoError(t, inputs.S.Write(ctx, who.s))
		require.NoError(t, stream.Replay(graph))
		coursetest.SameBits(t, "replayed", other.observe(c, who, true), read())
	}
	copied, err := clone.Read(ctx)
	require.NoError(t, err)
	require.NotEqual(t, read(), copied.Values)
}

func TestRunsAreEqual(t *testing.T) {
	for _, workers := range []int{1, 3} {
		checkRuns(t, coursetest.OpenCPU(t, backend.Workers(workers)))
	}
}

// In debug mode every launch runs the instrumented twin, which detects races, bad indices and bad divisions. It must
// find none, and the results must have the same bits.
func TestKernelsInDebugMode(t *testing.T) {
	device := coursetest.OpenCPU(t, backend.Debug(true))
	checkRuns(t, device)
	checkGates(t, device)
}

// The hot methods allocate nothing and wait for nothing, on a device that is watched.
func TestHotMethods(t *testing.T) {
	ctx, r := t.Context(), rand.New(rand.NewPCG(32, 1))
	device := exectest.Instrument(coursetest.OpenCPU(t))
	l := roads(r, 2, 20, false)
	source, who := l.upload(t, device), somewhere(r, l, 1, false)
	bound, err := preview.New(device, source, preview.DefaultConfig())
	require.NoError(t, err)
	defer func() { require.NoError(t, bound.Close()) }()
	free, err := preview.New(device, source, preview.DefaultConfig())
	require.NoError(t, err)
	defer func() { require.NoError(t, free.Close()) }()
	gates, err := preview.NewGates(device, gatesFor(r, 2, 4).upload(t, device), preview.DefaultGateConfig())
	require.NoError(t, err)
	defer func() { require.NoError(t, gates.Close()) }()
	inputs, mask := who.upload(t, device), coursetest.Upload(t, device, []int32{1, 0})
	toGates := preview.GateInputs{Position: inputs.Position, Orientation: inputs.Orientation,
		Target: coursetest.Upload(t, device, who.target)}
	require.NoError(t, bound.Bind(inputs))
	calls := map[string]func(ctx context.Context) error{
		"update":         bound.Update,
		"update at":      func(ctx context.Context) error { return free.UpdateAt(ctx, inputs) },
		"gates":          func(ctx context.Context) error { return gates.UpdateAt(ctx, toGates) },
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
func TestSchema(t *testing.T) { require.NoError(t, preview.Schema.Err()) }

// emitted returns the error of what emit does on a launch context.
func emitted(t *testing.T, device backend.Device, emit func(lc *exec.LaunchContext)) error {
	t.Helper()
	lc, err := exec.For(t.Context(), device)
	require.NoError(t, err)
	emit(lc)
	return lc.Err()
}
