package preview_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/preview"
)

// upload makes the inputs of a preview.
func (a agents) upload(t testing.TB, device backend.Device) preview.Inputs {
	t.Helper()
	return preview.Inputs{Position: coursetest.Upload(t, device, a.position),
		Orientation: coursetest.Upload(t, device, a.orientation), S: coursetest.Upload(t, device, a.s)}
}

// somewhere returns agents near the lines; with odd, some are paused, far away, or have no orientation.
func somewhere(r *rand.Rand, l lines, perEnv int, odd bool) (a agents) {
	for e := range l.count {
		for range perEnv {
			p := l.center[e*l.stride()+r.IntN(l.stride())].Add(kernel.V3(r.Float32(), r.Float32(), r.Float32()))
			q, s := anyTurn(r), (3*r.Float32()-1)*l.length[e]
			if odd {
				p.Y = pick(r, p.Y, p.Y, p.Y, kernel.NaN(), kernel.Inf(), 1e30, -2e30, 1e20)
				s = pick(r, s, s, s, 0, l.length[e], kernel.NaN(), -kernel.Inf(), 1e30, -1e-30)
				q.Z = pick(r, q.Z, q.Z, q.Z, kernel.NaN(), kernel.Inf(), 1e25, 0)
				if r.IntN(5) == 0 {
					q = kernel.Quat{}
				}
			}
			a.position, a.orientation, a.s = append(a.position, p), append(a.orientation, q), append(a.s, s)
			a.target = append(a.target, int32(r.IntN(40)-20))
		}
	}
	return a
}

// observe runs an update.
func observe(t testing.TB, device backend.Device, source preview.Source, c preview.Config, at agents) []float32 {
	t.Helper()
	p, err := preview.New(device, source, c)
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	require.NoError(t, p.UpdateAt(t.Context(), at.upload(t, device)))
	b, err := p.Observations().Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, preview.Shape{Envs: source.Count.Len(), Agents: c.Agents, Places: len(c.Distances),
		Channels: c.Channels}, b.Shape)
	return b.Values
}

// spoil makes some points, arc lengths, lengths, curvatures and speeds wrong.
func (l lines) spoil(r *rand.Rand) {
	bad := func() float32 { return pick(r, kernel.NaN(), kernel.Inf(), -kernel.Inf(), 1e30, -1e16) }
	for e := range l.count {
		i := e*l.stride() + r.IntN(l.stride())
		switch r.IntN(8) {
		case 0:
			l.center[i].X = bad()
		case 1:
			l.outer[i].Y = bad()
		case 2:
			l.inner[i].Z = bad()
		case 3:
			l.arclen[i] = bad()
		case 4:
			l.length[e] = pick(r, bad(), 0, -1)
		case 5:
			l.curvature[i], l.speed[i] = bad(), bad()
		case 6:
			l.count[e] = int32(pick(r, -1, l.stride()+7))
		}
	}
}

// configs are configurations with all channels in several orders.
func configs(r *rand.Rand, perEnv int) []preview.Config {
	base := preview.DefaultConfig()
	base.Agents = perEnv
	all := base
	all.Channels, all.Distances = preview.Channels(), []float64{0, -1.5, 7, 0.25, 100, -1e6}
	body := all
	body.Frame, body.LengthScale, body.CurvatureScale, body.SpeedScale = preview.Body, 0.1, 2, 0.05
	mixed := body
	mixed.Channels = slices.Clone(all.Channels)
	r.Shuffle(len(mixed.Channels), func(i, j int) {
		mixed.Channels[i], mixed.Channels[j] = mixed.Channels[j], mixed.Channels[i]
	})
	one := base
	one.Channels = []string{preview.Speed}
	return []preview.Config{base, all, body, mixed, one}
}

// Observations have the bits of the rules, computed by scans, for agents and lines that are as hard as can be.
func TestObservationsHaveTheBitsOfTheRules(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 1))
	device := coursetest.OpenCPU(t, backend.Workers(3))
	seen := 0
	for _, stride := range []int{3, 4, 9, 84, 133} {
		for _, perEnv := range []int{1, 3} {
			for round, c := range configs(r, perEnv) {
				l := roads(r, 12, stride, round%2 == 1)
				if round > 2 {
					l.spoil(r)
				}
				who := somewhere(r, l, perEnv, round > 0)
				want := l.observe(c, who, true)
				coursetest.SameBits(t, "values", want, observe(t, device, l.upload(t, device), c, who))
				for _, x := range want {
					if !math.IsNaN(float64(x)) {
						seen++
					}
				}
			}
		}
	}
	assert.Greater(t, seen, 20000, "numbers")
}

// A line without borders has all other channels, and measures its curvature by C-85.
func TestLineWithoutBorders(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 1))
	device := coursetest.OpenCPU(t)
	l := roads(r, 3, 20, false)
	source := l.upload(t, device)
	c := preview.DefaultConfig()
	c.Channels, c.CurvatureWindow = []string{preview.CenterX, preview.Curvature, preview.Grade}, 0
	for e := range l.count {
		for i := range 20 {
			at := func(k int) kernel.Vec3 { return l.center[e*20+(i+k+20)%20] }
			v, w := at(0).Sub(at(-1)), at(1).Sub(at(0))
			l.curvature[e*20+i] = kernel.Atan2(v.Cross(w).Z, v.Dot(w)) / max(0.5*(v.Len()+w.Len()), 1e-9)
		}
	}
	bare := preview.Source{Center: source.Center, Arclen: source.Arclen, Length: source.Length, Count: source.Count}
	who := somewhere(r, l, 1, false)
	coursetest.SameBits(t, "values", l.observe(c, who, false), observe(t, device, bare, c, who))
}

