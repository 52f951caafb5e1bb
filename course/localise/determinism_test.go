package localise_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/localise"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// hilly is a configuration of tracks with heights.
func hilly(envs int) track.Config {
	return tracktest.Config(track.Bezier, envs, func(c *track.Config) {
		c.Elevation.Profile, c.Elevation.Min, c.Elevation.Max = "random_walk", -0.3, 0.3
		c.Elevation.MaxStep = 0.4
	})
}

func linesOf(b *track.Batch) lines {
	return lines{center: b.Center, arclen: b.Arclen, length: b.Length, count: b.Count}
}

// loop is a localiser in a training loop, beside the reference.
type loop struct {
	t         *testing.T
	random    *rand.Rand
	tracks    *track.Generator
	localiser *localise.Localiser
	want      *reference
	position  exec.Array[kernel.Vec3]
	mask      exec.Array[int32]
}

// lines returns the tracks as they are.
func (l *loop) lines() lines {
	batch, err := l.tracks.Track().Batch(l.t.Context())
	require.NoError(l.t, err)
	return linesOf(batch)
}

// move moves the agents, and returns where they are.
func (l *loop) move() []kernel.Vec3 {
	positions := make([]kernel.Vec3, l.position.Len())
	for i := range positions {
		positions[i] = placed(l.random, l.want.lines, i/l.want.agents)
	}
	require.NoError(l.t, l.position.Write(l.t.Context(), positions))
	return positions
}

// step moves the agents, runs a step and compares it with the reference.
func (l *loop) step(name string, run func() error) {
	l.t.Helper()
	positions := l.move()
	require.NoError(l.t, run(), name)
	l.t.Log(name)
	requireSame(l.t, l.want.locate(positions), framesOf(l.t, l.localiser))
}

// setMask writes the mask.
func (l *loop) setMask(mask ...int32) []int32 {
	require.NoError(l.t, l.mask.Write(l.t.Context(), mask))
	return mask
}

// checkRuns checks that a device gives the bits of the reference in every way to run: eager, again, recorded and
// replayed with a reset and a masked refresh in the same graph.
func checkRuns(t *testing.T, device backend.Device, window int) {
	t.Helper()
	const envs, agents = 5, 3
	ctx := t.Context()
	tracks, err := track.NewGenerator(device, hilly(envs))
	require.NoError(t, err)
	defer func() { require.NoError(t, tracks.Close()) }()
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	localiser, err := localise.New(device, localise.SourceOf(tracks.Track()),
		localise.Config{Agents: agents, WarmWindow: window}, localise.WithStream(stream))
	require.NoError(t, err)
	defer func() { require.NoError(t, localiser.Close()) }()
	l := &loop{t: t, random: rand.New(rand.NewPCG(1, uint64(window))), tracks: tracks, localiser: localiser,
		position: coursetest.Upload(t, device, make([]kernel.Vec3, envs*agents)),
		mask:     coursetest.Upload(t, device, make([]int32, envs))}
	l.want = newReference(l.lines(), agents, window)
	for range 2 { // the first call is eager, later ones may replay a graph
		l.step("per call", func() error { return localiser.LocateAt(ctx, l.position) })
	}
	require.NoError(t, localiser.Bind(l.position))
	for range 3 {
		l.step("bound", func() error { return localiser.Locate(ctx) })
	}
	clone, err := localiser.Frames().Clone(ctx)
	require.NoError(t, err)
	defer func() { require.NoError(t, clone.Close()) }()
	before := framesOf(t, localiser)

	l.want.reset(l.setMask(0, 1, 0, 1, 0))
	require.NoError(t, localiser.Reset(ctx, l.mask))
	l.step("reset", func() error { return localiser.Locate(ctx) })
	require.NoError(t, tracks.SetEpoch(ctx, 1))
	_, err = tracks.Generate(ctx)
	require.NoError(t, err)
	other := l.lines()
	l.regenerate(other, l.setMask(0, 0, 1, 9, 0))
	require.NoError(t, localiser.RefreshMasked(ctx, l.mask))
	l.step("masked refresh", func() error { return localiser.Locate(ctx) })
	l.checkReplays(stream, other)
	copied, err := clone.Read(ctx)
	require.NoError(t, err)
	requireSame(t, before, frames{s: copied.S, n: copied.N, up: copied.NUp, segment: copied.Segment,
		memory: copied.Memory})
}

// checkReplays records a refresh by mask, a search and a reset, and replays them with several masks. other are the
// lines of the envs that a refresh reads.
func (l *loop) checkReplays(stream backend.Stream, other lines) {
	l.t.Helper()
	t, ctx, localiser := l.t, l.t.Context(), l.localiser
	require.NoError(t, stream.BeginCapture())
	require.NoError(t, localiser.RefreshMasked(ctx, l.mask))
	require.NoError(t, localiser.Locate(ctx))
	require.NoError(t, localiser.Reset(ctx, l.mask))
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	for _, mask := range [][]int32{{0, 0, 0, 0, 0}, {1, 0, 0, 0, 0}, {0, 0, 1, 0, 1}} {
		l.regenerate(other, l.setMask(mask...))
		positions := l.move()
		require.NoError(t, stream.Replay(graph))
		want := l.want.locate(positions)
		l.want.reset(mask)
		want.memory = slices.Clone(l.want.memory)
		requireSame(t, want, framesOf(t, localiser))
	}
}

// regenerate gives the reference the other lines where the mask is not 0, and resets their agents.
func (l *loop) regenerate(other lines, mask []int32) {
	is := &l.want.lines
	is.center, is.arclen = slices.Clone(is.center), slices.Clone(is.arclen)
	is.length, is.count = slices.Clone(is.length), slices.Clone(is.count)
	for e, chosen := range mask {
		if chosen != 0 {
			low, high := e*is.stride(), (e+1)*is.stride()
			copy(is.center[low:high], other.center[low:high])
			copy(is.arclen[low:high], other.arclen[low:high])
			is.length[e], is.count[e] = other.length[e], other.count[e]
		}
	}
	l.want.reset(mask)
}

func TestRunsAreEqual(t *testing.T) {
	for _, workers := range []int{1, 3} {
		for _, window := range []int{0, 2} {
			checkRuns(t, coursetest.OpenCPU(t, backend.Workers(workers)), window)
		}
	}
}

// The hot methods allocate nothing and wait for nothing, on a device that is watched.
func TestHotMethods(t *testing.T) {
	ctx := t.Context()
	device := exectest.Instrument(coursetest.OpenCPU(t))
	l := lines{center: winding(84, 1), count: []int32{84}}.measured()
	localiser := newLocaliser(t, device, l, 4, 0)
	position, mask := coursetest.Upload(t, device, winding(4, 2)), coursetest.Upload(t, device, []int32{1})
	at := newLocaliser(t, device, l, 4, 0)
	require.NoError(t, localiser.Bind(position))
	calls := map[string]func(ctx context.Context) error{
		"locate":         localiser.Locate,
		"locate at":      func(ctx context.Context) error { return at.LocateAt(ctx, position) },
		"reset":          func(ctx context.Context) error { return localiser.Reset(ctx, mask) },
		"refresh":        localiser.Refresh,
		"refresh masked": func(ctx context.Context) error { return localiser.RefreshMasked(ctx, mask) },
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
func TestSchema(t *testing.T) { require.NoError(t, localise.Schema.Err()) }
