package preview_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/preview"
)

// Every wrong setting is refused before any device work, with its name, its value and what is allowed.
func TestWrongSettings(t *testing.T) {
	device := coursetest.OpenCPU(t)
	for want, change := range map[string]func(c *preview.Config){
		"agents is -1: must be a whole number >= 1 and <= 1048576, or 0 for 1": func(c *preview.Config) { c.Agents = -1 },
		"distances is of 0 places: must be a list of 1 to 4096 numbers":        func(c *preview.Config) { c.Distances = nil },
		"distances[1] is NaN: must be a number >= -1000000 and <= 1000000": func(c *preview.Config) {
			c.Distances = []float64{1, math.NaN()}
		},
		"channels is empty": func(c *preview.Config) { c.Channels = nil },
		`channels[1] is "speed": must be a list of different channels of center_x, center_y`: func(c *preview.Config) {
			c.Channels = []string{preview.Speed, preview.Speed}
		},
		`channels[0] is "gate_x"`:                                 func(c *preview.Config) { c.Channels[0] = preview.GateX },
		`frame is "world": must be one of level, body`:            func(c *preview.Config) { c.Frame = "world" },
		"length_scale is -1: must be a number > 0 and <= 1000000": func(c *preview.Config) { c.LengthScale = -1 },
		"curvature_scale is NaN":                                  func(c *preview.Config) { c.CurvatureScale = math.NaN() },
		"speed_scale is 1e+16":                                    func(c *preview.Config) { c.SpeedScale = 1e16 },
		"curvature_window is -1":                                  func(c *preview.Config) { c.CurvatureWindow = -1 },
	} {
		c := preview.DefaultConfig()
		change(&c)
		_, err := preview.New(device, preview.Source{}, c)
		require.ErrorContains(t, err, "preview: new: "+want)
		require.ErrorIs(t, err, preview.ErrConfig)
	}
	for want, change := range map[string]func(c *preview.GateConfig){
		"agents is 1048577": func(c *preview.GateConfig) { c.Agents = 1<<20 + 1 },
		"gates is 0: must be a whole number >= 1 and <= 4096": func(c *preview.GateConfig) { c.Gates = 0 },
		`channels[0] is "speed"`:                              func(c *preview.GateConfig) { c.Channels[0] = preview.Speed },
		`frame is "x"`:                                        func(c *preview.GateConfig) { c.Frame = "x" },
		"length_scale is +Inf":                                func(c *preview.GateConfig) { c.LengthScale = math.Inf(1) },
	} {
		c := preview.DefaultGateConfig()
		change(&c)
		_, err := preview.NewGates(device, preview.GateSource{}, c)
		require.ErrorContains(t, err, "preview: new gates: "+want)
		require.ErrorIs(t, err, preview.ErrConfig)
	}
}

// Every wrong array, device and option is refused, and channels that the source does not have.
func TestWrongSources(t *testing.T) {
	device, r, c := coursetest.OpenCPU(t), rand.New(rand.NewPCG(1, 1)), preview.DefaultConfig()
	l := roads(r, 2, 5, false)
	source := l.upload(t, device)
	_, err := preview.New(nil, source, c)
	require.ErrorIs(t, err, backend.ErrInvalid)
	for _, none := range []preview.Source{preview.SourceOf(nil), preview.SourceOfLine(nil)} {
		_, err = preview.New(device, none, c)
		require.ErrorContains(t, err, "preview: new: source is without arrays")
	}
	for _, option := range []preview.Option{nil, generation.WithSeed(1)} {
		_, err = preview.New(device, source, c, option)
		require.ErrorContains(t, err, "option")
	}
	short, few := coursetest.Upload(t, device, make([]float32, 3)), coursetest.Upload(t, device, make([]kernel.Vec3, 7))
	for want, change := range map[string]func(s *preview.Source){
		"center length is 7: must be a multiple of 2": func(s *preview.Source) { s.Center = few },
		"arclen length is 3":                          func(s *preview.Source) { s.Arclen = short },
		"length length is 3":                          func(s *preview.Source) { s.Length = short },
		"outer":                                       func(s *preview.Source) { s.Outer = exec.Array[kernel.Vec3]{} },
		"inner length is 7":                           func(s *preview.Source) { s.Inner = few },
		"winding length is 3":                         func(s *preview.Source) { s.Winding = short },
		"curvature length is 3":                       func(s *preview.Source) { s.Curvature = short },
		"speed length is 3":                           func(s *preview.Source) { s.Speed = short },
		"source is without borders: must be one with outer, inner and winding, or channels other than": func(
			s *preview.Source) {
			s.Outer, s.Inner, s.Winding = exec.Array[kernel.Vec3]{}, exec.Array[kernel.Vec3]{}, exec.Array[float32]{}
		},
		"source is without speeds": func(s *preview.Source) { s.Speed = exec.Array[float32]{} },
	} {
		wrong, all := source, c
		all.Channels = preview.Channels()
		change(&wrong)
		_, err = preview.New(device, wrong, all)
		require.ErrorContains(t, err, "preview: new: "+want)
	}
	c.Agents, c.Distances = 1<<20, preview.EvenDistances(4096, 1)
	_, err = preview.New(device, source, c)
	require.ErrorContains(t, err, "agents is 1048576: must be at most 74898 agents in all 2 envs, for 4096 places of 7")

	g := gatesFor(r, 2, 4).upload(t, device)
	for _, none := range []preview.GateSource{preview.GatesOf(nil), preview.CheckpointsOf(nil)} {
		_, err = preview.NewGates(device, none, preview.DefaultGateConfig())
		require.ErrorContains(t, err, "preview: new gates: source is without arrays")
	}
	g.Left = few
	_, err = preview.NewGates(device, g, preview.DefaultGateConfig())
	require.ErrorContains(t, err, "preview: new gates: left length is 7")
	g.Position = few
	_, err = preview.NewGates(device, g, preview.DefaultGateConfig())
	require.ErrorContains(t, err, "preview: new gates: position of gates length is 7: must be a multiple of 2")
}

