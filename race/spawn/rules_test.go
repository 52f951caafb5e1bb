package spawn_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/course/localise"
	"github.com/trackgen-go/trackgen/course/progress"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/spawn"
	"github.com/trackgen-go/trackgen/track"
)

// tracksOf returns a batch of generated tracks.
func tracksOf(t *testing.T, device backend.Device, envs int) *track.Track {
	t.Helper()
	c := track.DefaultConfig()
	c.NumEnvs = envs
	generator, err := track.NewGenerator(device, c, track.WithSeed(7))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, generator.Close()) })
	return generator.Track()
}

// Boxes are on the road, wherever across it and however they are turned, and do not touch each other. They are where
// the spots say, on the line.
func TestBoxesAreOnTheRoad(t *testing.T) {
	const envs, agents = 40, 6
	ctx, device := t.Context(), coursetest.OpenCPU(t)
	tracks := tracksOf(t, device, envs)
	half := make([]kernel.Vec2, envs*agents)
	for i := range half {
		half[i] = kernel.V2(0.012, 0.006)
	}
	borders, err := collision.NewBorders(device, collision.BordersOf(tracks), collision.BordersConfig{Boxes: agents})
	require.NoError(t, err)
	defer func() { require.NoError(t, borders.Close()) }()
	others, err := collision.NewAgents(device, collision.AgentConfig{Envs: envs, Boxes: agents})
	require.NoError(t, err)
	defer func() { require.NoError(t, others.Close()) }()
	localiser, err := localise.New(device, localise.SourceOf(tracks), localise.Config{Agents: agents})
	require.NoError(t, err)
	defer func() { require.NoError(t, localiser.Close()) }()
	length := coursetest.Download(t, tracks.Length)
	for _, mode := range []string{spawn.Anywhere, spawn.Grid} {
		c := spawn.DefaultConfig()
		c.Agents, c.Mode, c.Yaw = agents, mode, spawn.Range{Min: -0.4, Max: 0.4}
		if mode == spawn.Anywhere {
			c.Lateral = spawn.Range{Min: -0.9, Max: 0.9}
		} else {
			c.Yaw, c.Grid.RowSpacing = spawn.Range{}, 0.07 // rows are nearer to each other inside a bend
		}
		spawner, a := newSpawner(t, device, spawn.SourceOf(tracks), c), newAgents(t, device, half)
		for range 10 {
			require.NoError(t, spawner.SpawnAt(ctx, a, zero))
			contacts, err := borders.QueryBoxes(ctx, collision.Boxes{Position: a.Position, Orientation: a.Orientation,
				HalfExtents: a.HalfExtents})
			require.NoError(t, err)
			road, err := contacts.Read(ctx)
			require.NoError(t, err)
			met, err := others.QueryBoxes(ctx, collision.Boxes{Position: a.Position, Orientation: a.Orientation,
				HalfExtents: a.HalfExtents})
			require.NoError(t, err)
			hits, err := met.Read(ctx)
			require.NoError(t, err)
			require.NoError(t, localiser.LocateAt(ctx, a.Position))
			places, err := localiser.Frames().Read(ctx)
			require.NoError(t, err)
			spots, err := spawner.Spots().Read(ctx)
			require.NoError(t, err)
			require.Equal(t, make([]int32, envs*agents), road.OutOfBounds, "%s: off the road", mode)
			require.Equal(t, make([]int32, envs*agents), hits.Hit, "%s: touching", mode)
			for i := range spots.S {
				require.InDelta(t, spots.N[i], places.N[i], 0.01, "%s, agent %d", mode, i)
				off := math.Remainder(float64(spots.S[i]-places.S[i]), float64(length[i/agents]))
				require.InDelta(t, 0, off, 0.1, "%s, agent %d: beside the line, feet are elsewhere in bends", mode, i)
			}
		}
	}
}

