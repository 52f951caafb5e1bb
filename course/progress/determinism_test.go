package progress_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/progress"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/pipeline"
)

// script is what happens in the steps of a test: positions, and the mask of the reset before each of them.
type script struct {
	position [][]kernel.Vec3
	mask     [][]int32
}

func scriptOf(agents, steps int) script {
	r, set := rand.New(rand.NewPCG(7, uint64(agents))), courses()
	var s script
	for step := range steps {
		mask := make([]int32, set.Envs)
		if step%3 == 2 {
			mask[r.IntN(len(mask))], mask[r.IntN(len(mask))] = 1, -4
		}
		s.mask, s.position = append(s.mask, mask), append(s.position, positions(r, set, agents))
	}
	return s
}

// checkRuns checks that a device gives the bits of the rules in every way to run: eager, again, recorded and replayed.
func checkRuns(t *testing.T, device backend.Device, agents int) {
	t.Helper()
	ctx, set, s := context.Background(), courses(), scriptOf(agents, 9)
	want := newReference(set, agents)
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	tracker, err := progress.NewTracker(device, upload(t, device, set), progress.Config{Agents: agents},
		progress.WithStream(stream))
	require.NoError(t, err)
	defer func() { require.NoError(t, tracker.Close()) }()
	position, mask := coursetest.Upload(t, device, s.position[0]), coursetest.Upload(t, device, s.mask[0])
	require.NoError(t, tracker.Bind(position))
	step := func(i int, run func()) {
		t.Helper()
		require.NoError(t, position.Write(ctx, s.position[i]))
		require.NoError(t, mask.Write(ctx, s.mask[i]))
		run()
		for a := range s.position[i] {
			if s.mask[i][a/agents] != 0 {
				want.reset(a)
			}
		}
		want.update(s.position[i])
		e, state := read(t, tracker)
		require.Equal(t, words(&want.events, &want.state), words(e, state), "%d agents, step %d", agents, i)
	}
	call := func() {
		require.NoError(t, tracker.Reset(ctx, mask))
		_, err := tracker.Update(ctx)
		require.NoError(t, err)
	}
	for i := range 4 { // the first calls are eager, later ones may replay a graph
		step(i, call)
	}
	require.NoError(t, stream.BeginCapture())
	call()
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	for i := 4; i < 8; i++ {
		step(i, func() { require.NoError(t, stream.Replay(graph)) })
	}
	step(8, func() {
		lc, err := exec.For(ctx, device, exec.DefaultStream(stream))
		require.NoError(t, err)
		tracker.EnqueueReset(lc, mask)
		tracker.EnqueueUpdate(lc)
		require.NoError(t, lc.Err())
	})
}

func TestRunsAreEqual(t *testing.T) {
	for _, workers := range []int{1, 3} {
		for _, agents := range []int{1, 3, 33} {
			checkRuns(t, coursetest.OpenCPU(t, backend.Workers(workers)), agents)
		}
	}
}

// No two items of a launch touch the same element, in any order of the items: kernelgen cannot prove it.
func TestTwinsFindNoRace(t *testing.T) {
	for _, seed := range []uint64{1, 2} {
		for _, agents := range []int{1, 3, 33} {
			checkRuns(t, coursetest.OpenCPU(t, backend.Debug(true), backend.DebugSeed(seed)), agents)
		}
	}
}

// A regeneration resets the agents of its envs, by the list of them.
func TestResetOfAList(t *testing.T) {
	ctx, device, set := context.Background(), coursetest.OpenCPU(t, backend.Debug(true)), courses()
	tracker, s := newTracker(t, device, upload(t, device, set), 3), scriptOf(3, 1)
	_, err := tracker.UpdateAt(ctx, coursetest.Upload(t, device, s.position[0]))
	require.NoError(t, err)
	total := make([]int32, set.Envs*3)
	for i := range total {
		total[i] = int32(i + 1)
	}
	require.NoError(t, tracker.State().Total.Write(ctx, total))
	list := make([]int32, set.Envs+1)
	list[0], list[1], list[2], list[3] = 2, 6, 1, 4 // the last one is not among the first two
	lc, err := exec.For(ctx, device)
	require.NoError(t, err)
	tracker.EnqueueResetEnvs(lc, coursetest.Upload(t, device, list))
	require.NoError(t, lc.Err())
	_, state := read(t, tracker)
	for i := range total {
		if e := i / 3; e == 1 || e == 6 {
			total[i] = 0
			require.True(t, isNaN(state.Previous[i]))
		}
	}
	require.Equal(t, total, state.Total)
}

