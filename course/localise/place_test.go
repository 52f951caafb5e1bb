package localise_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/localise"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// spots are places along lines in host memory.
type spots struct{ s, n, up []float32 }

func (s spots) upload(t testing.TB, device backend.Device) localise.Spots {
	t.Helper()
	return localise.Spots{S: coursetest.Upload(t, device, s.s), N: coursetest.Upload(t, device, s.n),
		NUp: coursetest.Upload(t, device, s.up)}
}

// poses returns arrays for the poses of n agents.
func poses(t testing.TB, device backend.Device, n int) localise.Poses {
	t.Helper()
	return localise.Poses{Position: coursetest.Upload(t, device, make([]kernel.Vec3, n)),
		Orientation: coursetest.Upload(t, device, make([]kernel.Quat, n))}
}

// posesOf returns all components of poses.
func posesOf(t testing.TB, p localise.Poses) []float32 {
	t.Helper()
	list := coursetest.Components(coursetest.Download(t, p.Position))
	for _, q := range coursetest.Download(t, p.Orientation) {
		list = append(list, q.X, q.Y, q.Z, q.W)
	}
	return list
}

// poseAt is the pose of a spot on the line of an env as C-83 has it.
func (l lines) poseAt(e int, s, n, up float32) (kernel.Vec3, kernel.Quat) {
	nan := kernel.NaN()
	m := min(int(l.count[e]), l.stride())
	if m < 3 || !kernel.IsFinite(s) {
		return kernel.V3(nan, nan, nan), kernel.Quat{X: nan, Y: nan, Z: nan, W: nan}
	}
	arclen, whole := l.arclen[e*l.stride():][:m], l.length[e]
	at := s - float32(kernel.Floor(s/whole)*whole)
	if at < 0 {
		at += whole
	}
	if !(at < whole) {
		at = 0
	}
	i := m - 1
	for i > 0 && !(arclen[i] <= at) {
		i--
	}
	end := whole
	if i+1 < m {
		end = arclen[i+1]
	}
	u := float32(0)
	if step := end - arclen[i]; step > 1e-12 {
		u = min(max((at-arclen[i])/step, 0), 1)
	}
	a, b := l.row(e)[i], l.row(e)[(i+1)%m]
	way := [3]float32{b.X - a.X, b.Y - a.Y, b.Z - a.Z}
	right, above := axesOf(way)
	var p [3]float32
	for k, from := range [3]float32{a.X, a.Y, a.Z} {
		p[k] = coursetest.OneNaN(from + float32(way[k]*u) + float32(right[k]*n) + float32(above[k]*up))
	}
	return kernel.V3(p[0], p[1], p[2]), headingOf(way[0], way[1])
}

// headingOf returns the rotation about z to a direction, by half of its angle.
func headingOf(x, y float32) kernel.Quat {
	size := kernel.Sqrt(float32(x*x) + float32(y*y))
	if size < 1e-12 {
		return kernel.Quat{W: 1}
	}
	c, s := x/size, y/size
	if c >= 0 {
		w := kernel.Sqrt(float32(0.5 * (1 + c)))
		return kernel.Quat{Z: s / float32(2*w), W: w}
	}
	z := kernel.CopySign(kernel.Sqrt(float32(0.5*(1-c))), s)
	return kernel.Quat{Z: z, W: s / float32(2*z)}
}

// spotsOn returns spots on and beside lines.
func spotsOn(r *rand.Rand, l lines, agents int) (at spots) {
	for i := range len(l.count) * agents {
		s := (6*r.Float32() - 3) * l.length[i/agents]
		if r.IntN(8) == 0 {
			s = pick(r, kernel.NaN(), kernel.Inf(), 0, -1e-30, l.length[i/agents], -l.length[i/agents], 1e20)
		}
		at.s, at.n, at.up = append(at.s, s), append(at.n, 0.1*r.Float32()-0.05), append(at.up, 0.1*r.Float32())
	}
	return at
}