// An agent at the start passes checkpoint 0 as soon as it drives on: its lap begins there.
func TestStartIsBeforeTheFirstCheckpoint(t *testing.T) {
	const envs = 30
	ctx, device := t.Context(), coursetest.OpenCPU(t)
	tracks := tracksOf(t, device, envs)
	sampler, err := checkpoints.NewSampler(device, checkpoints.SourceOf(tracks), checkpoints.Config{Spacing: 0.5})
	require.NoError(t, err)
	defer func() { require.NoError(t, sampler.Close()) }()
	tracker, err := progress.NewTracker(device, sampler.Set(), progress.Config{})
	require.NoError(t, err)
	defer func() { require.NoError(t, tracker.Close()) }()
	spawner, a := newSpawner(t, device, spawn.SourceOf(tracks), spawn.DefaultConfig()), newAgents(t, device,
		boxes(envs, false))
	require.NoError(t, spawner.SpawnAt(ctx, a, zero))
	update := func() *progress.HostEvents {
		events, err := tracker.UpdateAt(ctx, a.Position)
		require.NoError(t, err)
		host, err := events.Read(ctx)
		require.NoError(t, err)
		return host
	}
	require.Equal(t, make([]int32, envs), update().Passed)
	positions, orientations := coursetest.Download(t, a.Position), coursetest.Download(t, a.Orientation)
	for i, q := range orientations {
		angle := 2 * math.Atan2(float64(q.Z), float64(q.W))
		positions[i] = positions[i].Add(kernel.V3(float32(math.Cos(angle)), float32(math.Sin(angle)), 0).Scale(0.08))
	}
	require.NoError(t, a.Position.Write(ctx, positions))
	e := update()
	require.Equal(t, make([]int32, envs), e.CheckpointPassed, "each has passed checkpoint 0")
}

// Anywhere is uniform along the line for each agent, and the agents of an env are in order and apart.
func TestAnywhereIsUniform(t *testing.T) {
	const envs, agents, parts, gap = 6000, 3, 10, 0.7
	device, l := coursetest.OpenCPU(t), square(envs, 4)
	c := spawn.DefaultConfig()
	c.Agents, c.Mode, c.Gap = agents, spawn.Anywhere, gap
	spawner, a := newSpawner(t, device, l.upload(t, device), c), newAgents(t, device, boxes(envs*agents, false))
	require.NoError(t, spawner.SpawnAt(t.Context(), a, zero))
	spots, err := spawner.Spots().Read(t.Context())
	require.NoError(t, err)
	for first := range agents {
		var number [parts]int
		for i := first; i < envs*agents; i += agents {
			number[int(spots.S[i]/16*parts)]++
		}
		for _, n := range number {
			require.InDelta(t, envs/parts, n, 4.5*math.Sqrt(envs/parts))
		}
	}
	for e := range envs {
		for k := range agents {
			ahead := float64(spots.S[e*agents+(k+1)%agents]) - float64(spots.S[e*agents+k])
			require.GreaterOrEqual(t, math.Mod(ahead+16, 16), gap-1e-5)
		}
	}
}

// square returns lines around squares with the given side, of four points each, driven counter-clockwise.
func square(envs int, side float32) (l lines) {
	for range envs {
		l.center = append(l.center, kernel.V3(0, 0, 1), kernel.V3(side, 0, 1), kernel.V3(side, side, 1),
			kernel.V3(0, side, 1))
		l.arclen = append(l.arclen, 0, side, 2*side, 3*side)
		l.length, l.count = append(l.length, 4*side), append(l.count, 4)
	}
	return l
}

// The grid stands in rows before the start, the first row with the fronts at it.
func TestGrid(t *testing.T) {
	device, l := coursetest.OpenCPU(t), square(1, 100)
	for range 4 {
		l.right, l.left = append(l.right, 5), append(l.left, 3)
	}
	c := spawn.DefaultConfig()
	c.Agents, c.Mode, c.Grid.Stagger, c.Behind = 5, spawn.Grid, 2, 0.5
	half := make([]kernel.Vec2, 5)
	for i := range half {
		half[i] = kernel.V2(2, 1)
	}
	spawner, a := newSpawner(t, device, l.upload(t, device), c), newAgents(t, device, half)
	require.NoError(t, spawner.SpawnAt(t.Context(), a, zero))
	// A thousandth of 400 is 0.4; a row is 6 behind the last one; half of the room is 2 on the right and 1 on the left.
	// The last side of the square goes to -y, so its right is -x.
	want := [][2]float32{{1, 2.9}, {-2, 4.9}, {1, 8.9}, {-2, 10.9}, {1, 14.9}}
	for i, p := range read(t, spawner, a) {
		assert.InDelta(t, want[i][0], p.position.X, 1e-3, "agent %d", i)
		assert.InDelta(t, want[i][1], p.position.Y, 1e-3, "agent %d", i)
		assert.EqualValues(t, 1, p.position.Z)
		assert.InDelta(t, -math.Pi/2, 2*math.Atan2(float64(p.orientation.Z), float64(p.orientation.W)), 1e-6)
	}
}