// The numbers agree with geometry in float64: the place ahead, turned into the frame of the agent.
func TestObservationsAgreeWithGeometry(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 1))
	device := coursetest.OpenCPU(t)
	l := roads(r, 50, 84, false)
	c := preview.DefaultConfig()
	c.Channels = []string{preview.CenterX, preview.CenterY, preview.HeadingCos, preview.HeadingSin, preview.WidthLeft}
	who := somewhere(r, l, 1, false)
	for i := range who.orientation { // yaw alone
		angle := 2 * math.Pi * r.Float64()
		who.orientation[i] = kernel.Quat{Z: float32(math.Sin(angle / 2)), W: float32(math.Cos(angle / 2))}
	}
	got := observe(t, device, l.upload(t, device), c, who)
	for e := range l.count {
		yaw := 2 * math.Atan2(float64(who.orientation[e].Z), float64(who.orientation[e].W))
		for k, d := range c.Distances {
			x, y, heading, width := l.ahead(e, float64(who.s[e])+d)
			x, y = x-float64(who.position[e].X), y-float64(who.position[e].Y)
			want := []float64{x*math.Cos(yaw) + y*math.Sin(yaw), y*math.Cos(yaw) - x*math.Sin(yaw), math.Cos(heading - yaw),
				math.Sin(heading - yaw), width}
			assert.InDeltaSlice(t, want, floats(got[(e*len(c.Distances)+k)*5:][:5]), 2e-3, "env %d place %d", e, k)
		}
	}
}

func floats(list []float32) (out []float64) {
	for _, x := range list {
		out = append(out, float64(x))
	}
	return out
}

// ahead returns the point of a road at an arc length, the heading there, and the width to its left, in float64.
func (l lines) ahead(e int, s float64) (x, y, heading, width float64) {
	n, from, length := l.stride(), e*l.stride(), float64(l.length[e])
	s -= length * math.Floor(s/length)
	i := 0
	for i+1 < n && float64(l.arclen[from+i+1]) <= s {
		i++
	}
	end := length
	if i+1 < n {
		end = float64(l.arclen[from+i+1])
	}
	begin := float64(l.arclen[from+i])
	p, q := l.center[from+i], l.center[from+(i+1)%n]
	t := (s - begin) / (end - begin)
	dx, dy := float64(q.X)-float64(p.X), float64(q.Y)-float64(p.Y)
	return float64(p.X) + t*dx, float64(p.Y) + t*dy, math.Atan2(dy, dx), 0.3 * math.Sqrt(1.01)
}

// gatesFor returns gates with some that are no numbers.
func gatesFor(r *rand.Rand, envs, stride int) (g courses) {
	point := func() kernel.Vec3 {
		return kernel.V3(pick(r, r.Float32(), r.Float32(), r.Float32(), kernel.NaN(), kernel.Inf()), 9*r.Float32(),
			float32(r.NormFloat64()))
	}
	for range envs {
		for range stride {
			g.position, g.forward = append(g.position, point()), append(g.forward, point())
			g.left, g.right = append(g.left, point()), append(g.right, point())
		}
		g.count = append(g.count, int32(pick(r, stride, stride, stride+3, 1, 0, -2)))
	}
	return g
}

func (g courses) upload(t testing.TB, device backend.Device) preview.GateSource {
	t.Helper()
	return preview.GateSource{Position: coursetest.Upload(t, device, g.position),
		Forward: coursetest.Upload(t, device, g.forward), Left: coursetest.Upload(t, device, g.left),
		Right: coursetest.Upload(t, device, g.right), Count: coursetest.Upload(t, device, g.count)}
}

// checkGates compares gates with the rules on a device.
func checkGates(t *testing.T, device backend.Device) {
	t.Helper()
	r := rand.New(rand.NewPCG(24, 1))
	for _, frame := range []string{preview.Body, preview.Level} {
		for _, channels := range [][]string{preview.DefaultGateConfig().Channels, preview.GateChannels(),
			{preview.Distance, preview.ForwardX}} {
			g := gatesFor(r, 9, 7)
			who := somewhere(r, roads(r, 9, 5, false), 3, true)
			c := preview.GateConfig{Agents: 3, Gates: 9, Channels: channels, Frame: frame, LengthScale: 0.5}
			gates, err := preview.NewGates(device, g.upload(t, device), c)
			require.NoError(t, err)
			inputs := who.upload(t, device)
			require.NoError(t, gates.Bind(preview.GateInputs{Position: inputs.Position, Orientation: inputs.Orientation,
				Target: coursetest.Upload(t, device, who.target)}))
			for range 2 {
				require.NoError(t, gates.Update(t.Context()))
			}
			b, err := gates.Observations().Read(t.Context())
			require.NoError(t, err)
			require.NoError(t, gates.Close())
			coursetest.SameBits(t, "values", g.observe(c, who), b.Values)
		}
	}
}

func TestGatesHaveTheBitsOfTheRules(t *testing.T) {
	checkGates(t, coursetest.OpenCPU(t, backend.Workers(3)))
}
