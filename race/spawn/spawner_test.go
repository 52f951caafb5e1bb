package spawn_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	kernels "github.com/trackgen-go/trackgen/kernels/spawn"
	"github.com/trackgen-go/trackgen/race/spawn"
)

// The columns follow each other as the constants of package kernels/spawn say.
func TestColumns(t *testing.T) {
	require.NoError(t, spawn.Schema.Err())
	names := make([]string, kernels.Spots)
	for k, c := range spawn.Schema.Columns() {
		names[k] = c.Name
	}
	require.Equal(t, "s", names[kernels.SpotS])
	require.Equal(t, "n", names[kernels.SpotN])
	require.Equal(t, "height", names[kernels.SpotHeight])
	require.Equal(t, "yaw", names[kernels.SpotYaw])
	require.Equal(t, "speed", names[kernels.SpotSpeed])
}

// Every wrong setting is refused, with its name, its value and what is allowed.
func TestWrongSettings(t *testing.T) {
	device := coursetest.OpenCPU(t)
	source := square(2, 1).upload(t, device)
	nan := float64(kernel.NaN())
	for want, change := range map[string]func(c *spawn.Config){
		"agents is -1":                  func(c *spawn.Config) { c.Agents = -1 },
		"agents is 1025":                func(c *spawn.Config) { c.Agents = 1025 },
		"seed is 2147483648":            func(c *spawn.Config) { c.Seed = 1 << 31 },
		`mode is "pole"`:                func(c *spawn.Config) { c.Mode = "pole" },
		`attitude is ""`:                func(c *spawn.Config) { c.Attitude = "" },
		"behind is -1":                  func(c *spawn.Config) { c.Behind = -1 },
		"lateral is [-2, 0]":            func(c *spawn.Config) { c.Lateral.Min = -2 },
		"lateral is [1, 0]":             func(c *spawn.Config) { c.Lateral.Min = 1 },
		"corridor is NaN":               func(c *spawn.Config) { c.Corridor = nan },
		"yaw is [0, 4]":                 func(c *spawn.Config) { c.Yaw.Max = 4 },
		"height is [NaN, 0]":            func(c *spawn.Config) { c.Height.Min = nan },
		"speed is [0, +Inf]":            func(c *spawn.Config) { c.Speed.Max = float64(kernel.Inf()) },
		"gap is -1":                     func(c *spawn.Config) { c.Gap = -1 },
		"grid.columns is 0":             func(c *spawn.Config) { c.Grid.Columns = 0 },
		"grid.row_spacing is -0.1":      func(c *spawn.Config) { c.Grid.RowSpacing = -0.1 },
		"grid.stagger is -1":            func(c *spawn.Config) { c.Grid.Stagger = -1 },
		"grid.spread is 1.5: must be a": func(c *spawn.Config) { c.Grid.Spread = 1.5 },
	} {
		c := spawn.DefaultConfig()
		change(&c)
		_, err := spawn.New(device, source, c)
		require.ErrorIs(t, err, spawn.ErrConfig, want)
		require.ErrorContains(t, err, "spawn: new spawner: "+want)
	}
}

// Every wrong argument of the constructor is refused.
func TestWrongArguments(t *testing.T) {
	device, c := coursetest.OpenCPU(t), spawn.DefaultConfig()
	l := square(2, 1)
	l.right, l.left = make([]float32, 8), make([]float32, 8)
	floats, integers := coursetest.Upload(t, device, make([]float32, 3)), coursetest.Upload(t, device, make([]int32, 3))
	for want, change := range map[string]func(s *spawn.Source){
		"count is none":               func(s *spawn.Source) { s.Count = exec.Array[int32]{} },
		"center length is 8: must be": func(s *spawn.Source) { s.Count = integers },
		"center length is 0":          func(s *spawn.Source) { s.Center = exec.Array[kernel.Vec3]{} },
		"arclen length is 3":          func(s *spawn.Source) { s.Arclen = floats },
		"length length is 3":          func(s *spawn.Source) { s.Length = floats },
		"width_right length is 3":     func(s *spawn.Source) { s.WidthRight = floats },
		"width_left ":                 func(s *spawn.Source) { s.WidthLeft = exec.Array[float32]{} },
		"seed length is 3":            func(s *spawn.Source) { s.Seed, s.Epoch = integers, s.Count },
		"epoch ":                      func(s *spawn.Source) { s.Seed = s.Count },
	} {
		source := l.upload(t, device)
		change(&source)
		_, err := spawn.New(device, source, c)
		require.ErrorContains(t, err, "spawn: new spawner: "+want)
		require.ErrorIs(t, err, backend.ErrInvalid)
	}
	require.Zero(t, spawn.SourceOf(nil))
	require.Zero(t, spawn.SourceOfLine(nil))
	require.Zero(t, spawn.Source{}.WithSeeds(nil))
	source := l.upload(t, device)
	_, err := spawn.New(nil, source, c)
	require.ErrorIs(t, err, backend.ErrInvalid)
	_, err = spawn.New(coursetest.OpenCPU(t), source, c)
	require.ErrorIs(t, err, exec.ErrDeviceMismatch)
	_, err = spawn.New(device, source, c, generation.WithSeed(3))
	require.ErrorIs(t, err, backend.ErrInvalid)
	_, err = spawn.New(device, source, c, nil)
	require.ErrorContains(t, err, "option 0 is <nil>")
	stream := device.CurrentStream()
	require.NoError(t, stream.BeginCapture())
	_, err = spawn.New(device, source, c)
	require.ErrorIs(t, err, exec.ErrCapture)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	require.NoError(t, graph.Close())
}

