package reward_test

import (
	"context"
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
	"github.com/trackgen-go/trackgen/race/reward"
)

// zero is the mask of all agents.
var zero exec.Array[int32]

// checkRuns checks that a device gives the bits of the rules in every way to run: eager, again, recorded and replayed.
func checkRuns(t *testing.T, device backend.Device, agents, channels, steps int) {
	t.Helper()
	ctx, c := context.Background(), everything(agents, channels)
	list, masks := script(c, steps)
	want := newReference(c, lengths())
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	judge := newJudge(t, device, c, lengths(), reward.WithStream(stream))
	in, mask := upload(t, device, list[0]), coursetest.Upload(t, device, make([]int32, len(list[0].s)))
	require.NoError(t, judge.Bind(in))
	step := func(i int, run func()) {
		t.Helper()
		write(t, in, list[i])
		each := perAgent(masks[i], len(list[i].s))
		require.NoError(t, mask.Write(ctx, each))
		run()
		want.reset(each)
		want.update(list[i])
		require.Equal(t, words(want.outcomes()), words(read(t, judge)), "%d agents, step %d", agents, i)
	}
	call := func() {
		require.NoError(t, judge.Reset(ctx, mask))
		_, err := judge.Update(ctx)
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
	for i := 4; i < steps-1; i++ {
		step(i, func() { require.NoError(t, stream.Replay(graph)) })
	}
	step(steps-1, func() {
		lc, err := exec.For(ctx, device, exec.DefaultStream(stream))
		require.NoError(t, err)
		judge.EnqueueReset(lc, mask)
		judge.EnqueueUpdate(lc)
		require.NoError(t, lc.Err())
	})
}

// perAgent returns a mask with one element for each of n agents.
func perAgent(mask []int32, n int) []int32 {
	each := make([]int32, n)
	for i := range each {
		each[i] = mask[i*len(mask)/n]
	}
	return each
}

func TestRunsAreEqual(t *testing.T) {
	for _, workers := range []int{1, 3} {
		for _, agents := range []int{1, 3, 33} {
			checkRuns(t, coursetest.OpenCPU(t, backend.Workers(workers)), agents, agents%4, 100)
		}
	}
}

// No two items of a launch touch the same element, in any order of the items: kernelgen cannot prove it.
func TestTwinsFindNoRace(t *testing.T) {
	for _, seed := range []uint64{1, 2} {
		for _, agents := range []int{1, 3, 33} {
			checkRuns(t, coursetest.OpenCPU(t, backend.Debug(true), backend.DebugSeed(seed)), agents, 2, 12)
		}
	}
}

// Inputs that are not bound count as 0, and there may be no actions.
func TestAbsentInputs(t *testing.T) {
	c := reward.DefaultConfig()
	c.Agents, c.Ends.StuckTime, c.Ends.MaxSteps = 2, 0.2, 20
	list, masks := script(c, 40)
	judge, want := newJudge(t, coursetest.OpenCPU(t), c, lengths()), newReference(c, lengths())
	device := judge.Outcomes().Reward.Device()
	for i, s := range list {
		few := step{s: s.s, checkpoint: s.checkpoint}
		require.NoError(t, judge.Reset(t.Context(), coursetest.Upload(t, device, masks[i])))
		_, err := judge.UpdateAt(t.Context(), upload(t, device, few))
		require.NoError(t, err)
		want.reset(masks[i])
		want.update(few)
		require.Equal(t, words(want.outcomes()), words(read(t, judge)), "step %d", i)
	}
}

// A regeneration resets the agents of its envs, by the list of them.
func TestResetOfAList(t *testing.T) {
	ctx, device, c := context.Background(), coursetest.OpenCPU(t, backend.Debug(true)), everything(3, 0)
	list, _ := script(c, 2)
	for _, s := range list {
		for i := range s.s {
			s.s[i] = 0.5
		}
	}
	judge, want := newJudge(t, device, c, lengths()), newReference(c, lengths())
	update := func(s step) {
		_, err := judge.UpdateAt(ctx, upload(t, device, s))
		require.NoError(t, err)
		want.update(s)
	}
	update(list[0])
	update(list[1])
	active := make([]int32, len(lengths())+1)
	active[0], active[1], active[2], active[3] = 2, 6, 1, 4 // the last one is not among the first two
	lc, err := exec.For(ctx, device)
	require.NoError(t, err)
	judge.EnqueueResetEnvs(lc, coursetest.Upload(t, device, active))
	require.NoError(t, lc.Err())
	mask := make([]int32, len(lengths()))
	mask[6], mask[1] = 1, 1
	want.reset(mask)
	update(list[1])
	require.Equal(t, words(want.outcomes()), words(read(t, judge)))
	require.Contains(t, read(t, judge).Length, int32(0))
	require.Contains(t, read(t, judge).Length, int32(1))
	require.NoError(t, judge.Reset(ctx, zero))
	update(list[1])
	require.Equal(t, make([]int32, len(list[0].s)), read(t, judge).Length)
}

// Updates and resets allocate nothing.
func TestHotMethodsAllocateNothing(t *testing.T) {
	for _, agents := range []int{1, 4} {
		ctx, device, c := context.Background(), coursetest.OpenCPU(t, backend.Workers(1)), everything(agents, 2)
		list, _ := script(c, 1)
		in, mask := upload(t, device, list[0]), coursetest.Upload(t, device, make([]int32, len(lengths())))
		free, bound := newJudge(t, device, c, lengths()), newJudge(t, device, c, lengths())
		require.NoError(t, bound.Bind(in))
		call := func() error {
			if err := bound.Reset(ctx, mask); err != nil {
				return err
			}
			if err := bound.Reset(ctx, zero); err != nil {
				return err
			}
			if err := bound.Reset(ctx, bound.Outcomes().Done); err != nil {
				return err
			}
			if _, err := bound.Update(ctx); err != nil {
				return err
			}
			_, err := free.UpdateAt(ctx, in)
			return err
		}
		require.NoError(t, call())
		require.Zero(t, testing.AllocsPerRun(20, func() {
			if err := call(); err != nil {
				t.Fatal(err)
			}
		}))
	}
}

// Updates and resets pass the guards of package exectest.
func TestHotMethodsOnAGuardedDevice(t *testing.T) {
	device, c := exectest.Instrument(coursetest.OpenCPU(t)), everything(2, 2)
	list, _ := script(c, 1)
	judge, mask := newJudge(t, device, c, lengths()), coursetest.Upload(t, device, make([]int32, len(lengths())))
	require.NoError(t, judge.Bind(upload(t, device, list[0])))
	guard := exectest.HotPath(device, exectest.Options{})
	err := guard.Do(context.Background(), func(ctx context.Context) error {
		if err := judge.Reset(ctx, mask); err != nil {
			return err
		}
		_, err := judge.Update(ctx)
		return err
	})
	require.NoError(t, err)
	require.NoError(t, guard.Err())
}

// The work passes every check of package exectest as a stage: a reset, updates, and a copy of the outcomes.
func TestStageKeepsTheContract(t *testing.T) {
	stage := pipeline.StageFunc("reward", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		const agents = 2
		c := everything(agents, 2)
		length := slices.Repeat([]float32{8}, b.Envs())
		judge, err := reward.New(b.Device(), reward.Source{Length: coursetest.Upload(t, b.Device(), length)}, c)
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { assert.NoError(t, judge.Close()) })
		var steps []reward.Inputs
		list, _ := script(c, 5)
		for _, s := range list {
			steps = append(steps, upload(t, b.Device(), repeated(s, b.Envs()*agents)))
		}
		sum, err := pipeline.Output[float32](b, "return", agents)
		if err != nil {
			return nil, err
		}
		reasons, err := pipeline.Output[int32](b, "reasons", agents)
		return func(lc *exec.LaunchContext) {
			judge.EnqueueReset(lc, zero)
			for _, in := range steps {
				judge.EnqueueUpdateAt(lc, in)
			}
			exec.Copy(lc, sum, judge.Outcomes().Return)
			exec.Copy(lc, reasons, judge.Outcomes().Reasons)
		}, err
	})
	exectest.CheckStage(t, stage, exectest.Config{Devices: []backend.Device{coursetest.OpenCPU(t)}})
}