// Calls that come too early, too late or with the wrong arrays are refused.
func TestMisuse(t *testing.T) {
	ctx, device, r := t.Context(), coursetest.OpenCPU(t), rand.New(rand.NewPCG(1, 1))
	l := roads(r, 1, 5, false)
	p, err := preview.New(device, l.upload(t, device), preview.DefaultConfig())
	require.NoError(t, err)
	inputs, mask := somewhere(r, l, 1, false).upload(t, device), coursetest.Upload(t, device, []int32{1})
	require.ErrorContains(t, p.Update(ctx), "preview: update: inputs is none: must be those of Bind before")
	for want, change := range map[string]func(i *preview.Inputs){
		"position":    func(i *preview.Inputs) { i.Position = exec.Array[kernel.Vec3]{} },
		"orientation": func(i *preview.Inputs) { i.Orientation = exec.Array[kernel.Quat]{} },
		"s":           func(i *preview.Inputs) { i.S = coursetest.Upload(t, device, make([]float32, 2)) },
	} {
		wrong := inputs
		change(&wrong)
		require.ErrorContains(t, p.Bind(wrong), "preview: bind: "+want)
		require.ErrorContains(t, p.UpdateAt(ctx, wrong), "preview: update at: "+want)
	}
	require.NoError(t, p.Bind(inputs))
	require.ErrorContains(t, p.UpdateAt(ctx, inputs), "preview: update at: inputs is of the call and of Bind")
	require.NoError(t, emitted(t, device, p.EnqueueUpdate))
	require.NoError(t, p.Close())
	require.NoError(t, p.Close())
	calls := func(p *preview.Preview) []error {
		return []error{p.Bind(inputs), p.Update(ctx), p.UpdateAt(ctx, inputs), p.Refresh(ctx), p.RefreshMasked(ctx, mask),
			emitted(t, device, p.EnqueueUpdate), emitted(t, device, p.EnqueueRefresh),
			emitted(t, device, func(lc *exec.LaunchContext) { p.EnqueueUpdateAt(lc, inputs) }),
			emitted(t, device, func(lc *exec.LaunchContext) { p.EnqueueRefreshMasked(lc, mask) }),
			emitted(t, device, func(lc *exec.LaunchContext) { p.EnqueueEnvs(lc, mask) })}
	}
	for i, err := range calls(p) {
		require.ErrorIs(t, err, backend.ErrClosed, "call %d", i)
	}
	var none *preview.Preview
	for _, p := range []*preview.Preview{none, {}} {
		for i, err := range calls(p) {
			require.ErrorContains(t, err, "preview: ", "call %d", i)
			require.ErrorContains(t, err, "receiver is <nil>", "call %d", i)
		}
		require.NoError(t, p.Close())
		require.Zero(t, p.Bytes())
		_, err = p.Observations().Read(ctx)
		require.ErrorContains(t, err, "the Observations of a Preview")
		_, err = p.Observations().Clone(ctx)
		require.ErrorContains(t, err, "the Observations of a Preview")
	}
	var gates *preview.Gates
	for _, g := range []*preview.Gates{gates, {}} {
		require.ErrorContains(t, g.Bind(preview.GateInputs{}), "preview: bind: receiver is <nil>")
		require.ErrorContains(t, g.Update(ctx), "receiver is <nil>")
		require.NoError(t, g.Close())
	}
}
