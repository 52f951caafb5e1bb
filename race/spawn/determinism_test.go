package spawn_test

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/race/spawn"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// scene is a spawner, and what it must have written so far.
type scene struct {
	config  spawn.Config
	lines   lines
	half    []kernel.Vec2
	epoch   []int32
	want    []pose
	spawner *spawn.Spawner
	agents  spawn.Agents
}

func newScene(t *testing.T, device backend.Device, c spawn.Config, widths bool, with ...spawn.Option) *scene {
	t.Helper()
	l := winding(9, 60, widths)
	s := &scene{config: c, lines: l, half: boxes(9*c.Agents, true), epoch: make([]int32, 9)}
	s.spawner = newSpawner(t, device, l.upload(t, device), c, with...)
	s.agents = newAgents(t, device, s.half)
	s.want = make([]pose, 9*c.Agents)
	for i := range s.want {
		s.want[i].spot = nowhere().spot
	}
	return s
}

// expect notes a spawn of the envs of a mask.
func (s *scene) expect(mask []int32) {
	for e := range s.epoch {
		if mask[e] == 0 {
			continue
		}
		s.epoch[e]++
		for a := range s.config.Agents {
			i := e*s.config.Agents + a
			s.want[i] = s.lines.spawned(s.config, e, a, int32(s.config.Seed+e), s.epoch[e], s.half[i])
		}
	}
}

func (s *scene) check(t *testing.T, name string) {
	t.Helper()
	coursetest.SameBits(t, name, numbers(s.want), numbers(read(t, s.spawner, s.agents)))
}

// masks are those of the spawns of a test.
var masks = [][]int32{
	{1, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 0, 0, -4, 0, 1, 0, 0, 0}, {1, 1, 0, 0, 1, 0, 2, 0, 7},
	{0, 1, 0, 0, 0, 0, 0, 0, 0},
}

// checkRuns checks that a device gives the bits of the rules in every way to run: eager, again, recorded and replayed.
func checkRuns(t *testing.T, device backend.Device, c spawn.Config, widths bool) {
	t.Helper()
	ctx := context.Background()
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	s := newScene(t, device, c, widths, spawn.WithStream(stream))
	s.check(t, "before the first spawn")
	mask := coursetest.Upload(t, device, masks[0])
	require.NoError(t, s.spawner.Bind(s.agents))
	for range 2 {
		require.NoError(t, s.spawner.Spawn(ctx, zero))
		s.expect(masks[0])
		s.check(t, "all envs")
	}
	for _, values := range masks {
		require.NoError(t, mask.Write(ctx, values))
		require.NoError(t, s.spawner.Spawn(ctx, mask))
		s.expect(values)
		s.check(t, "by mask")
	}
	require.NoError(t, stream.BeginCapture())
	require.NoError(t, s.spawner.Spawn(ctx, mask))
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	for _, values := range masks {
		require.NoError(t, mask.Write(ctx, values))
		require.NoError(t, stream.Replay(graph))
		s.expect(values)
		s.check(t, "replayed")
	}
	lc, err := exec.For(ctx, device, exec.DefaultStream(stream))
	require.NoError(t, err)
	s.spawner.EnqueueSpawn(lc, mask)
	require.NoError(t, lc.Err())
	s.expect(masks[len(masks)-1])
	s.check(t, "enqueued")
}

func TestRunsAreEqual(t *testing.T) {
	for _, workers := range []int{1, 3} {
		for _, c := range configs() {
			checkRuns(t, coursetest.OpenCPU(t, backend.Workers(workers)), c, true)
			checkRuns(t, coursetest.OpenCPU(t, backend.Workers(workers)), c, false)
		}
	}
}

// No two items of a launch touch the same element, in any order of the items: kernelgen cannot prove it.
func TestTwinsFindNoRace(t *testing.T) {
	for _, seed := range []uint64{1, 2} {
		for _, c := range configs() {
			checkRuns(t, coursetest.OpenCPU(t, backend.Debug(true), backend.DebugSeed(seed)), c, seed == 1)
		}
	}
}

