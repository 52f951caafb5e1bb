package race_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/course/speed"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/race"
	"github.com/trackgen-go/trackgen/race/flight"
	"github.com/trackgen-go/trackgen/race/preview"
	"github.com/trackgen-go/trackgen/race/pursuit"
	"github.com/trackgen-go/trackgen/race/reward"
	"github.com/trackgen-go/trackgen/race/spawn"
	"github.com/trackgen-go/trackgen/race/vehicle"
	"github.com/trackgen-go/trackgen/track"
)

// The table has the fields of all parts once, in groups that exist, and sets those of the parts.
func TestFields(t *testing.T) {
	groups := map[string]bool{}
	for _, g := range race.Kind().Groups() {
		groups[g.Name] = true
	}
	names := map[string]bool{}
	for _, f := range race.Fields() {
		assert.False(t, names[f.Name], "%s is twice in the table", f.Name)
		assert.True(t, groups[f.Group()], "the group of %s is not in the list", f.Name)
		assert.NotEqual(t, reflect.Invalid, f.Type().Kind())
		names[f.Name] = true
	}
	// Of the fields of the parts, the table leaves out those that a race fills in: agents 3 times, num_envs, channels,
	// time_step, seed twice, and the speed of spawns.
	parts := len(course.Fields()) + len(vehicle.Fields()) + len(spawn.Fields()) + len(speed.Fields()) +
		len(reward.Fields())
	assert.Len(t, names, 18+parts-9, "autoreset, bridges, follow, racing line 3, observe 12, and the fields of the parts")
	c := race.DefaultConfig()
	for name, value := range map[string]any{"agents": 3, "vehicle.time_step": 0.01, "car.mass": vehicle.Exactly(4),
		"ends.laps": 2, "weights.passed": 1.5, "reward.walls": true, "spawn.mode": "grid", "grid.columns": 1,
		"speed.max_speed": 7.0, "checkpoints.spacing": 1.0, "autoreset": race.Never} {
		f, ok := race.Kind().Named(name)
		require.True(t, ok, name)
		require.NoError(t, f.Set(&c, value), name)
	}
	assert.Equal(t, 3, c.Course.Agents)
	assert.InDelta(t, 0.01, c.Vehicle.TimeStep, 0)
	assert.Equal(t, vehicle.Exactly(4), c.Vehicle.Car.Mass)
	assert.Equal(t, 2, c.Reward.Ends.Laps)
	assert.InDelta(t, 1.5, c.Reward.Weights.Passed, 0)
	assert.True(t, c.Reward.Walls)
	assert.Equal(t, "grid", c.Spawn.Mode)
	assert.Equal(t, 1, c.Spawn.Grid.Columns)
	assert.InDelta(t, 7, c.Speed.MaxSpeed, 0)
	assert.InDelta(t, 1, c.Course.Checkpoints.Spacing, 0)
	assert.Equal(t, race.Never, c.Autoreset)
}

// Fields of files make observations, of cars and of drones, where the program sets no others.
func TestObserve(t *testing.T) {
	device := coursetest.OpenCPU(t)
	for name, c := range map[string]race.Config{"cars": lively(), "drones": flying()} {
		c.Preview, c.Gates, c.Rangefinder = nil, nil, nil
		values := map[string]any{"observe.places": 7, "observe.spacing": 0.25, "observe.beams": 9, "observe.range": 12.0}
		if name == "drones" {
			values["observe.gates"] = 2
		}
		for field, value := range values {
			f, ok := race.Kind().Named(field)
			require.True(t, ok, field)
			require.NoError(t, f.Set(&c, value), field)
		}
		r, err := race.New(device, c)
		require.NoError(t, err, name)
		seen, err := r.Observations().Read(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 7, seen.Preview.Places, name)
		assert.InDelta(t, 1.75, r.Config().Preview.Distances[6], 0)
		assert.Equal(t, 9, seen.Scans.Beams)
		assert.InDelta(t, 12, r.Config().Rangefinder.Range, 0)
		assert.Equal(t, name == "drones", seen.Gates != nil)
		require.NoError(t, r.Close())
	}
}