// A pitched agent looks along the line in space, turned by the yaw, and moves where it looks. A level one looks along
// the line in plan view.
func TestAttitude(t *testing.T) {
	device := coursetest.OpenCPU(t)
	l := square(1, 4)
	l.center[0].Z, l.center[1].Z = 0, 3 // the first side rises by 3 on 4
	l.arclen, l.length = []float32{0, 5, 10, 14}, []float32{18}
	for _, attitude := range []string{spawn.Level, spawn.Pitched} {
		c := spawn.DefaultConfig()
		c.Mode, c.Attitude, c.Yaw, c.Speed = spawn.Anywhere, attitude, spawn.Range{Min: -1, Max: 1},
			spawn.Range{Min: 10, Max: 10}
		spawner, a := newSpawner(t, device, l.upload(t, device), c), newAgents(t, device, boxes(1, false))
		for seen := 0; seen < 3; {
			require.NoError(t, spawner.SpawnAt(t.Context(), a, zero))
			p := read(t, spawner, a)[0]
			if p.spot[0] >= 5 {
				continue
			}
			seen++
			yaw := float64(p.spot[3])
			want := [3]float64{math.Cos(yaw), math.Sin(yaw), 0}
			if attitude == spawn.Pitched {
				want = [3]float64{0.8 * math.Cos(yaw), 0.8 * math.Sin(yaw), 0.6}
			}
			look := forward(p.orientation)
			for k, x := range [3]float32{p.velocity.X, p.velocity.Y, p.velocity.Z} {
				require.InDelta(t, want[k], look[k], 1e-6, attitude)
				require.InDelta(t, 10*want[k], x, 1e-5, attitude)
			}
		}
	}
}

// forward returns the direction to which a unit quaternion turns x.
func forward(q kernel.Quat) [3]float64 {
	x, y, z, w := float64(q.X), float64(q.Y), float64(q.Z), float64(q.W)
	return [3]float64{1 - 2*(y*y+z*z), 2 * (x*y + z*w), 2 * (x*z - y*w)}
}

// Envs with the same seed and epoch begin alike, whatever their number; seeds of a source are not advanced.
func TestSeeds(t *testing.T) {
	ctx, device := t.Context(), coursetest.OpenCPU(t)
	c := spawn.DefaultConfig()
	c.Agents, c.Mode, c.Seed = 2, spawn.Anywhere, 40
	l := square(3, 1)
	own, a := newSpawner(t, device, l.upload(t, device), c), newAgents(t, device, boxes(6, false))
	require.NoError(t, own.SpawnAt(ctx, a, zero))
	first := read(t, own, a)
	source := l.upload(t, device)
	source.Seed, source.Epoch = coursetest.Upload(t, device, []int32{42, 40, 41}), coursetest.Upload(t, device,
		[]int32{1, 1, 1})
	given, b := newSpawner(t, device, source, c), newAgents(t, device, boxes(6, false))
	for range 2 {
		require.NoError(t, given.SpawnAt(ctx, b, zero))
		require.Equal(t, append(append([]pose{}, first[4:]...), first[:4]...), read(t, given, b))
	}
	require.Equal(t, []int32{1, 1, 1}, coursetest.Download(t, given.Source().Epoch))
	require.NoError(t, source.Epoch.Write(ctx, []int32{1, 2, 1}))
	require.NoError(t, given.SpawnAt(ctx, b, zero))
	again := read(t, given, b)
	require.Equal(t, first[4:], again[:2])
	require.NotEqual(t, first[:2], again[2:4])
	require.NoError(t, own.SpawnAt(ctx, a, coursetest.Upload(t, device, []int32{1, 0, 0})))
	require.Equal(t, again[2:4], read(t, own, a)[:2], "the second epoch of seed 40")
	require.Equal(t, []int32{2, 1, 1}, coursetest.Download(t, own.Source().Epoch))
}
