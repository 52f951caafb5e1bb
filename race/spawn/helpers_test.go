package spawn_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/spawn"
)

// zero is the mask of all envs.
var zero exec.Array[int32]

func (l lines) upload(t testing.TB, device backend.Device) spawn.Source {
	t.Helper()
	source := spawn.Source{Center: coursetest.Upload(t, device, l.center), Arclen: coursetest.Upload(t, device, l.arclen),
		Length: coursetest.Upload(t, device, l.length), Count: coursetest.Upload(t, device, l.count)}
	if l.right != nil {
		source.WidthRight, source.WidthLeft = coursetest.Upload(t, device, l.right), coursetest.Upload(t, device, l.left)
	}
	return source
}

// newSpawner makes a spawner that is closed at the end of the test.
func newSpawner(t testing.TB, device backend.Device, source spawn.Source, c spawn.Config,
	with ...spawn.Option) *spawn.Spawner {
	t.Helper()
	spawner, err := spawn.New(device, source, c, with...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, spawner.Close()) })
	return spawner
}

// newAgents returns the arrays of agents, filled with a number that no spawn writes.
func newAgents(t testing.TB, device backend.Device, half []kernel.Vec2) spawn.Agents {
	t.Helper()
	n := len(half)
	a := spawn.Agents{Position: coursetest.Upload(t, device, make([]kernel.Vec3, n)),
		Orientation: coursetest.Upload(t, device, make([]kernel.Quat, n)),
		Velocity:    coursetest.Upload(t, device, make([]kernel.Vec3, n)), HalfExtents: coursetest.Upload(t, device, half)}
	return a
}

// boxes returns half extents, some of which are hard to compute with.
func boxes(n int, odd bool) []kernel.Vec2 {
	list := make([]kernel.Vec2, n)
	for i := range list {
		list[i] = kernel.V2(0.03, 0.015)
		if odd && i%4 == 1 {
			list[i] = []kernel.Vec2{{}, {X: kernel.NaN(), Y: 0.01}, {X: 0.02, Y: kernel.Inf()}, {X: -0.05, Y: -0.02},
				{X: 1e30, Y: 1e30}}[i/4%5]
		}
	}
	return list
}

// winding returns lines of at most n points that wind around the origin, with hills. There are lines of every kind of
// count, and one without a length.
func winding(envs, n int, widths bool) lines {
	r := rand.New(rand.NewPCG(5, uint64(envs)))
	l := lines{arclen: make([]float32, envs*n), length: make([]float32, envs)}
	for e := range envs {
		count := []int32{int32(n), int32(n), int32(n) + 5, int32(n) / 2, 3, 2, 0, -1}[e%8]
		real, phase := max(min(int(count), n), 1), 2*math.Pi*r.Float64()
		for i := range n {
			angle := 2 * math.Pi * float64(i) / float64(real)
			radius := 1 + 0.3*math.Sin(3*angle+phase) + 0.05*math.Sin(17*angle)
			l.center = append(l.center, kernel.V3(float32(radius*math.Cos(angle)), float32(radius*math.Sin(angle)),
				float32(0.3*math.Sin(2*angle+phase))))
			l.right, l.left = append(l.right, roadside(r)), append(l.left, roadside(r))
		}
		row := l.center[e*n:][:real]
		for i, p := range row {
			l.arclen[e*n+i] = l.length[e]
			l.length[e] += row[(i+1)%real].Sub(p).Len()
		}
		l.count = append(l.count, count)
	}
	if !widths {
		l.right, l.left = nil, nil
	}
	return l
}

// roadside returns a width of the road. The conversion rounds the product, so that no compiler fuses it into the sum.
func roadside(r *rand.Rand) float32 { return 0.04 + float32(0.06*r.Float32()) }

// read returns what a spawn has written.
func read(t testing.TB, spawner *spawn.Spawner, a spawn.Agents) []pose {
	t.Helper()
	spots, err := spawner.Spots().Read(context.Background())
	require.NoError(t, err)
	position, orientation := coursetest.Download(t, a.Position), coursetest.Download(t, a.Orientation)
	velocity, list := coursetest.Download(t, a.Velocity), make([]pose, a.Position.Len())
	for i := range list {
		list[i] = pose{position: position[i], velocity: velocity[i], orientation: orientation[i],
			spot: [5]float32{spots.S[i], spots.N[i], spots.Height[i], spots.Yaw[i], spots.Speed[i]}}
	}
	return list
}

// numbers returns all numbers of poses.
func numbers(list []pose) (all []float32) {
	for _, p := range list {
		q := p.orientation
		all = append(all, p.position.X, p.position.Y, p.position.Z, q.X, q.Y, q.Z, q.W, p.velocity.X, p.velocity.Y,
			p.velocity.Z)
		all = append(all, p.spot[:]...)
	}
	return all
}

// configs are settings that use every part of the kernel.
func configs() map[string]spawn.Config {
	ranged := spawn.DefaultConfig()
	ranged.Agents, ranged.Seed = 3, -1000
	ranged.Lateral, ranged.Yaw = spawn.Range{Min: -1, Max: 1}, spawn.Range{Min: -3, Max: 3}
	ranged.Height, ranged.Speed = spawn.Range{Min: 0.1, Max: 0.2}, spawn.Range{Min: -1, Max: 5}
	ranged.Corridor, ranged.Behind = 0.07, 0.2
	all := map[string]spawn.Config{}
	for _, mode := range []string{spawn.Start, spawn.Anywhere, spawn.Grid} {
		for _, attitude := range []string{spawn.Level, spawn.Pitched} {
			c := ranged
			c.Mode, c.Attitude = mode, attitude
			all[mode+" "+attitude] = c
		}
	}
	c := all["grid level"]
	c.Agents, c.Grid = 7, spawn.GridConfig{Columns: 3, RowSpacing: 0.11, Stagger: 0.02, Spread: 0.5}
	all["wide grid"] = c
	c = all["anywhere level"]
	c.Agents, c.Gap = 30, 0.1
	all["full road"] = c
	all["standard"] = spawn.DefaultConfig()
	return all
}
