package progress_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/course/progress"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	kernels "github.com/trackgen-go/trackgen/kernels/progress"
)

// The columns follow each other as the constants of package kernels/progress say.
func TestColumns(t *testing.T) {
	require.NoError(t, progress.EventSchema.Err())
	require.NoError(t, progress.StateSchema.Err())
	device := coursetest.OpenCPU(t)
	tracker := newTracker(t, device, upload(t, device, courses()), 2)
	a, e, s := tracker.Arrays(), tracker.Events(), tracker.State()
	n := a.Envs * a.Agents
	require.Equal(t, kernels.Integers*n, a.Integers.Len())
	require.Equal(t, kernels.Floats*n, a.Floats.Len())
	for column, array := range map[int]exec.Array[int32]{
		kernels.Passed: e.Passed, kernels.CheckpointPassed: e.CheckpointPassed, kernels.NextCheckpoint: e.NextCheckpoint,
		kernels.Laps: e.Laps, kernels.Progress: e.Progress, kernels.WrongWay: e.WrongWay,
		kernels.WrongCheckpoint: e.WrongCheckpoint, kernels.Place: e.Place, kernels.Target: s.Target,
		kernels.LapsSoFar: s.Laps, kernels.Total: s.Total,
	} {
		part, err := a.Integers.Slice(column*n, (column+1)*n)
		require.NoError(t, err)
		require.Equal(t, part.View(), array.View(), "column %d", column)
	}
	for column, array := range map[int]exec.Array[float32]{kernels.DistToNext: e.DistToNext, kernels.Gap: e.Gap} {
		part, err := a.Floats.Slice(column*n, (column+1)*n)
		require.NoError(t, err)
		require.Equal(t, part.View(), array.View(), "column %d", column)
	}
	require.Equal(t, a.Previous.View(), s.Previous.View())
	require.Positive(t, tracker.Bytes())
}

// Every wrong argument of the constructor is refused, with its name, its value and what is allowed (C-63).
func TestWrongArguments(t *testing.T) {
	device := coursetest.OpenCPU(t)
	set := upload(t, device, courses())
	for agents, want := range map[int]string{
		-1:   "progress: new tracker: agents is -1: must be a whole number >= 1 and <= 1024, or 0 for 1",
		1025: "agents is 1025: must be a whole number",
	} {
		_, err := progress.NewTracker(device, set, progress.Config{Agents: agents})
		require.ErrorContains(t, err, want)
		require.ErrorIs(t, err, progress.ErrConfig)
	}
	for name, change := range map[string]func(s *checkpoints.Set) error{
		"position of checkpoints": func(s *checkpoints.Set) (err error) { s.Position, err = s.Position.Slice(1, 9); return },
		"left of checkpoints":     func(s *checkpoints.Set) (err error) { s.Left, err = s.Left.Slice(1, 9); return },
		"right of checkpoints":    func(s *checkpoints.Set) (err error) { s.Right, err = s.Right.Slice(1, 9); return },
		"forward of checkpoints":  func(s *checkpoints.Set) error { s.Forward = exec.Array[kernel.Vec3]{}; return nil },
		"up_half of checkpoints":  func(s *checkpoints.Set) (err error) { s.UpHalf, err = s.UpHalf.Slice(1, 9); return },
		"count of checkpoints":    func(s *checkpoints.Set) (err error) { s.Count, err = s.Count.Slice(1, 3); return },
		"checkpoints is none":     func(s *checkpoints.Set) error { s.Envs = 0; return nil },
	} {
		wrong := *set
		require.NoError(t, change(&wrong))
		_, err := progress.NewTracker(device, &wrong, progress.Config{})
		require.ErrorContains(t, err, name)
		require.ErrorIs(t, err, backend.ErrInvalid)
	}
	_, err := progress.NewTracker(device, nil, progress.Config{})
	require.ErrorContains(t, err, "progress: new tracker: checkpoints is none")
	_, err = progress.NewTracker(nil, set, progress.Config{})
	require.ErrorIs(t, err, backend.ErrInvalid)
	_, err = progress.NewTracker(coursetest.OpenCPU(t), set, progress.Config{})
	require.ErrorIs(t, err, exec.ErrDeviceMismatch)
	_, err = progress.NewTracker(device, set, progress.Config{}, generation.WithSeed(3))
	require.ErrorIs(t, err, backend.ErrInvalid)
	_, err = progress.NewTracker(device, set, progress.Config{}, nil)
	require.ErrorContains(t, err, "option 0 is <nil>")
	stream := device.CurrentStream()
	require.NoError(t, stream.BeginCapture())
	_, err = progress.NewTracker(device, set, progress.Config{})
	require.ErrorIs(t, err, exec.ErrCapture)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	require.NoError(t, graph.Close())
}