// Agents are bound or given, never both, and have one element each (C-90).
func TestBinding(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t)
	c := spawn.DefaultConfig()
	c.Agents, c.Mode = 3, spawn.Grid
	spawner := newSpawner(t, device, square(2, 1).upload(t, device), c)
	require.ErrorContains(t, spawner.Spawn(ctx, zero), "spawn: spawn: inputs is none")
	right := newAgents(t, device, boxes(6, false))
	vectors := coursetest.Upload(t, device, make([]kernel.Vec3, 5))
	for want, change := range map[string]func(a *spawn.Agents){
		"position length is 5":     func(a *spawn.Agents) { a.Position = vectors },
		"position ":                func(a *spawn.Agents) { a.Position = exec.Array[kernel.Vec3]{} },
		"orientation ":             func(a *spawn.Agents) { a.Orientation = exec.Array[kernel.Quat]{} },
		"velocity length is 5":     func(a *spawn.Agents) { a.Velocity = vectors },
		"half_extents length is 5": func(a *spawn.Agents) { a.HalfExtents = coursetest.Upload(t, device, boxes(5, false)) },
		"half_extents is none: must be an array, because grid.row_spacing is not set": func(a *spawn.Agents) {
			a.HalfExtents = exec.Array[kernel.Vec2]{}
		},
	} {
		wrong := right
		change(&wrong)
		require.ErrorContains(t, spawner.Bind(wrong), "spawn: bind: "+want)
		require.ErrorContains(t, spawner.SpawnAt(ctx, wrong, zero), "spawn: spawn at: "+want)
	}
	few := right
	few.Velocity = exec.Array[kernel.Vec3]{}
	require.NoError(t, spawner.SpawnAt(ctx, few, zero))
	require.Equal(t, make([]kernel.Vec3, 6), coursetest.Download(t, right.Velocity))
	require.NoError(t, spawner.Bind(right))
	require.ErrorContains(t, spawner.SpawnAt(ctx, right, zero), "inputs is of the call and of Bind")
	short := coursetest.Upload(t, device, []int32{1})
	require.ErrorContains(t, spawner.Spawn(ctx, short), "spawn: spawn: mask length is 1")
}

// Binding other arrays warns if a capture has recorded the first ones, however they were recorded (R97).
func TestBindingAfterACapture(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t)
	for _, record := range []func(s *spawn.Spawner) error{
		func(s *spawn.Spawner) error { return s.Spawn(ctx, zero) },
		func(s *spawn.Spawner) error {
			lc, err := exec.For(ctx, device)
			if err != nil {
				return err
			}
			s.EnqueueSpawn(lc, zero)
			return lc.Err()
		},
	} {
		var warnings []exec.Warning
		spawner := newSpawner(t, device, square(1, 1).upload(t, device), spawn.DefaultConfig(),
			spawn.WithWarnings(func(w exec.Warning) { warnings = append(warnings, w) }))
		require.NoError(t, spawner.Bind(newAgents(t, device, boxes(1, false))))
		stream := device.CurrentStream()
		require.NoError(t, stream.BeginCapture())
		require.NoError(t, record(spawner))
		_, err := spawner.Spots().Read(ctx)
		require.ErrorIs(t, err, exec.ErrCapture)
		graph, err := stream.EndCapture()
		require.NoError(t, err)
		require.NoError(t, graph.Close())
		require.Empty(t, warnings)
		require.NoError(t, spawner.Bind(newAgents(t, device, boxes(1, false))))
		require.Len(t, warnings, 1)
	}
}

// Calls of a spawner that no constructor has made, or that is closed, are errors.
func TestMisuse(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t)
	var none *spawn.Spawner
	require.ErrorContains(t, none.Spawn(ctx, zero), "spawn: spawn: receiver")
	require.ErrorIs(t, none.Bind(spawn.Agents{}), backend.ErrInvalid)
	require.ErrorIs(t, none.SpawnAt(ctx, spawn.Agents{}, zero), backend.ErrInvalid)
	require.Nil(t, none.Spots())
	require.Zero(t, none.Source())
	require.Zero(t, none.Config())
	require.Zero(t, none.Bytes())
	require.NoError(t, none.Close())
	_, err := none.Spots().Read(ctx)
	require.ErrorContains(t, err, "spawn: read: receiver is <nil>")
	_, err = none.Spots().Clone(ctx)
	require.ErrorIs(t, err, backend.ErrInvalid)
	require.NoError(t, none.Spots().Close())

	c := spawn.DefaultConfig()
	c.Agents = 0
	spawner, a := newSpawner(t, device, square(2, 1).upload(t, device), c), newAgents(t, device, boxes(2, false))
	require.NoError(t, spawner.SpawnAt(ctx, a, zero))
	require.Equal(t, 1, spawner.Config().Agents)
	require.Positive(t, spawner.Bytes())
	clone, err := spawner.Spots().Clone(ctx)
	require.NoError(t, err)
	copied, err := clone.Read(ctx)
	require.NoError(t, err)
	spots, err := spawner.Spots().Read(ctx)
	require.NoError(t, err)
	require.Equal(t, spots, copied)
	require.NoError(t, clone.Close())

	require.NoError(t, spawner.Close())
	require.NoError(t, spawner.Close())
	require.ErrorIs(t, spawner.SpawnAt(ctx, a, zero), backend.ErrClosed)
	for _, enqueue := range []func(lc *exec.LaunchContext){
		func(lc *exec.LaunchContext) { spawner.EnqueueSpawn(lc, zero) },
		func(lc *exec.LaunchContext) { spawner.EnqueueSpawnAt(lc, a, zero) },
	} {
		lc, err := exec.For(ctx, device)
		require.NoError(t, err)
		enqueue(lc)
		require.ErrorIs(t, lc.Err(), backend.ErrClosed)
	}
}
