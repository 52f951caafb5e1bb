package localise_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/localise"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// Every wrong argument of New is refused before any device work, with its name, its value and what is allowed.
func TestWrongArguments(t *testing.T) {
	device, c := coursetest.OpenCPU(t), localise.DefaultConfig()
	for want, wrong := range map[string]localise.Config{
		"agents is -1: must be a whole number >= 1 and <= 1048576":      {Agents: -1},
		"warm_window is -1: must be a whole number >= 0 and <= 1048576": {WarmWindow: -1},
	} {
		_, err := localise.New(device, localise.Source{}, wrong)
		require.EqualError(t, err, "localise: new: "+want)
		require.ErrorIs(t, err, localise.ErrConfig)
	}
	require.NoError(t, localise.Config{}.Validate(), "0 agents stand for 1")
	l := lines{center: make([]kernel.Vec3, 8), arclen: make([]float32, 8), length: make([]float32, 2),
		count: []int32{4, 4}}
	source := l.upload(t, device)
	_, err := localise.New(nil, source, c)
	require.ErrorIs(t, err, backend.ErrInvalid)
	for _, none := range []localise.Source{localise.SourceOf(nil), localise.SourceOfLine(nil)} {
		_, err = localise.New(device, none, c)
		require.ErrorContains(t, err, "localise: new: source is without arrays")
	}
	for _, option := range []localise.Option{nil, generation.WithSeed(1)} {
		_, err = localise.New(device, source, c, option)
		require.ErrorContains(t, err, "option")
	}
	short := coursetest.Upload(t, device, make([]float32, 7))
	for want, change := range map[string]func(*localise.Source){
		"center length is 7: must be a multiple of 2": func(s *localise.Source) {
			s.Center = coursetest.Upload(t, device, make([]kernel.Vec3, 7))
		},
		"center length is 0": func(s *localise.Source) { s.Center = exec.Array[kernel.Vec3]{} },
		"arclen":             func(s *localise.Source) { s.Arclen = short },
		"length":             func(s *localise.Source) { s.Length = short },
	} {
		wrong := source
		change(&wrong)
		_, err = localise.New(device, wrong, c)
		require.ErrorContains(t, err, "localise: new: "+want)
	}
	many := lines{center: make([]kernel.Vec3, 3000), arclen: make([]float32, 3000), length: make([]float32, 1000),
		count: make([]int32, 1000)}
	_, err = localise.New(device, many.upload(t, device), localise.Config{Agents: 1 << 20})
	require.ErrorContains(t, err, "agents is 1048576: must be one with at most 715827882 agents in all 1000 envs")
}

// Calls that come too early, too late or with the wrong arrays are refused.
func TestMisuse(t *testing.T) {
	ctx, device := t.Context(), coursetest.OpenCPU(t)
	l := lines{center: winding(4, 1), count: []int32{4}}.measured()
	localiser := newLocaliser(t, device, l, 2, 0)
	position, mask := coursetest.Upload(t, device, make([]kernel.Vec3, 2)), coursetest.Upload(t, device, []int32{1})
	other := coursetest.Upload(t, device, make([]kernel.Vec3, 3))
	require.ErrorContains(t, localiser.Locate(ctx), "localise: locate: inputs is none: must be those of Bind before")
	require.ErrorContains(t, localiser.LocateAt(ctx, other), "localise: locate at: position length is 3")
	require.ErrorContains(t, localiser.Bind(exec.Array[kernel.Vec3]{}), "localise: bind: position")
	wrong := coursetest.Upload(t, device, make([]int32, 9))
	require.ErrorContains(t, localiser.Reset(ctx, wrong), "localise: reset: mask")
	require.NoError(t, localiser.Bind(position))
	require.ErrorContains(t, localiser.LocateAt(ctx, position), "localise: locate at: inputs is of the call and of Bind")
	enqueued := func(emit func(lc *exec.LaunchContext)) error {
		lc, err := exec.For(ctx, device)
		require.NoError(t, err)
		emit(lc)
		return lc.Err()
	}
	require.NoError(t, enqueued(localiser.EnqueueLocate))
	require.NoError(t, enqueued(func(lc *exec.LaunchContext) { localiser.EnqueueReset(lc, mask) }))
	require.ErrorContains(t, enqueued(func(lc *exec.LaunchContext) { localiser.EnqueueLocateAt(lc, position) }), "inputs")
	require.ErrorContains(t, enqueued(func(lc *exec.LaunchContext) { localiser.EnqueueReset(lc, wrong) }), "mask")

	closed, err := localise.New(device, l.upload(t, device), localise.Config{})
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	require.NoError(t, closed.Close())
	require.Equal(t, localise.Arrays{}, closed.Arrays())
	calls := func(l *localise.Localiser) []error {
		return []error{l.Bind(position), l.Locate(ctx), l.LocateAt(ctx, position), l.Reset(ctx, mask), l.Refresh(ctx),
			l.RefreshMasked(ctx, mask), enqueued(l.EnqueueLocate), enqueued(l.EnqueueRefresh),
			enqueued(func(lc *exec.LaunchContext) { l.EnqueueLocateAt(lc, position) }),
			enqueued(func(lc *exec.LaunchContext) { l.EnqueueReset(lc, mask) }),
			enqueued(func(lc *exec.LaunchContext) { l.EnqueueRefreshMasked(lc, mask) }),
			enqueued(func(lc *exec.LaunchContext) { l.EnqueueEnvs(lc, mask) })}
	}
	for i, err := range calls(closed) {
		require.ErrorIs(t, err, backend.ErrClosed, "call %d", i)
	}
	var none *localise.Localiser
	for _, l := range []*localise.Localiser{none, {}} {
		for i, err := range calls(l) {
			require.ErrorContains(t, err, "receiver is <nil>", "call %d", i)
		}
		require.NoError(t, l.Close())
		require.Zero(t, l.Bytes())
		require.Equal(t, localise.Arrays{}, l.Arrays())
		_, err = l.Frames().Read(ctx)
		require.ErrorContains(t, err, "the Frames of a Localiser")
		_, err = l.Frames().Clone(ctx)
		require.ErrorContains(t, err, "the Frames of a Localiser")
	}
}