// repeated returns a step of n agents, as often as needed those of s.
func repeated(s step, n int) step {
	return step{s: cycle(s.s, n), n: cycle(s.n, n), distance: cycle(s.distance, n), checkpoint: cycle(s.checkpoint, n),
		action: cycle(s.action, n*len(s.action)/len(s.s)), outOfBounds: cycle(s.outOfBounds, n), hit: cycle(s.hit, n),
		obstacle: cycle(s.obstacle, n), velocity: cycle(s.velocity, n)}
}

func cycle[T any](values []T, n int) []T {
	for len(values) < n {
		values = append(values, values...)
	}
	return values[:n]
}

// Different judges are independent. Calls of one judge at the same time are refused, and corrupt nothing.
func TestJudgesAtOnce(t *testing.T) {
	ctx, device, c := context.Background(), coursetest.OpenCPU(t), everything(2, 2)
	list, _ := script(c, 6)
	source := reward.Source{Length: coursetest.Upload(t, device, lengths())}
	shared, want := newJudge(t, device, c, lengths()), newReference(c, lengths())
	var arrays []reward.Inputs
	for _, s := range list {
		want.update(s)
		arrays = append(arrays, upload(t, device, s))
	}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			own, err := reward.New(device, source, c)
			if !assert.NoError(t, err) {
				return
			}
			for _, in := range arrays {
				_, err = own.UpdateAt(ctx, in)
				assert.NoError(t, err)
				_, err = shared.UpdateAt(ctx, in)
				if err != nil {
					assert.ErrorIs(t, err, exec.ErrConcurrentUse)
				}
			}
			h, err := own.Outcomes().Read(ctx)
			if assert.NoError(t, err) {
				assert.Equal(t, words(want.outcomes()), words(h))
			}
			assert.NoError(t, own.Close())
		})
	}
	all.Wait()
}

// The bits are those of every earlier version and processor, also where the compiler may fuse multiplications and
// additions.
func TestFrozenOutcomes(t *testing.T) {
	device, c := coursetest.OpenCPU(t), everything(4, 2)
	list, masks := script(c, 60)
	judge, hash := newJudge(t, device, c, lengths()), uint64(14695981039346656037)
	for i, s := range list {
		require.NoError(t, judge.Reset(t.Context(), coursetest.Upload(t, device, masks[i])))
		_, err := judge.UpdateAt(t.Context(), upload(t, device, s))
		require.NoError(t, err)
		all := words(read(t, judge))
		for _, c := range reward.Schema.Columns() {
			for _, word := range all[c.Name] {
				hash = (hash ^ uint64(word)) * 1099511628211
			}
		}
		for _, name := range []string{"reward", "return"} {
			for _, bits := range all[name] {
				require.True(t, finite(kernel.Float32FromBits(bits)))
			}
		}
	}
	require.EqualValues(t, uint64(0x788f5f26f65b2c51), hash)
}
