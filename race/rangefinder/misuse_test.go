package rangefinder_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/rangefinder"
)

// Every wrong setting is refused before any device work, with its name, its value and what is allowed.
func TestWrongSettings(t *testing.T) {
	device := coursetest.OpenCPU(t)
	for want, change := range map[string]func(c *rangefinder.Config){
		"agents is -1: must be a whole number >= 1 and <= 65536": func(c *rangefinder.Config) { c.Agents = -1 },
		"beams is 0: must be a whole number >= 1 and <= 65536":   func(c *rangefinder.Config) { c.Beams = 0 },
		"field_of_view is 7":                                func(c *rangefinder.Config) { c.FieldOfView = 7 },
		"offset is NaN":                                     func(c *rangefinder.Config) { c.Offset = math.NaN() },
		"range is 0: must be a number >":                    func(c *rangefinder.Config) { c.Range = 0 },
		"place_x is +Inf":                                   func(c *rangefinder.Config) { c.PlaceX = math.Inf(1) },
		`frame is "x": must be one of level, body`:          func(c *rangefinder.Config) { c.Frame = "x" },
		"disc_radius is -1":                                 func(c *rangefinder.Config) { c.DiscRadius = -1 },
		"sigma is -1":                                       func(c *rangefinder.Config) { c.Sigma = -1 },
		"dropout is 1.5: must be a number >= 0 and <= 1":    func(c *rangefinder.Config) { c.Dropout = 1.5 },
		"seed is 2147483648: must be a whole number >= -21": func(c *rangefinder.Config) { c.Seed = math.MaxInt32 + 1 },
	} {
		c := rangefinder.DefaultConfig()
		change(&c)
		_, err := rangefinder.New(device, rangefinder.Source{}, c)
		require.ErrorContains(t, err, "rangefinder: new: "+want)
		require.ErrorIs(t, err, rangefinder.ErrConfig)
	}
	require.NoError(t, rangefinder.F1Tenth().Validate())
}

// Every wrong array, device and option is refused.
func TestWrongSources(t *testing.T) {
	device, c := coursetest.OpenCPU(t), rangefinder.DefaultConfig()
	s := road(rand.New(rand.NewPCG(1, 1)), 2, 8, 1)
	source := s.source(t, device, true)
	_, err := rangefinder.New(nil, source, c)
	require.ErrorIs(t, err, backend.ErrInvalid)
	for _, none := range []rangefinder.Source{{}, rangefinder.SourceOf(nil), rangefinder.SourceOfPosts(nil),
		rangefinder.SourceOfFrames(nil), {Envs: -3}} {
		_, err = rangefinder.New(device, none, c)
		require.ErrorContains(t, err, "rangefinder: new: source is without envs")
	}
	for _, option := range []rangefinder.Option{nil, generation.WithSeed(1)} {
		_, err = rangefinder.New(device, source, c, option)
		require.ErrorContains(t, err, "option")
	}
	few := coursetest.Upload(t, device, make([]kernel.Vec3, 3))
	short := coursetest.Upload(t, device, make([]int32, 1))
	index := coursetest.Upload(t, device, make([]kernel.Quat, 5))
	for want, change := range map[string]func(s *rangefinder.Source){
		"center length is 3: must be a multiple of 2": func(s *rangefinder.Source) { s.Borders.Center = few },
		"outer length is 3":                           func(s *rangefinder.Source) { s.Borders.Outer = few },
		"inner":                                       func(s *rangefinder.Source) { s.Borders.Inner = s.Left },
		"source is borders and a checker: must be one of the two": func(s *rangefinder.Source) { s.Checker.Index = index },
		"source is discs and posts: must be one of the two":       func(s *rangefinder.Source) { s.Left = few },
		"max_points of the checker is 0": func(s *rangefinder.Source) {
			s.Borders, s.Checker.Index = collision.BorderSource{}, index
		},
		"index of the checker length is 5": func(s *rangefinder.Source) {
			s.Borders, s.Checker.Index, s.Checker.MaxPoints = collision.BorderSource{}, index, 8
		},
		"discs length is 3":             func(s *rangefinder.Source) { s.Discs = few },
		"count of discs length is 1":    func(s *rangefinder.Source) { s.Count = short },
		"left length is 3":              func(s *rangefinder.Source) { s.Discs, s.Left = exec.Array[kernel.Vec3]{}, few },
		"position of gates length is 3": func(s *rangefinder.Source) { s.Frames.Position = few },
		"count of gates length is 1":    func(s *rangefinder.Source) { s.Frames.Count = short },
		"valid length is 1":             func(s *rangefinder.Source) { s.Frames.Valid = short },
		"seed length is 1":              func(s *rangefinder.Source) { s.Seed = short },
		"epoch":                         func(s *rangefinder.Source) { s.Seed = s.Borders.Count },
		"count length is 1: must be 2":  func(s *rangefinder.Source) { s.Borders.Count = short },
		"half_size":                     func(s *rangefinder.Source) { s.Frames.HalfSize = exec.Array[float32]{} },
		"orientation of gates":          func(s *rangefinder.Source) { s.Frames.Orientation = index },
		"right":                         func(s *rangefinder.Source) { s.Discs, s.Left = s.Right, s.Discs },
	} {
		wrong := source
		change(&wrong)
		_, err = rangefinder.New(device, wrong, c)
		require.ErrorContains(t, err, "rangefinder: new: ")
		require.ErrorContains(t, err, want)
	}
	c.Agents, c.Beams = 65536, 65536
	_, err = rangefinder.New(device, source, c)
	require.ErrorContains(t, err, "beams is 65536: must be at most 16383 for 65536 agents in each of 2 envs")
}

