package rangefinder_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/rangefinder"
)

// checkWalls compares ranges with a visit to every segment, bit for bit.
func checkWalls(t *testing.T, device backend.Device, s scene, c rangefinder.Config) (hits int) {
	t.Helper()
	got := s.scan(t, device, s.source(t, device, false), c)
	for i := range s.position {
		for k := range c.Beams {
			at := i*c.Beams + k
			want, hit := kernel.NaN(), int32(rangefinder.HitNone)
			if list := s.beams(c, i); list != nil {
				want, hit = s.walls(list[k], i/c.Agents, float32(c.Range))
			}
			if math.Float32bits(want) != math.Float32bits(got.Distance[at]) || hit != got.Hit[at] {
				t.Fatalf("agent %d, beam %d: %v (%d), must be %v (%d)", i, k, got.Distance[at], got.Hit[at], want, hit)
			}
			hits += int(min(hit, 1))
		}
	}
	return hits
}

// configs are configurations of beams.
func configs(perEnv int) []rangefinder.Config {
	base := rangefinder.DefaultConfig()
	base.Agents, base.Beams, base.Range = perEnv, 37, 1e6
	around := base
	around.Beams, around.FieldOfView = 16, 2*math.Pi // with multiples of 45 degrees
	near := base
	near.Range, near.PlaceX, near.PlaceY, near.Offset = 1.5, 0.2, -0.1, 1
	one := base
	one.Beams, one.FieldOfView = 1, 0
	few := base
	few.Beams, few.FieldOfView = 3, 2*math.Pi // no rings
	dense := base
	dense.Beams, dense.FieldOfView, dense.Offset = 40, 0.0025, 0.1
	return []rangefinder.Config{base, around, near, one, few, dense}
}

// The search through the index has the bits of a visit to every segment, on borders and for agents that are as hard as
// can be.
func TestWallsHaveTheBitsOfTheRules(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 1))
	device := coursetest.OpenCPU(t, backend.Workers(3))
	hits := 0
	for _, stride := range []int{3, 4, 9, 84, 133} {
		for round := range 6 {
			for _, c := range configs(1 + round%3) {
				hits += checkWalls(t, device, adverse(r, 6, stride, c.Agents, round > 2), c)
				hits += checkWalls(t, device, road(r, 2, stride, c.Agents), c)
			}
		}
	}
	assert.Greater(t, hits, 10000)
}

// A search begins where the last one of the agent began. Wherever the agent goes from there, ranges have the bits of
// the first search.
func TestAgentsMayGoAnywhere(t *testing.T) {
	r := rand.New(rand.NewPCG(47, 1))
	device, c := coursetest.OpenCPU(t), rangefinder.DefaultConfig()
	for _, n := range []int{4, 20, 300} {
		s := road(r, 8, n, 1)
		source := s.source(t, device, false)
		finder, err := rangefinder.New(device, source, c)
		require.NoError(t, err)
		for range 6 {
			for e := range s.position {
				at := pick(r, s.inner[e*n+r.IntN(n)], s.outer[e*n+r.IntN(n)])
				s.position[e] = at.Scale(pick[float32](r, 1, 1.01, 0.96, 3, 0))
			}
			require.NoError(t, finder.UpdateAt(t.Context(), s.inputs(t, device)))
			got, err := finder.Scans().Read(t.Context())
			require.NoError(t, err)
			require.Equal(t, s.scan(t, device, source, c), got)
			for i := range s.position {
				for k, b := range s.beams(c, i) {
					want, hit := s.walls(b, i, float32(c.Range))
					require.Equal(t, want, got.Distance[i*c.Beams+k], "%d points, agent %d, beam %d", n, i, k)
					require.Equal(t, hit, got.Hit[i*c.Beams+k], "%d points, agent %d, beam %d", n, i, k)
				}
			}
		}
		require.NoError(t, finder.Close())
	}
}

// More beams than a ring may have are several rings.
func TestManyBeams(t *testing.T) {
	r := rand.New(rand.NewPCG(48, 1))
	c := rangefinder.DefaultConfig()
	c.Beams, c.FieldOfView = 2500, 2*math.Pi
	checkWalls(t, coursetest.OpenCPU(t), road(r, 3, 60, 1), c)
}