// Spawns allocate nothing.
func TestHotMethodsAllocateNothing(t *testing.T) {
	ctx, device, c := context.Background(), coursetest.OpenCPU(t, backend.Workers(1)), configs()["grid level"]
	free, bound := newScene(t, device, c, true), newScene(t, device, c, true)
	mask := coursetest.Upload(t, device, masks[2])
	require.NoError(t, bound.spawner.Bind(bound.agents))
	call := func() error {
		if err := bound.spawner.Spawn(ctx, mask); err != nil {
			return err
		}
		if err := bound.spawner.Spawn(ctx, zero); err != nil {
			return err
		}
		return free.spawner.SpawnAt(ctx, free.agents, mask)
	}
	require.NoError(t, call())
	require.Zero(t, testing.AllocsPerRun(20, func() {
		if err := call(); err != nil {
			t.Fatal(err)
		}
	}))
}

// Spawns pass the guards of package exectest.
func TestHotMethodsOnAGuardedDevice(t *testing.T) {
	device := exectest.Instrument(coursetest.OpenCPU(t))
	s := newScene(t, device, configs()["anywhere pitched"], true)
	mask := coursetest.Upload(t, device, masks[2])
	require.NoError(t, s.spawner.Bind(s.agents))
	guard := exectest.HotPath(device, exectest.Options{})
	err := guard.Do(context.Background(), func(ctx context.Context) error { return s.spawner.Spawn(ctx, mask) })
	require.NoError(t, err)
	require.NoError(t, guard.Err())
}

// The work passes every check of package exectest as a stage, behind stages that make tracks from the seeds. The seeds
// are those of the tracks.
func TestStageKeepsTheContract(t *testing.T) {
	const agents = 4
	stage := pipeline.StageFunc("spawn", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		var source spawn.Source
		var err [6]error
		source.Center, err[0] = pipeline.Input[kernel.Vec3](b, "center")
		source.Arclen, err[1] = pipeline.Input[float32](b, "arclen")
		source.Length, err[2] = pipeline.Input[float32](b, "length")
		source.Count, err[3] = pipeline.Input[int32](b, "count")
		source.Seed = b.Seed()
		source.Epoch = coursetest.Upload(t, b.Device(), make([]int32, b.Envs()))
		var to spawn.Agents
		to.Position, err[4] = pipeline.Output[kernel.Vec3](b, "position", agents)
		to.Orientation, err[5] = pipeline.Output[kernel.Quat](b, "orientation", agents)
		for _, e := range err {
			if e != nil {
				return nil, e
			}
		}
		c := configs()["anywhere level"]
		c.Agents = agents
		spawner, failed := spawn.New(b.Device(), source, c)
		if failed != nil {
			return nil, failed
		}
		t.Cleanup(func() { assert.NoError(t, spawner.Close()) })
		return func(lc *exec.LaunchContext) { spawner.EnqueueSpawnAt(lc, to, zero) }, nil
	})
	tracks := func(envs int) ([]exec.Stage, error) { return track.Stages(tracktest.Config(track.Bezier, envs)) }
	exectest.CheckStage(t, coursetest.Behind(tracks, stage),
		exectest.Config{Devices: []backend.Device{coursetest.OpenCPU(t)}})
}

// Different spawners are independent. Calls of one spawner at the same time are refused, and corrupt nothing.
func TestSpawnersAtOnce(t *testing.T) {
	ctx, device, c := context.Background(), coursetest.OpenCPU(t), configs()["anywhere level"]
	shared := newScene(t, device, c, true)
	scenes := []*scene{newScene(t, device, c, true), newScene(t, device, c, true), newScene(t, device, c, true)}
	var all sync.WaitGroup
	for _, own := range scenes {
		all.Go(func() {
			for range 5 {
				assert.NoError(t, own.spawner.SpawnAt(ctx, own.agents, zero))
				if err := shared.spawner.SpawnAt(ctx, shared.agents, zero); err != nil {
					assert.ErrorIs(t, err, exec.ErrConcurrentUse)
				}
			}
		})
	}
	all.Wait()
	for _, own := range scenes {
		for range 5 {
			own.expect(masks[0])
		}
		own.check(t, "own")
	}
}

// The bits are those of every earlier version and processor, also where the compiler may fuse multiplications and
// additions.
func TestFrozenSpots(t *testing.T) {
	hash, all := uint64(14695981039346656037), configs()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := newScene(t, coursetest.OpenCPU(t), all[name], true)
		require.NoError(t, s.spawner.SpawnAt(t.Context(), s.agents, zero))
		for _, x := range numbers(read(t, s.spawner, s.agents)) {
			hash = (hash ^ uint64(kernel.Float32Bits(x))) * 1099511628211
		}
	}
	require.EqualValues(t, uint64(0x2f326d41fe7adc30), hash)
}