// Updates and resets allocate nothing.
func TestHotMethodsAllocateNothing(t *testing.T) {
	for _, agents := range []int{1, 4} {
		ctx, device, set := context.Background(), coursetest.OpenCPU(t, backend.Workers(1)), courses()
		s := scriptOf(agents, 1)
		source := upload(t, device, set)
		free, bound := newTracker(t, device, source, agents), newTracker(t, device, source, agents)
		position, mask := coursetest.Upload(t, device, s.position[0]), coursetest.Upload(t, device, s.mask[0])
		require.NoError(t, bound.Bind(position))
		step := func(ctx context.Context) error {
			if err := bound.Reset(ctx, mask); err != nil {
				return err
			}
			if err := bound.Reset(ctx, zero); err != nil {
				return err
			}
			if _, err := bound.Update(ctx); err != nil {
				return err
			}
			_, err := free.UpdateAt(ctx, position)
			return err
		}
		require.NoError(t, step(ctx))
		require.Zero(t, testing.AllocsPerRun(20, func() {
			if err := step(ctx); err != nil {
				t.Fatal(err)
			}
		}))
	}
}

// Updates and resets pass the guards of package exectest.
func TestHotMethodsOnAGuardedDevice(t *testing.T) {
	device, set, s := exectest.Instrument(coursetest.OpenCPU(t)), courses(), scriptOf(2, 1)
	tracker := newTracker(t, device, upload(t, device, set), 2)
	position, mask := coursetest.Upload(t, device, s.position[0]), coursetest.Upload(t, device, s.mask[0])
	require.NoError(t, tracker.Bind(position))
	guard := exectest.HotPath(device, exectest.Options{})
	err := guard.Do(context.Background(), func(ctx context.Context) error {
		if err := tracker.Reset(ctx, mask); err != nil {
			return err
		}
		_, err := tracker.Update(ctx)
		return err
	})
	require.NoError(t, err)
	require.NoError(t, guard.Err())
}

// The work passes every check of package exectest as a stage: reset by mask, updates, and a copy of the events.
func TestStageKeepsTheContract(t *testing.T) {
	stage := pipeline.StageFunc("progress", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		const agents = 2
		full := ring(5)
		envs := make([][]gate, b.Envs())
		for e := range envs {
			envs[e] = full[:e%6]
		}
		set := setOf(5, envs...)
		tracker, err := progress.NewTracker(b.Device(), upload(t, b.Device(), set), progress.Config{Agents: agents})
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { assert.NoError(t, tracker.Close()) })
		r := rand.New(rand.NewPCG(3, 3))
		var steps []exec.Array[kernel.Vec3]
		for range 6 {
			steps = append(steps, coursetest.Upload(t, b.Device(), positions(r, set, agents)))
		}
		place, err := pipeline.Output[int32](b, "place", agents)
		if err != nil {
			return nil, err
		}
		gap, err := pipeline.Output[float32](b, "gap", agents)
		return func(lc *exec.LaunchContext) {
			tracker.EnqueueReset(lc, zero)
			for _, position := range steps {
				tracker.EnqueueUpdateAt(lc, position)
			}
			exec.Copy(lc, place, tracker.Events().Place)
			exec.Copy(lc, gap, tracker.Events().Gap)
		}, err
	})
	exectest.CheckStage(t, stage, exectest.Config{Devices: []backend.Device{coursetest.OpenCPU(t)}})
}

// Different trackers are independent. Calls of one tracker at the same time are refused, and corrupt nothing.
func TestTrackersAtOnce(t *testing.T) {
	ctx, device, set, s := context.Background(), coursetest.OpenCPU(t), courses(), scriptOf(2, 4)
	source := upload(t, device, set)
	shared := newTracker(t, device, source, 2)
	want := newReference(set, 2)
	for _, position := range s.position {
		want.update(position)
	}
	arrays := make([]exec.Array[kernel.Vec3], len(s.position))
	for i, position := range s.position {
		arrays[i] = coursetest.Upload(t, device, position)
	}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			own, err := progress.NewTracker(device, source, progress.Config{Agents: 2})
			if !assert.NoError(t, err) {
				return
			}
			for _, position := range arrays {
				_, err = own.UpdateAt(ctx, position)
				assert.NoError(t, err)
				_, err = shared.UpdateAt(ctx, position)
				if err != nil {
					assert.ErrorIs(t, err, exec.ErrConcurrentUse)
				}
			}
			e, err := own.Events().Read(ctx)
			if assert.NoError(t, err) {
				assert.Equal(t, want.events.Progress, e.Progress)
			}
			assert.NoError(t, own.Close())
		})
	}
	all.Wait()
}

// The bits are those of every earlier version and processor, also where the compiler may fuse multiplications and
// additions.
func TestFrozenEvents(t *testing.T) {
	device, set, s := coursetest.OpenCPU(t), courses(), scriptOf(4, 40)
	tracker := newTracker(t, device, upload(t, device, set), 4)
	hash := uint64(14695981039346656037)
	for i := range s.position {
		require.NoError(t, tracker.Reset(t.Context(), coursetest.Upload(t, device, s.mask[i])))
		_, err := tracker.UpdateAt(t.Context(), coursetest.Upload(t, device, s.position[i]))
		require.NoError(t, err)
		for _, word := range words(read(t, tracker)) {
			hash = (hash ^ uint64(word)) * 1099511628211
		}
	}
	require.EqualValues(t, uint64(0x177eb58d18f72d01), hash)
}