// checkExact compares rays with a brute force in float64: ranges differ by at most 1e-5 of the size of the scene. A
// beam may differ more only where it passes a point so near that a margin of 1e-6 of the size decides.
func checkExact(t *testing.T, r *rand.Rand, envs, n, perEnv, most int) {
	t.Helper()
	const size = 13.5
	c := rangefinder.DefaultConfig()
	c.Agents, c.Beams, c.Range, c.PlaceX = perEnv, 100, 1000, 0.1
	s := road(r, envs, n, perEnv)
	device := coursetest.OpenCPU(t)
	got := s.scan(t, device, s.source(t, device, false), c)
	near := 0
	for i := range s.position {
		e := i / perEnv
		var lines [2][]kernel.Vec2
		for k, points := range [][]kernel.Vec3{s.inner, s.outer} {
			for _, p := range s.border(points, e) {
				lines[k] = append(lines[k], plan(p))
			}
		}
		for k, b := range s.beams(c, i) {
			is, x := float64(got.Distance[i*c.Beams+k]), exactOf(b)
			want := min(x.loop(lines[0], 0), x.loop(lines[1], 0), c.Range)
			if math.Abs(is-want) <= 1e-5*size {
				continue
			}
			near++
			low := min(x.loop(lines[0], 1e-6*size), x.loop(lines[1], 1e-6*size), c.Range)
			high := min(x.loop(lines[0], -1e-6*size), x.loop(lines[1], -1e-6*size), c.Range)
			if is < low-1e-5*size || is > high+1e-5*size {
				t.Fatalf("agent %d, beam %d: %v, must be %v, at least from %v to %v", i, k, is, want, low, high)
			}
		}
	}
	assert.LessOrEqual(t, near, most, "beams that pass a point")
}

func TestRangesAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(42, 1))
	checkExact(t, r, 20, 84, 10, 2)
	checkExact(t, r, 4, 840, 5, 2)
}

// No beam leaves a closed wall, however exactly it is aimed at a point of it, and its range is that of the point.
func TestNoBeamPassesBetweenSegments(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 1))
	device := coursetest.OpenCPU(t)
	for round := range 40 {
		n, scale := 3+r.IntN(60), math.Pow(10, float64(round%9-4))
		center := kernel.V3(float32(r.NormFloat64()*scale), float32(r.NormFloat64()*scale), 0)
		s := scene{count: []int32{int32(n)}}
		for i := range n {
			a := 2 * math.Pi * (float64(i) + 0.3*r.Float64()) / float64(n)
			out := (1 + r.Float64()) * scale
			p := center.Add(kernel.V3(float32(out*math.Cos(a)), float32(out*math.Sin(a)), 0))
			s.outer = append(s.outer, p)
			s.inner = append(s.inner, center.Add(kernel.V3(float32(1e3*scale), 0, 0))) // far away
			// Aimed at the point, and a rounding beside it.
			for range 3 {
				v := plan(p.Sub(center))
				s.position, s.half = append(s.position, center), append(s.half, kernel.Vec2{})
				s.orientation = append(s.orientation, yaw(math.Atan2(float64(v.Y), float64(v.X))+1e-7*(r.Float64()-0.5)))
			}
		}
		c := rangefinder.Config{Agents: 3 * n, Beams: 1, Range: 1e6, Frame: rangefinder.Level, DiscRadius: 1,
			FrameThickness: 1, FrameDepth: 1}
		got := s.scan(t, device, s.source(t, device, false), c)
		for i, hit := range got.Hit {
			require.EqualValues(t, rangefinder.HitOuter, hit, "round %d, agent %d", round, i)
			want := float64(s.outer[i/3].Sub(center).Len())
			require.InDelta(t, want, got.Distance[i], 2e-5*want*float64(n), "round %d, agent %d", round, i)
		}
	}
}

