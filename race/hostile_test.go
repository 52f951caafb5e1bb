package race_test

import (
	"math"
	"reflect"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/race"
	"github.com/trackgen-go/trackgen/race/curriculum"
	"github.com/trackgen-go/trackgen/race/difficulty"
	"github.com/trackgen-go/trackgen/race/flight"
	"github.com/trackgen-go/trackgen/race/preview"
	"github.com/trackgen-go/trackgen/race/pursuit"
	"github.com/trackgen-go/trackgen/race/raceline"
	"github.com/trackgen-go/trackgen/race/rangefinder"
	"github.com/trackgen-go/trackgen/race/reward"
	"github.com/trackgen-go/trackgen/race/spawn"
	"github.com/trackgen-go/trackgen/race/vehicle"
	"github.com/trackgen-go/trackgen/track"
)

// Validate, which does no device work, refuses arrays that are too large, with what makes them so.
func TestArraysWithTooManyElements(t *testing.T) {
	for want, change := range map[string]func(c *race.Config){
		"beams is 65536: must be at most 8191 for 64 agents in each of 4096 envs": func(c *race.Config) {
			c.Rangefinder.Beams = 65536
		},
		"agents is 64: must be at most 131071 agents in all 4096 envs": func(c *race.Config) {
			c.Preview.Distances = make([]float64, 4096)
			c.Preview.Channels = []string{preview.CenterX, preview.CenterY, preview.CenterZ, preview.Speed}
		},
	} {
		c := lively()
		c.Course.Tracks.NumEnvs, c.Course.Agents = 4096, 64
		c.Spawn.Mode = "start"
		require.NoError(t, c.Validate())
		change(&c)
		err := c.Validate()
		require.ErrorIs(t, err, race.ErrConfig)
		require.ErrorContains(t, err, want)

		tracks := &track.Track{Envs: c.Course.Tracks.NumEnvs}
		c.Course.Tracks, c.Autoreset = nil, race.Never
		_, err = race.Over(coursetest.OpenCPU(t), course.Source{Tracks: tracks}, c)
		require.ErrorIs(t, err, race.ErrConfig)
		require.ErrorContains(t, err, want)
	}
	_, err := race.Over(coursetest.OpenCPU(t), course.Source{Tracks: &track.Track{}}, restarting(lively()))
	require.ErrorIs(t, err, backend.ErrInvalid)
	_, err = race.Over(coursetest.OpenCPU(t), course.Source{Gates: &gate.Sequence{}}, restarting(flying()))
	require.ErrorIs(t, err, backend.ErrInvalid)
}

// restarting returns a configuration for batches of the caller.
func restarting(c race.Config) race.Config {
	c.Course.Tracks, c.Course.Gates, c.Autoreset = nil, nil, race.Restart
	return c
}

// What gates do not have is refused before there are gates.
func TestBordersOfGates(t *testing.T) {
	c := flying()
	c.Preview.Channels = []string{preview.CenterX, preview.LeftX}
	err := c.Validate()
	require.ErrorIs(t, err, race.ErrConfig)
	require.ErrorContains(t, err, "channels is [center_x left_x]: must be those of a line without borders: not left_x")
}

// filled are the fields that a race fills in, so that what stands there does not count.
var filled = map[string]bool{
	".Vehicle.NumEnvs": true, ".Vehicle.Agents": true, ".Vehicle.Seed": true, ".Spawn.Agents": true, ".Spawn.Seed": true,
	".Spawn.Speed.Min": true, ".Spawn.Speed.Max": true, ".Raceline.CarWidth": true,
	".Raceline.LateralAcceleration": true, ".Raceline.Acceleration": true, ".Raceline.Braking": true,
	".Raceline.MaxSpeed": true, ".Reward.Agents": true, ".Reward.Channels": true, ".Reward.TimeStep": true,
	".Preview.Agents": true, ".Rangefinder.Agents": true, ".Rangefinder.Seed": true, ".Gates.Agents": true,
}