// checkPlace compares the poses on a device with those of the rules, for all envs and for some.
func checkPlace(t *testing.T, device backend.Device) {
	t.Helper()
	const envs, agents = 6, 7
	r := rand.New(rand.NewPCG(41, 42))
	l := adverse(r, envs, 84, false)
	localiser := newLocaliser(t, device, l, agents, 0)
	to, mask := poses(t, device, envs*agents), []int32{1, 0, 5, 1, 0, 1}
	want := posesOf(t, to)
	for _, masked := range []bool{true, false} {
		at := spotsOn(r, l, agents)
		chosen := exec.Array[int32]{}
		if masked {
			chosen = coursetest.Upload(t, device, mask)
		}
		require.NoError(t, localiser.Place(t.Context(), at.upload(t, device), to, chosen))
		for i := range at.s {
			if !masked || mask[i/agents] != 0 {
				p, q := l.poseAt(i/agents, at.s[i], at.n[i], at.up[i])
				copy(want[3*i:], []float32{p.X, p.Y, p.Z})
				copy(want[3*envs*agents+4*i:], []float32{q.X, q.Y, q.Z, q.W})
			}
		}
		coursetest.SameBits(t, "poses", want, posesOf(t, to))
	}
}

func TestPlaceHasTheBitsOfTheRules(t *testing.T) { checkPlace(t, coursetest.OpenCPU(t)) }

// An agent that was placed is located where it was placed, and looks along the line.
func TestPlaceIsTheInverseOfLocate(t *testing.T) {
	device, r := coursetest.OpenCPU(t), rand.New(rand.NewPCG(51, 52))
	const agents = 300
	l := lines{center: winding(840, 9), count: []int32{840}}.measured()
	localiser := newLocaliser(t, device, l, agents, 0)
	at, to := spots{}, poses(t, device, agents)
	for range agents {
		at.s, at.n = append(at.s, r.Float32()*l.length[0]), append(at.n, 0.04*r.Float32()-0.02)
		at.up = append(at.up, 0.02*r.Float32())
	}
	require.NoError(t, localiser.Place(t.Context(), at.upload(t, device), to, exec.Array[int32]{}))
	require.NoError(t, localiser.LocateAt(t.Context(), to.Position))
	got := framesOf(t, localiser)
	for i := range agents {
		require.InDelta(t, at.s[i], got.s[i], 5e-3, "agent %d: beside a corner, the foot is not that of the spot", i)
		require.InDelta(t, at.n[i], got.n[i], 1e-3, "agent %d", i)
		require.InDelta(t, at.up[i], got.up[i], 1e-3, "agent %d", i)
	}
	segment := got.segment[0]
	a, b := l.center[segment], l.center[(segment+1)%840]
	q := coursetest.Download(t, to.Orientation)[0]
	require.InDelta(t, math.Atan2(float64(b.Y-a.Y), float64(b.X-a.X)), 2*math.Atan2(float64(q.Z), float64(q.W)), 1e-2)
}

// Wrong arrays of a placement are refused.
func TestWrongPlacement(t *testing.T) {
	device := coursetest.OpenCPU(t)
	l := lines{center: winding(4, 1), count: []int32{4}}.measured()
	localiser := newLocaliser(t, device, l, 2, 0)
	at, to := spots{make([]float32, 2), make([]float32, 2), make([]float32, 2)}.upload(t, device), poses(t, device, 2)
	short := coursetest.Upload(t, device, []float32{1})
	place := func(at localise.Spots, to localise.Poses, mask exec.Array[int32]) error {
		return localiser.Place(t.Context(), at, to, mask)
	}
	require.NoError(t, place(at, to, exec.Array[int32]{}))
	require.ErrorContains(t, place(localise.Spots{S: short, N: at.N, NUp: at.NUp}, to, exec.Array[int32]{}),
		"localise: place: s length is 1")
	require.ErrorContains(t, place(at, localise.Poses{Position: to.Position}, exec.Array[int32]{}), "orientation")
	require.ErrorContains(t, place(at, to, coursetest.Upload(t, device, []int32{1, 1})), "mask length is 2")
	var none *localise.Localiser
	require.ErrorContains(t, none.Place(t.Context(), at, to, exec.Array[int32]{}), "receiver is <nil>")
	require.Zero(t, testing.AllocsPerRun(20, func() { _ = place(at, to, exec.Array[int32]{}) }))
}