// An agent on a wall measures 0 in every direction that has the wall behind it or ahead, and never looks through it.
func TestOriginOnAWall(t *testing.T) {
	device := coursetest.OpenCPU(t)
	square := []kernel.Vec3{{X: 0, Y: 0}, {X: 4, Y: 0}, {X: 4, Y: 4}, {X: 0, Y: 4}}
	far := []kernel.Vec3{{X: 90, Y: 90}, {X: 91, Y: 90}, {X: 91, Y: 91}, {X: 90, Y: 91}}
	s := scene{inner: far, outer: square, count: []int32{4}}
	for _, p := range []kernel.Vec3{{X: 4, Y: 1}, {X: 1, Y: 0}, {X: 4, Y: 4}, {X: 0, Y: 0}} {
		s.position, s.half = append(s.position, p), append(s.half, kernel.Vec2{})
		s.orientation = append(s.orientation, yaw(0.3))
	}
	c := rangefinder.DefaultConfig()
	c.Agents, c.Beams, c.FieldOfView = 4, 24, 2*math.Pi
	for i, distance := range s.scan(t, device, s.source(t, device, false), c).Distance {
		require.Zero(t, distance, "%d", i)
	}
	// A beam along a wall goes on to the wall across it.
	s.position, s.orientation = []kernel.Vec3{{X: 1, Y: 1}}, []kernel.Quat{{W: 1}}
	s.outer[0].Y, s.outer[1].Y = 1, 1
	c = rangefinder.DefaultConfig()
	c.Beams, c.FieldOfView = 1, 0
	require.EqualValues(t, 3, s.scan(t, device, s.source(t, device, false), c).Distance[0])
}

// frameRange returns the range of a beam to the frame of a gate, in float64, by the planes of its four blocks.
func (s scene) frameRange(b beam, height float64, j int, c rangefinder.Config) float64 {
	x := exactOf(b)
	angle := 2 * math.Atan2(float64(s.axes[j].Z), float64(s.axes[j].W))
	sin, cos := math.Sincos(angle)
	dx, dy := x.x-float64(s.gate[j].X), x.y-float64(s.gate[j].Y)
	from := [3]float64{dx*cos + dy*sin, dy*cos - dx*sin, height - float64(s.gate[j].Z)}
	way := [3]float64{x.dx*cos + x.dy*sin, x.dy*cos - x.dx*sin, 0}
	half, thick, best := float64(s.width[j]), c.FrameThickness/2, math.Inf(1)
	for k := range 4 {
		middle := [3]float64{0, half + thick, 0}
		size := [3]float64{c.FrameDepth / 2, thick, half + 2*thick}
		if k%2 == 1 {
			middle[1] = -middle[1]
		}
		if k >= 2 {
			middle[1], middle[2], size[1], size[2] = 0, middle[1], size[2], size[1]
		}
		low, high := 0.0, math.Inf(1)
		for axis := range 3 {
			p := from[axis] - middle[axis]
			if way[axis] == 0 {
				if math.Abs(p) > size[axis] {
					high = -1
				}
				continue
			}
			u, v := (-size[axis]-p)/way[axis], (size[axis]-p)/way[axis]
			low, high = max(low, min(u, v)), min(high, max(u, v))
		}
		if low <= high {
			best = min(best, low)
		}
	}
	return best
}

// boxRange returns the range of a beam to the box of another agent, in float64: 0 inside.
func (s scene) boxRange(x exact, agent int) float64 {
	corners := s.corners(agent)
	inside := true
	for k, a := range corners {
		e := corners[(k+1)%4]
		inside = inside && (float64(e.X)-float64(a.X))*(x.y-float64(a.Y))-
			(float64(e.Y)-float64(a.Y))*(x.x-float64(a.X)) >= 0
	}
	if inside {
		return 0
	}
	return x.loop(corners[:], 0)
}