// Every number of a configuration that is not finite, and every whole number that is far out of range, is refused.
func TestHostileNumbers(t *testing.T) {
	for _, made := range []func(...func(*race.Config)) race.Config{lively, flying} {
		refuseHostile(t, made(), race.Config.Validate, filled)
	}
	refuseHostile(t, curriculum.DefaultConfig(), curriculum.Config.Validate, map[string]bool{".Labels.CarWidth": true})
	refuseHostile(t, difficulty.DefaultConfig(), difficulty.Config.Validate, nil)
	refuseHostile(t, flight.DefaultConfig(), flight.Config.Validate, nil)
	refuseHostile(t, preview.DefaultConfig(), preview.Config.Validate, nil)
	refuseHostile(t, preview.DefaultGateConfig(), preview.GateConfig.Validate, nil)
	refuseHostile(t, pursuit.DefaultConfig(), pursuit.Config.Validate, nil)
	refuseHostile(t, raceline.DefaultConfig(), raceline.Config.Validate, nil)
	refuseHostile(t, rangefinder.DefaultConfig(), rangefinder.Config.Validate, nil)
	refuseHostile(t, reward.DefaultConfig(), reward.Config.Validate, nil)
	refuseHostile(t, spawn.DefaultConfig(), spawn.Config.Validate, nil)
	refuseHostile(t, vehicle.DefaultConfig(), vehicle.Config.Validate, nil)
}

// refuseHostile checks that validate refuses each number of a configuration, but those of apart, if it is not finite or
// far too large.
func refuseHostile[C any](t *testing.T, c C, validate func(C) error, apart map[string]bool) {
	t.Helper()
	require.NoError(t, validate(c))
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64} {
		walk(reflect.ValueOf(&c).Elem(), "", func(name string, v reflect.Value) {
			put := reflect.ValueOf(bad)
			switch {
			case apart[name]:
				return
			case v.Kind() == reflect.Int && bad > 0:
				put = reflect.ValueOf(math.MaxInt)
			case v.Kind() == reflect.Int:
				put = reflect.ValueOf(math.MinInt)
			case v.Kind() != reflect.Float64:
				return
			}
			was := reflect.ValueOf(v.Interface())
			v.Set(put)
			assert.ErrorIs(t, validate(c), race.ErrConfig, "%T%s = %v", c, name, put)
			v.Set(was)
		})
	}
	require.NoError(t, validate(c))
}

// walk visits the leaves of a value.
func walk(v reflect.Value, name string, visit func(name string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			walk(v.Elem(), name, visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			walk(v.Field(i), name+"."+v.Type().Field(i).Name, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), name, visit)
		}
	default:
		visit(name, v)
	}
}

// Arrays of another device, zero arrays and closed ones are refused, and actions that are no numbers leave none in the
// rewards of envs.
func TestHostileArrays(t *testing.T) {
	ctx, device, other := t.Context(), coursetest.OpenCPU(t), coursetest.OpenCPU(t)
	r, err := race.New(device, lively())
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	foreign := coursetest.Upload(t, other, make([]float32, 20))
	closed, err := exec.NewArray[float32](device, 20)
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	for _, a := range []exec.Array[float32]{foreign, closed, {}} {
		require.Error(t, r.BindActions(a))
		require.Error(t, r.StepActions(ctx, a))
	}
	mask := coursetest.Upload(t, other, make([]int32, loopEnvs))
	require.ErrorContains(t, r.Reset(ctx, mask), "race: reset: mask belongs to another opening of device")
	wild := make([]float32, 20)
	for i := range wild {
		wild[i] = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32}[i%4]
	}
	actions := coursetest.Upload(t, device, wild)
	for range 100 {
		require.NoError(t, r.StepActions(ctx, actions))
	}
	out, err := r.Outcomes().Read(ctx)
	require.NoError(t, err)
	state, err := r.State().Read(ctx)
	require.NoError(t, err)
	for i := range out.Reward {
		require.False(t, math.IsNaN(float64(out.Reward[i])), "reward of agent %d", i)
		require.False(t, math.IsInf(float64(out.Reward[i]), 0), "reward of agent %d", i)
		p := state.Position[i]
		require.Less(t, math.Abs(float64(p.X))+math.Abs(float64(p.Y)), 1e4, "position of agent %d", i)
	}
}

// Calls from several goroutines are done or refused, and nothing else.
func TestConcurrentCalls(t *testing.T) {
	ctx, device := t.Context(), coursetest.OpenCPU(t)
	l := newLoop(t, device, nil, lively())
	var group sync.WaitGroup
	for k := range 4 {
		group.Go(func() {
			for range 20 {
				var err error
				switch k {
				case 0, 1:
					err = l.race.Step(ctx)
				case 2:
					err = l.race.Reset(ctx, exec.Array[int32]{})
				case 3:
					err = l.race.SetSeeds(ctx, []int32{1, 2, 3, 4, 5})
				}
				if err != nil {
					require.ErrorIs(t, err, exec.ErrConcurrentUse)
				}
			}
		})
	}
	group.Wait()
	l.call(ctx)
}