// Every wrong field is refused before any device work, with its name, its value and what is allowed.
func TestWrongConfigurations(t *testing.T) {
	device := coursetest.OpenCPU(t)
	for want, change := range map[string]func(c *race.Config){
		`autoreset is "later": must be one of regenerate, restart, never`: func(c *race.Config) { c.Autoreset = "later" },
		"tracks is nil": func(c *race.Config) { c.Course.Tracks = nil },
		"localize.enabled is false: must be true":                 func(c *race.Config) { c.Course.Localize.Enabled = false },
		"boxes is 4: must be 0: each vehicle has one box":         func(c *race.Config) { c.Course.Boxes = 4 },
		`model is "boat": must be one of kinematic, single_track`: func(c *race.Config) { c.Vehicle.Model = "boat" },
		"ends.laps is -1": func(c *race.Config) { c.Reward.Ends.Laps = -1 },
		`mode is "air": must be one of start, anywhere, grid`: func(c *race.Config) { c.Spawn.Mode = "air" },
		`follow is "inside": must be one of centre, racing`:   func(c *race.Config) { c.Follow = "inside" },
		"follow is racing: must be centre for gates and drones": func(c *race.Config) {
			c.Follow, c.Vehicle.Model = race.Racing, vehicle.Drone
		},
		"observe.places is 5000: must be":     func(c *race.Config) { c.Preview, c.Observe.Places = nil, 5000 },
		"margin is -1: must be a number >= 0": func(c *race.Config) { c.Raceline.Margin = -1 },
		"observe.distances is [1]: must be [] with observe.places": func(c *race.Config) {
			c.Preview, c.Observe.Places, c.Observe.Distances = nil, 2, []float64{1}
		},
		"observe.channels is [center_x]: must be [] without observe.places": func(c *race.Config) {
			c.Preview, c.Observe.Channels = nil, []string{preview.CenterX}
		},
		"observe.channels is [center_x, center_x]: must be a list of different names of center_x": func(c *race.Config) {
			c.Observe.Channels = []string{preview.CenterX, preview.CenterX}
		},
		"observe.distances is [1, NaN]: must be a list of numbers, each >= -1000000": func(c *race.Config) {
			c.Observe.Distances = []float64{1, math.NaN()}
		},
		"observe.motion is [thrust]: must be for the model single_track of velocity_x": func(c *race.Config) {
			c.Observe.Motion = []string{race.Thrust}
		},
		"observe.vector is true: must be false without observations": func(c *race.Config) {
			c.Preview, c.Rangefinder, c.Observe.Motion, c.Observe.Vector = nil, nil, nil, true
		},
		"gates is set: must be nil for tracks, which have no gates": func(c *race.Config) {
			c.Gates = &preview.GateConfig{Gates: 2}
		},
		"distances is of 0 places": func(c *race.Config) {
			c.Preview = &preview.Config{Channels: []string{preview.CenterX}}
		},
		"the configuration is without its defaults: must be one that began as D": func(c *race.Config) { *c = race.Config{} },
	} {
		c := lively()
		change(&c)
		_, err := race.New(device, c)
		require.ErrorContains(t, err, "race: new: ")
		require.ErrorContains(t, err, want)
		require.ErrorIs(t, err, race.ErrConfig)
	}
	_, err := race.New(nil, lively())
	require.ErrorIs(t, err, backend.ErrInvalid)
	_, err = race.Over(device, course.Source{}, race.DefaultConfig())
	require.ErrorContains(t, err, "race: over: source is empty")
}

// A race over tracks of the caller restarts episodes on the same tracks, and cannot generate others.
func TestOver(t *testing.T) {
	ctx, device := t.Context(), coursetest.OpenCPU(t)
	g, err := track.NewGenerator(device, *roads(2))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	source := course.Source{Tracks: g.Track()}
	c := race.DefaultConfig()
	_, err = race.Over(device, source, c)
	require.ErrorContains(t, err, "autoreset is regenerate: must be restart or never: tracks of the caller are not gener")
	c.Autoreset, c.Reward.Ends.MaxSteps = race.Restart, 20
	starts := map[int32]bool{}
	for _, seed := range []int32{1, 2} {
		c.Spawn.Mode = spawn.Anywhere
		r, err := race.Over(device, source, c, track.WithSeed(seed))
		require.NoError(t, err)
		for _, x := range coursetest.Download(t, r.Course().Signals().Places.Segment) {
			starts[x] = true
		}
		actions := coursetest.Upload(t, device, make([]float32, 4))
		for range 50 {
			require.NoError(t, r.StepActions(ctx, actions))
		}
		require.Equal(t, []int32{2, 2}, coursetest.Download(t, r.Episodes()))
		require.NoError(t, r.Close())
	}
	require.Len(t, starts, 4, "each env has another start with each seed")
}