// Other agents, discs and frames are hit where float64 has it, and what is hit is said. Where a beam grazes, rounding
// decides, so a few beams may differ.
func TestObstaclesAreExact(t *testing.T) {
	const perEnv, size = 3, 13.5
	r := rand.New(rand.NewPCG(44, 1))
	c := rangefinder.DefaultConfig()
	c.Agents, c.SeeAgents, c.Beams, c.DiscRadius, c.FrameThickness, c.FrameDepth = perEnv, true, 200, 0.08, 0.05, 0.1
	s := road(r, 40, 60, perEnv)
	for i := range s.position { // close to each other
		s.position[i].Z = 0.1
		if i%perEnv > 0 {
			s.position[i] = s.position[i-1].Add(kernel.V3(r.Float32()-0.5, 2*r.Float32()-1, 0))
		}
	}
	device := coursetest.OpenCPU(t, backend.Workers(2))
	got := s.scan(t, device, s.source(t, device, true), c)
	seen, odd := map[int32]int{}, 0
	for i := range s.position {
		e := i / perEnv
		for k, b := range s.beams(c, i) {
			wall, hit := s.walls(b, e, float32(c.Range))
			want, x := float64(wall), exactOf(b)
			for j := e * perEnv; j < (e+1)*perEnv; j++ {
				if other := s.boxRange(x, j); j != i && other < want {
					want, hit = other, rangefinder.HitAgent
				}
				post := min(x.disc(s.discs[j], float64(float32(c.DiscRadius))), s.frameRange(b, float64(float32(0.1)), j, c))
				if post < want {
					want, hit = post, rangefinder.HitPost
				}
			}
			at := i*c.Beams + k
			if math.Abs(want-float64(got.Distance[at])) > 1e-5*size || hit != got.Hit[at] {
				odd++
			}
			seen[got.Hit[at]]++
		}
	}
	assert.LessOrEqual(t, odd, len(got.Hit)/4000, "beams that graze, of %d", len(got.Hit))
	for hit := int32(rangefinder.HitInner); hit <= rangefinder.HitPost; hit++ {
		assert.Greater(t, seen[hit], 200, "hit %d", hit)
	}
}

// Posts are discs at both ends of gates.
func TestPosts(t *testing.T) {
	device := coursetest.OpenCPU(t)
	c := rangefinder.DefaultConfig()
	c.Beams, c.FieldOfView, c.DiscRadius = 3, math.Pi, 0.5
	s := scene{count: []int32{0}, position: make([]kernel.Vec3, 1), orientation: []kernel.Quat{{W: 1}},
		half: make([]kernel.Vec2, 1)}
	source := rangefinder.Source{Envs: 1, Left: coursetest.Upload(t, device, []kernel.Vec3{{X: 3, Y: 0}}),
		Right: coursetest.Upload(t, device, []kernel.Vec3{{X: 0, Y: -2}})}
	b := s.scan(t, device, source, c)
	require.Equal(t, []float32{1.5, 2.5, 30}, b.Distance)
	require.Equal(t, []int32{rangefinder.HitPost, rangefinder.HitPost, rangefinder.HitNone}, b.Hit)
}

// A sensor in the plane of a body that is pitched up by an angle measures longer ranges, and none straight up.
func TestBodyFrame(t *testing.T) {
	device := coursetest.OpenCPU(t)
	wall := []kernel.Vec3{{X: -4, Y: -4}, {X: 4, Y: -4}, {X: 4, Y: 4}, {X: -4, Y: 4}}
	s := scene{inner: wall, outer: wall, count: []int32{4}}
	for _, pitch := range []float64{0, math.Pi / 3, math.Pi / 2} {
		s.position, s.half = append(s.position, kernel.Vec3{}), append(s.half, kernel.Vec2{})
		s.orientation = append(s.orientation, kernel.Quat{Y: -float32(math.Sin(pitch / 2)), W: float32(math.Cos(pitch / 2))})
	}
	c := rangefinder.DefaultConfig()
	c.Agents, c.Beams, c.FieldOfView, c.Frame = 3, 1, 0, rangefinder.Body
	b := s.scan(t, device, s.source(t, device, false), c)
	require.InDeltaSlice(t, []float64{4, 8, 30}, []float64{float64(b.Distance[0]), float64(b.Distance[1]),
		float64(b.Distance[2])}, 1e-5)
	require.Equal(t, []int32{rangefinder.HitInner, rangefinder.HitInner, rangefinder.HitNone}, b.Hit)
}

