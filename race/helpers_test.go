package race_test

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/race"
	"github.com/trackgen-go/trackgen/race/preview"
	"github.com/trackgen-go/trackgen/race/pursuit"
	"github.com/trackgen-go/trackgen/race/rangefinder"
	"github.com/trackgen-go/trackgen/race/spawn"
	"github.com/trackgen-go/trackgen/race/vehicle"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// loopEnvs is the number of envs of the loops of tests.
const loopEnvs = 5

// roads is a configuration of tracks on which a small race car has room.
func roads(envs int) *track.Config {
	c := tracktest.Config(track.Bezier, envs, func(c *track.Config) {
		c.Scale, c.Road.HalfWidth = 10, 1
	})
	return &c
}

// lively is a race with all that a race of cars can have, whose episodes end often: some cars crash, others have no
// time.
func lively(change ...func(c *race.Config)) race.Config {
	c := race.DefaultConfig()
	c.Course.Tracks, c.Course.Agents, c.Course.Collision.Agents = roads(loopEnvs), 2, true
	c.Vehicle.Car.Mass = vehicle.Around(3.74, 0.2)
	c.Vehicle.StartSpeed = vehicle.Range{Min: 1, Max: 4}
	c.Spawn.Mode, c.Spawn.Yaw, c.Spawn.Lateral = "grid", spawn.Range{Min: -0.2, Max: 0.2}, spawn.Range{Min: -0.3, Max: 0.3}
	c.Reward.Weights.Passed, c.Reward.Weights.Failure, c.Reward.Weights.Smoothness = 1, -5, -0.1
	c.Reward.Ends.MaxSteps, c.Reward.Ends.Env = 45, "any"
	ahead := preview.DefaultConfig()
	beams := rangefinder.DefaultConfig()
	beams.Beams, beams.SeeAgents, beams.Sigma = 16, true, 0.01
	c.Preview, c.Rangefinder = &ahead, &beams
	c.Observe.Motion, c.Observe.Vector = race.MotionChannels(c.Vehicle.Model), true
	for _, f := range change {
		f(&c)
	}
	return c
}

// flying is a race of drones through gates with all that it can have, whose episodes end often.
func flying(change ...func(c *race.Config)) race.Config {
	gates := gate.DefaultConfig()
	gates.NumEnvs, gates.Scale, gates.Gate.Radius, gates.Gate.Width = loopEnvs, 40, 1, 1.6
	c := race.DefaultDroneConfig()
	c.Course.Gates, c.Course.Agents, c.Course.Collision.Agents = &gates, 2, true
	c.Course.Frames.Enabled, c.Course.Frames.Thickness, c.Course.Frames.Depth = true, 0.2, 0.2
	c.Course.Frames.AgentRadius = 0.2
	c.Vehicle.Drone.Mass = vehicle.Around(0.752, 0.2)
	c.Vehicle.StartSpeed = vehicle.Range{Min: 1, Max: 4}
	c.Spawn.Mode, c.Spawn.Corridor, c.Spawn.Height = "grid", 1, spawn.Range{Min: -0.2, Max: 0.2}
	c.Reward.Weights.Passed, c.Reward.Weights.Failure, c.Reward.Weights.Smoothness = 1, -5, -0.1
	c.Reward.Ends.MaxSteps, c.Reward.Ends.Env, c.Reward.Ends.Collision = 45, "any", true
	ahead, next, beams := preview.DefaultConfig(), preview.DefaultGateConfig(), rangefinder.DefaultConfig()
	ahead.Channels = []string{preview.CenterX, preview.CenterY, preview.CenterZ, preview.Speed}
	beams.Beams, beams.SeeAgents, beams.Sigma = 16, true, 0.01
	c.Preview, c.Gates, c.Rangefinder = &ahead, &next, &beams
	c.Observe.Motion, c.Observe.Vector = race.MotionChannels(c.Vehicle.Model), true
	for _, f := range change {
		f(&c)
	}
	return c
}

// loop is a race with a driver that is too fast for the road.
type loop struct {
	testing.TB
	race   *race.Race
	driver race.Driver
}

// newLoop makes a loop on a stream, nil for the device's own.
func newLoop(tb testing.TB, device backend.Device, stream backend.Stream, c race.Config) *loop {
	tb.Helper()
	r, err := race.New(device, c, track.WithSeed(3), track.WithStream(stream))
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, r.Close()) })
	driver := tooFast(tb, r, c, stream)
	tb.Cleanup(func() { require.NoError(tb, driver.Close()) })
	require.NoError(tb, r.BindActions(driver.Actions()))
	return &loop{TB: tb, race: r, driver: driver}
}

// tooFast returns a driver that wants more than the speed of the profile.
func tooFast(tb testing.TB, r *race.Race, c race.Config, stream backend.Stream) race.Driver {
	tb.Helper()
	if c.Vehicle.Model == vehicle.Drone {
		driver, err := r.NewDriver(1.6, track.WithStream(stream))
		require.NoError(tb, err)
		return driver
	}
	fast := pursuit.DefaultConfig()
	fast.SpeedFactor = 1.6
	driver, err := r.NewPursuit(fast, pursuit.WithStream(stream))
	require.NoError(tb, err)
	return driver
}

// call makes a step by calls.
func (l *loop) call(ctx context.Context) {
	l.Helper()
	require.NoError(l, l.driver.Update(ctx))
	require.NoError(l, l.race.Step(ctx))
}

// enqueue emits a step without any policy.
func (l *loop) enqueue(lc *exec.LaunchContext) {
	l.driver.EnqueueUpdate(lc)
	l.race.EnqueueStep(lc)
}

// words returns all that a race holds, in host memory.
func (l *loop) words() []any {
	l.Helper()
	ctx := l.Context()
	var all []any
	add := func(part any, err error) {
		l.Helper()
		require.NoError(l, err)
		all = append(all, part)
	}
	add(l.race.State().Read(ctx))
	add(l.race.Outcomes().Read(ctx))
	add(l.race.Totals().Read(ctx))
	add(l.race.Observations().Read(ctx))
	add(l.race.Profile().Read(ctx))
	add(l.race.Episodes().Read(ctx))
	add(l.race.Course().Signals().Read(ctx))
	return all
}

// hash returns a hash of the bits of all that a race holds.
func (l *loop) hash() uint64 {
	l.Helper()
	h := fnv.New64a()
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i))
			}
		case reflect.Slice:
			if v.Type().Elem().Kind() != reflect.String {
				require.NoError(l, binary.Write(h, binary.LittleEndian, v.Interface()))
			}
		}
	}
	for _, part := range l.words() {
		walk(reflect.ValueOf(part))
	}
	return h.Sum64()
}

// episodes returns the numbers of the episodes.
func (l *loop) episodes() []int32 {
	l.Helper()
	return coursetest.Download(l, l.race.Episodes())
}

// sourceOf returns tracks as what a race drives on.
func sourceOf(t *track.Track) course.Source { return course.Source{Tracks: t} }