// Positions are bound or given, never both, and have one element for each agent (C-90).
func TestBinding(t *testing.T) {
	ctx, device, set := context.Background(), coursetest.OpenCPU(t), courses()
	tracker := newTracker(t, device, upload(t, device, set), 2)
	_, err := tracker.Update(ctx)
	require.ErrorContains(t, err, "progress: update: inputs is none: must be those of Bind before, or those of the call")
	short := coursetest.Upload(t, device, make([]kernel.Vec3, set.Envs))
	right := coursetest.Upload(t, device, make([]kernel.Vec3, 2*set.Envs))
	require.ErrorContains(t, tracker.Bind(short), "progress: bind: position")
	_, err = tracker.UpdateAt(ctx, short)
	require.ErrorContains(t, err, "progress: update at: position")
	require.ErrorIs(t, tracker.Bind(exec.Array[kernel.Vec3]{}), backend.ErrInvalid)
	require.ErrorIs(t, tracker.Bind(coursetest.Upload(t, coursetest.OpenCPU(t), make([]kernel.Vec3, 2*set.Envs))),
		exec.ErrDeviceMismatch)
	require.NoError(t, tracker.Bind(right))
	_, err = tracker.UpdateAt(ctx, right)
	require.ErrorContains(t, err, "inputs is of the call and of Bind: must be one of the two")
}

// Binding other positions warns if a capture has recorded the first ones, however they were recorded (R97).
func TestBindingAfterACapture(t *testing.T) {
	ctx, device, set := context.Background(), coursetest.OpenCPU(t), courses()
	for _, record := range []func(tracker *progress.Tracker) error{
		func(tracker *progress.Tracker) error {
			_, err := tracker.Update(ctx)
			return err
		},
		func(tracker *progress.Tracker) error {
			lc, err := exec.For(ctx, device)
			if err != nil {
				return err
			}
			tracker.EnqueueUpdate(lc)
			return lc.Err()
		},
	} {
		var warnings []exec.Warning
		tracker := newTracker(t, device, upload(t, device, set), 1,
			progress.WithWarnings(func(w exec.Warning) { warnings = append(warnings, w) }))
		require.NoError(t, tracker.Bind(coursetest.Upload(t, device, make([]kernel.Vec3, set.Envs))))
		stream := device.CurrentStream()
		require.NoError(t, stream.BeginCapture())
		require.NoError(t, record(tracker))
		_, err := tracker.Events().Read(ctx)
		require.ErrorIs(t, err, exec.ErrCapture)
		graph, err := stream.EndCapture()
		require.NoError(t, err)
		require.NoError(t, graph.Close())
		require.Empty(t, warnings)
		require.NoError(t, tracker.Bind(coursetest.Upload(t, device, make([]kernel.Vec3, set.Envs))))
		require.Len(t, warnings, 1)
	}
}

// Calls of a tracker that no constructor has made, or that is closed, and masks of other lengths are errors.
func TestMisuse(t *testing.T) {
	ctx, device, set := context.Background(), coursetest.OpenCPU(t), courses()
	var none *progress.Tracker
	_, err := none.Update(ctx)
	require.ErrorContains(t, err, "progress: update: receiver")
	require.ErrorIs(t, none.Bind(exec.Array[kernel.Vec3]{}), backend.ErrInvalid)
	require.ErrorIs(t, none.Reset(ctx, zero), backend.ErrInvalid)
	require.Nil(t, none.Events())
	require.Zero(t, none.State())
	require.Zero(t, none.Arrays())
	require.Zero(t, none.Bytes())
	require.NoError(t, none.Close())
	_, err = none.Events().Read(ctx)
	require.ErrorContains(t, err, "progress: read: events is <nil>: must be those of a Tracker")
	_, err = new(progress.Events).Clone(ctx)
	require.ErrorContains(t, err, "progress: clone: events is <nil>")
	require.NoError(t, none.Events().Close())

	tracker := newTracker(t, device, upload(t, device, set), 3)
	for _, n := range []int{1, set.Envs - 1, 2 * set.Envs, 3*set.Envs + 1} {
		require.ErrorContains(t, tracker.Reset(ctx, coursetest.Upload(t, device, make([]int32, n))), "progress: reset: mask")
	}
	mask := coursetest.Upload(t, coursetest.OpenCPU(t), make([]int32, 3*set.Envs))
	require.ErrorIs(t, tracker.Reset(ctx, mask), exec.ErrDeviceMismatch)
	clone, err := tracker.Events().Clone(ctx)
	require.NoError(t, err)
	events, _ := read(t, tracker)
	copied, err := clone.Read(ctx)
	require.NoError(t, err)
	require.Equal(t, events.Place, copied.Place)
	require.NoError(t, clone.Close())

	require.NoError(t, tracker.Close())
	require.NoError(t, tracker.Close())
	_, err = tracker.Update(ctx)
	require.ErrorIs(t, err, backend.ErrClosed)
	require.ErrorIs(t, tracker.Reset(ctx, zero), backend.ErrClosed)
	for _, enqueue := range []func(lc *exec.LaunchContext){
		tracker.EnqueueUpdate,
		func(lc *exec.LaunchContext) { tracker.EnqueueUpdateAt(lc, exec.Array[kernel.Vec3]{}) },
		func(lc *exec.LaunchContext) { tracker.EnqueueReset(lc, zero) },
		func(lc *exec.LaunchContext) { tracker.EnqueueResetEnvs(lc, zero) },
	} {
		lc, err := exec.For(ctx, device)
		require.NoError(t, err)
		enqueue(lc)
		require.ErrorIs(t, lc.Err(), backend.ErrClosed)
	}
}