// Noise has the mean and the deviation of its settings, comes again with the same seed, epoch and step, and differs
// with another.
func TestNoise(t *testing.T) {
	ctx, device, r := t.Context(), coursetest.OpenCPU(t), rand.New(rand.NewPCG(45, 1))
	s := road(r, 10, 40, 2)
	c := rangefinder.DefaultConfig()
	c.Agents, c.Beams, c.FieldOfView = 2, 500, 2*math.Pi
	exact := s.scan(t, device, s.source(t, device, false), c)
	c.Sigma, c.Dropout = 0.01, 0.1
	source := s.source(t, device, false)
	source.Seed = coursetest.Upload(t, device, make([]int32, 10))
	source.Epoch = coursetest.Upload(t, device, make([]int32, 10))
	finder, err := rangefinder.New(device, source, c)
	require.NoError(t, err)
	defer func() { require.NoError(t, finder.Close()) }()
	require.NoError(t, finder.Bind(s.inputs(t, device)))
	step := func() []float32 {
		require.NoError(t, finder.Update(ctx))
		b, err := finder.Scans().Read(ctx)
		require.NoError(t, err)
		return b.Distance
	}
	first := step()
	lost, sum, squares := 0.0, 0.0, 0.0
	for i, x := range first {
		if x == 30 {
			lost++
			continue
		}
		off := float64(x) - float64(exact.Distance[i])
		sum, squares = sum+off, squares+off*off
	}
	n := float64(len(first)) - lost
	assert.InDelta(t, 0.1, lost/float64(len(first)), 0.015)
	assert.InDelta(t, 0, sum/n, 0.0005)
	assert.InDelta(t, 0.01, math.Sqrt(squares/n), 0.0005)
	assert.NotEqual(t, first[:500], first[500:1000], "agents differ")

	second := step()
	assert.NotEqual(t, first, second, "steps differ")
	require.NoError(t, finder.Reset(ctx, coursetest.Upload(t, device, []int32{1, 0, 0, 0, 0, 0, 0, 0, 0, 0})))
	mixed := step()
	assert.Equal(t, first[:1000], mixed[:1000], "env 0 begins again")
	assert.NotEqual(t, first[1000:], mixed[1000:])
	require.NoError(t, source.Epoch.Write(ctx, []int32{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}))
	require.NoError(t, finder.Reset(ctx, exec.Array[int32]{}))
	assert.NotEqual(t, first[:500], step()[:500], "epochs differ")
	require.NoError(t, source.Epoch.Write(ctx, make([]int32, 10)))
	require.NoError(t, finder.Reset(ctx, exec.Array[int32]{}))
	assert.Equal(t, first, step(), "all begin again")
}

// A beam at a small angle to a long wall meets it where float64 has it.
func TestGrazingBeams(t *testing.T) {
	const envs, size = 400, 100
	r := rand.New(rand.NewPCG(46, 1))
	s := scene{}
	for range envs {
		phi := 2 * math.Pi * r.Float64()
		at := func(x, y float64) kernel.Vec3 {
			return kernel.V3(float32(x*math.Cos(phi)-y*math.Sin(phi)), float32(x*math.Sin(phi)+y*math.Cos(phi)), 0)
		}
		s.outer = append(s.outer, at(-50, -1), at(50, -1), at(50, 1), at(-50, 1))
		s.inner = append(s.inner, at(900, 900), at(901, 900), at(901, 901), at(900, 901))
		s.count = append(s.count, 4)
		graze := math.Pow(10, -2-2*r.Float64())
		s.position, s.half = append(s.position, at(-45, 1-60*graze)), append(s.half, kernel.Vec2{})
		s.orientation = append(s.orientation, yaw(phi+graze))
	}
	device, c := coursetest.OpenCPU(t), rangefinder.DefaultConfig()
	c.Beams, c.FieldOfView, c.Range = 1, 0, 1000
	got := s.scan(t, device, s.source(t, device, false), c)
	for e := range envs {
		var line []kernel.Vec2
		for _, p := range s.border(s.outer, e) {
			line = append(line, plan(p))
		}
		require.InDelta(t, exactOf(s.beams(c, e)[0]).loop(line, 0), got.Distance[e], 1e-5*size, "env %d", e)
	}
}