// New seeds begin as a new race with them does.
func TestSetSeeds(t *testing.T) {
	device := coursetest.OpenCPU(t)
	l, want := newLoop(t, device, nil, lively()), newLoop(t, device, nil, lively())
	for range 60 {
		l.call(t.Context())
	}
	require.NotEqual(t, want.hash(), l.hash())
	require.NoError(t, l.race.SetSeeds(t.Context(), []int32{3, 4, 5, 6, 7}))
	for range 60 {
		l.call(t.Context())
		want.call(t.Context())
	}
	require.Equal(t, want.hash(), l.hash())
	require.ErrorContains(t, l.race.SetSeeds(t.Context(), []int32{1}), "race: set seeds: values is 1: must be one for")
}

// Calls that come too early, too late or with the wrong arrays are refused.
func TestMisuse(t *testing.T) {
	ctx, device := t.Context(), coursetest.OpenCPU(t)
	c := lively()
	r, err := race.New(device, c)
	require.NoError(t, err)
	short, right := coursetest.Upload(t, device, make([]float32, 3)), coursetest.Upload(t, device, make([]float32, 20))
	mask := coursetest.Upload(t, device, make([]int32, 2))
	require.ErrorContains(t, r.Step(ctx), "race: step: inputs is none")
	require.ErrorContains(t, r.BindActions(short), "race: bind actions: actions length is 3: must be 20")
	require.ErrorContains(t, r.StepActions(ctx, short), "actions length is 3")
	require.ErrorContains(t, r.Reset(ctx, mask), "mask length is 2")
	require.NoError(t, r.BindActions(right))
	require.ErrorContains(t, r.StepActions(ctx, right), "inputs is of the call and of Bind")
	c.Vehicle.Control = vehicle.Rate
	rate, err := race.New(device, c)
	require.NoError(t, err)
	defer func() { require.NoError(t, rate.Close()) }()
	_, err = rate.NewPursuit(pursuit.DefaultConfig())
	require.ErrorContains(t, err, "vehicle.control is rate of single_track: must be target of a car")
	_, err = rate.NewDriver(1)
	require.ErrorContains(t, err, "race: new pursuit: vehicle.control is rate of single_track")
	_, err = rate.NewFlight(flight.DefaultConfig())
	require.ErrorContains(t, err, "race: new flight: vehicle.model is single_track: must be drone")
	drones, err := race.New(device, flying())
	require.NoError(t, err)
	defer func() { require.NoError(t, drones.Close()) }()
	_, err = drones.NewPursuit(pursuit.DefaultConfig())
	require.ErrorContains(t, err, "vehicle.control is target of drone: must be target of a car")
	require.NoError(t, r.Close())
	require.NoError(t, r.Close())
	lc, err := exec.For(ctx, device)
	require.NoError(t, err)
	calls := func(r *race.Race) []error {
		_, pursuitErr := r.NewPursuit(pursuit.DefaultConfig())
		_, flightErr := r.NewFlight(flight.DefaultConfig())
		_, driverErr := r.NewDriver(1)
		r.EnqueueStep(lc)
		r.EnqueueReset(lc, mask)
		return []error{r.Step(ctx), r.StepActions(ctx, right), r.Reset(ctx, mask), r.BindActions(right),
			r.SetSeeds(ctx, nil), pursuitErr, flightErr, driverErr, lc.Err()}
	}
	for i, err := range calls(r) {
		require.ErrorIs(t, err, backend.ErrClosed, "call %d", i)
	}
	for _, none := range []*race.Race{nil, {}} {
		for i, err := range calls(none)[:8] {
			require.ErrorContains(t, err, "receiver is <nil>", "call %d", i)
		}
		require.NoError(t, none.Close())
		require.Nil(t, none.Course())
		require.Nil(t, none.State())
		require.Nil(t, none.Outcomes())
		require.True(t, none.Episodes().IsZero())
		_, err = none.Totals().Read(ctx)
		require.ErrorContains(t, err, "the Totals of a Race")
	}
}