// Calls that come too early, too late or with the wrong arrays are refused.
func TestMisuse(t *testing.T) {
	ctx, device := t.Context(), coursetest.OpenCPU(t)
	s := road(rand.New(rand.NewPCG(1, 1)), 1, 8, 1)
	c := rangefinder.DefaultConfig()
	c.SeeAgents = true
	finder, err := rangefinder.New(device, s.source(t, device, false), c)
	require.NoError(t, err)
	inputs, mask := s.inputs(t, device), coursetest.Upload(t, device, []int32{1})
	require.ErrorContains(t, finder.Update(ctx), "rangefinder: update: inputs is none: must be those of Bind before")
	for want, change := range map[string]func(i *rangefinder.Inputs){
		"position":     func(i *rangefinder.Inputs) { i.Position = exec.Array[kernel.Vec3]{} },
		"orientation":  func(i *rangefinder.Inputs) { i.Orientation = exec.Array[kernel.Quat]{} },
		"half_extents": func(i *rangefinder.Inputs) { i.HalfExtents = exec.Array[kernel.Vec2]{} },
	} {
		wrong := inputs
		change(&wrong)
		require.ErrorContains(t, finder.Bind(wrong), "rangefinder: bind: "+want)
		require.ErrorContains(t, finder.UpdateAt(ctx, wrong), "rangefinder: update at: "+want)
	}
	require.NoError(t, finder.Bind(inputs))
	require.ErrorContains(t, finder.UpdateAt(ctx, inputs), "inputs is of the call and of Bind")
	require.ErrorContains(t, finder.Reset(ctx, coursetest.Upload(t, device, make([]int32, 2))), "rangefinder: reset: mask")
	emitted := func(emit func(lc *exec.LaunchContext)) error {
		lc, err := exec.For(ctx, device)
		require.NoError(t, err)
		emit(lc)
		return lc.Err()
	}
	require.NoError(t, emitted(finder.EnqueueUpdate))
	require.NoError(t, emitted(func(lc *exec.LaunchContext) { finder.EnqueueReset(lc, mask) }))
	require.NoError(t, finder.Close())
	require.NoError(t, finder.Close())
	calls := func(f *rangefinder.RangeFinder) []error {
		return []error{f.Bind(inputs), f.Update(ctx), f.UpdateAt(ctx, inputs), f.Reset(ctx, mask), f.Refresh(ctx),
			f.RefreshMasked(ctx, mask), emitted(f.EnqueueUpdate), emitted(f.EnqueueRefresh),
			emitted(func(lc *exec.LaunchContext) { f.EnqueueUpdateAt(lc, inputs) }),
			emitted(func(lc *exec.LaunchContext) { f.EnqueueReset(lc, mask) }),
			emitted(func(lc *exec.LaunchContext) { f.EnqueueRefreshMasked(lc, mask) }),
			emitted(func(lc *exec.LaunchContext) { f.EnqueueEnvs(lc, mask) })}
	}
	for i, err := range calls(finder) {
		require.ErrorIs(t, err, backend.ErrClosed, "call %d", i)
	}
	var none *rangefinder.RangeFinder
	for _, f := range []*rangefinder.RangeFinder{none, {}} {
		for i, err := range calls(f) {
			require.ErrorContains(t, err, "rangefinder: ", "call %d", i)
			require.ErrorContains(t, err, "receiver is <nil>", "call %d", i)
		}
		require.NoError(t, f.Close())
		require.Zero(t, f.Bytes())
		_, err = f.Scans().Read(ctx)
		require.ErrorContains(t, err, "the Scans of a RangeFinder")
		_, err = f.Scans().Clone(ctx)
		require.ErrorContains(t, err, "the Scans of a RangeFinder")
	}
}
