package race_test

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/course/localise"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race"
	"github.com/trackgen-go/trackgen/race/preview"
	"github.com/trackgen-go/trackgen/race/rangefinder"
	"github.com/trackgen-go/trackgen/race/reward"
	"github.com/trackgen-go/trackgen/race/spawn"
	"github.com/trackgen-go/trackgen/race/vehicle"
	"github.com/trackgen-go/trackgen/track"
)

// Each chunk of a long run is a race of its own, by its number alone, so that a run can go on at any chunk.
var (
	soakSteps = flag.Int("race.steps", 230_000, "agent-steps of TestSoak, which the build tag slow makes 1,000,000,000")
	soakFirst = flag.Int("race.first", 0, "first chunk of TestSoak, to go on with a run")
	soakEnvs  = flag.Int("race.envs", 8, "envs of each race of TestSoak, which the build tag slow makes 512")
	soakLong  = flag.Int("race.long", 2400, "steps of the races of TestSoak that see nothing; the build tag slow: 8000")
)

const (
	soakShort = 400 // steps of races with observations, which take ten times as long
	longest   = 150 // steps after which an episode of theirs is cut off
)

// A long run: cars of both models and drones, one and several in an env, with the reference driver and with random and
// hostile actions, on new tracks and on the same ones. No number is NaN or infinite where there is a track, every env
// goes on, and memory does not grow.
func TestSoak(t *testing.T) {
	device := coursetest.OpenCPU(t)
	var settled int64
	for chunk, done := *soakFirst, 0; done < *soakSteps; chunk++ {
		c := soaks()[chunk%len(soaks())]
		done += c.run(t, device, chunk)
		if after := resident(); chunk >= *soakFirst+2*len(soaks()) {
			require.Less(t, after, settled+settled/4+(64<<20), "memory of the process after chunk %d", chunk)
		} else {
			settled = max(settled, after)
		}
		if chunk%(10*len(soaks())) == 0 {
			t.Logf("chunk %d, %d agent-steps, %d MiB", chunk, done, settled>>20)
		}
	}
}

// soak is a race of a long run.
type soak struct {
	name   string
	config race.Config
	random bool    // actions; else those of the reference driver
	part   float64 // of the speed of the profile that the driver wants
	steps  int     // of all agents of an env
}

// soaks returns the races of which a long run consists in turn.
func soaks() []soak {
	scene := func(name string, config race.Config, random bool, change ...func(c *race.Config)) soak {
		config.Reward.Ends.MaxSteps, config.Reward.Ends.Env = longest, "all"
		for _, f := range change {
			f(&config)
		}
		return soak{name: name, config: config, random: random, part: 1.6, steps: soakShort}
	}
	plain := func(name string, config race.Config, random bool, change ...func(c *race.Config)) soak {
		config.Preview, config.Rangefinder, config.Gates = nil, nil, nil
		config.Course.Agents, config.Course.Collision.Agents = 1, false
		s := scene(name, config, random, change...)
		s.config.Reward.Ends.MaxSteps, s.part, s.steps = 1200, 1.2, *soakLong
		return s
	}
	again := func(c *race.Config) { c.Autoreset = race.Restart }
	return []soak{
		plain("cars with a driver", lively(), false),
		plain("drones with a driver", flying(), false),
		plain("random cars", lively(), true, again, func(c *race.Config) { c.Reward.Ends.OffRoad = false }),
		scene("several cars", lively(), false),
		scene("several drones", flying(), false),
		scene("kinematic cars by rates", lively(), true, again, func(c *race.Config) {
			c.Vehicle.Model, c.Vehicle.Control, c.Spawn.Mode = vehicle.Kinematic, vehicle.Rate, spawn.Anywhere
		}),
		scene("cars on other tracks", lively(), true, func(c *race.Config) {
			c.Course.Tracks.Generator, c.Vehicle.Tyres, c.Rangefinder = track.Voronoi, vehicle.FrictionCircle, nil
			c.Vehicle.Integrator, c.Vehicle.Substeps = vehicle.SemiImplicitEuler, 3
		}),
		scene("random drones", flying(), true, again, func(c *race.Config) { c.Course.Gates.Generator = gate.Polar }),
	}
}

// run makes the steps of a chunk, and returns how many all agents have made together.
func (s soak) run(t *testing.T, device backend.Device, chunk int) int {
	t.Helper()
	ctx := t.Context()
	c, envs := s.config, *soakEnvs
	if c.Course.Gates != nil {
		c.Course.Gates.NumEnvs = envs
	} else {
		c.Course.Tracks.NumEnvs = envs
	}
	r, err := race.New(device, c, track.WithSeed(int32(1000*chunk)))
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	by := s.hands(t, device, r, uint64(chunk))
	defer func() { require.NoError(t, by.close()) }()
	require.NoError(t, r.BindActions(by.actions))
	var before uint64
	for step := range s.steps {
		require.NoError(t, by.update(ctx, step))
		require.NoError(t, r.Step(ctx))
		if step%(s.steps/4) == s.steps/4-1 {
			s.check(t, r, fmt.Sprintf("%s, chunk %d, step %d", s.name, chunk, step))
			if now := heap(); before == 0 {
				before = now // after all work has been done once
			} else {
				require.Less(t, now, before+(256<<10), "%s, chunk %d: the heap grows", s.name, chunk)
			}
		}
	}
	if s.part < 1.5 && !s.random {
		laps := coursetest.Download(t, r.Totals().Laps)
		require.Greater(t, sum(laps), envs*s.steps/4000, "%s, chunk %d: laps", s.name, chunk)
	}
	for e, n := range coursetest.Download(t, r.Episodes()) {
		require.GreaterOrEqual(t, int(n), s.steps/(s.config.Reward.Ends.MaxSteps+1),
			"%s, chunk %d: episodes of env %d", s.name, chunk, e)
	}
	return s.steps * envs * c.Course.Agents
}

// hands are what moves the vehicles of a race.
type hands struct {
	actions exec.Array[float32]
	update  func(ctx context.Context, step int) error // changes the actions before a step
	close   func() error
}

// hands returns those of the reference driver, or ones that move at random.
func (s soak) hands(t *testing.T, device backend.Device, r *race.Race, seed uint64) hands {
	t.Helper()
	if !s.random {
		driver, err := r.NewDriver(s.part)
		require.NoError(t, err)
		return hands{actions: driver.Actions(), close: driver.Close,
			update: func(ctx context.Context, _ int) error { return driver.Update(ctx) }}
	}
	random := rand.New(rand.NewPCG(seed, 1))
	values := make([]float32, r.State().Position.Len()*vehicle.Channels(s.config.Vehicle.Model))
	actions, err := exec.FromSlice(device, values)
	require.NoError(t, err)
	return hands{actions: actions, close: actions.Close, update: func(ctx context.Context, step int) error {
		if step%8 != 0 { // who holds still for a while comes farther
			return nil
		}
		for i := range values {
			values[i] = 2*random.Float32() - 1
			if random.IntN(100) == 0 {
				values[i] = pick(random, kernel.NaN(), kernel.Inf(), -kernel.Inf(), 1e30, -1e30)
			}
		}
		return actions.Write(ctx, values)
	}}
}

// pick returns one of the choices.
func pick[T any](r *rand.Rand, choices ...T) T { return choices[r.IntN(len(choices))] }

// check checks that all numbers of the envs that have a track are finite, but for those that are documented as NaN.
func (s soak) check(t *testing.T, r *race.Race, when string) {
	t.Helper()
	ctx := t.Context()
	state, err := r.State().Read(ctx)
	require.NoError(t, err)
	out, err := r.Outcomes().Read(ctx)
	require.NoError(t, err)
	signals, err := r.Course().Signals().Read(ctx)
	require.NoError(t, err)
	seen, err := r.Observations().Read(ctx)
	require.NoError(t, err)
	v := verdict{T: t, when: when, valid: validOf(t, r)}
	v.finite(vehicle.BodySchema.Host(&state.HostBody))
	v.finite(vehicle.CarSchema.Host(&state.Car))
	v.finite(vehicle.DroneSchema.Host(&state.Drone))
	v.finite(reward.Schema.Host(out), "last_lap", "best_lap") // NaN before the first lap
	v.finite(localise.Schema.Host(&signals.Places.HostColumns))
	if seen.Preview != nil {
		v.finite(preview.Schema.Host(&seen.Preview.HostColumns))
	}
	if seen.Gates != nil {
		v.finite(preview.Schema.Host(&seen.Gates.HostColumns))
	}
	if seen.Scans != nil {
		v.finite(rangefinder.Schema.Host(&seen.Scans.HostColumns))
	}
}

// validOf says which envs have a course.
func validOf(t *testing.T, r *race.Race) []int32 {
	t.Helper()
	if gates := r.Course().Source().Gates; gates != nil {
		return coursetest.Download(t, gates.Valid)
	}
	return coursetest.Download(t, r.Course().Source().Tracks.Valid)
}

// verdict checks results.
type verdict struct {
	*testing.T
	when  string
	valid []int32
}

// finite checks columns, except those with some names.
func (v verdict) finite(columns []column.Host, except ...string) {
	v.Helper()
	for _, c := range columns {
		if c.IsAbsent() || c.Type == kernel.Int32 || slices.Contains(except, c.Name) {
			continue
		}
		words := c.AppendWords(nil, 0, c.Len())
		per := len(words) / len(v.valid)
		for at := 0; at < len(words); at += 4 {
			x := math.Float32frombits(binary.LittleEndian.Uint32(words[at:]))
			if !kernel.IsFinite(x) && v.valid[at/per] == 1 {
				require.Fail(v, "not finite", "%s: %s of env %d is %v", v.when, c.Name, at/per, x)
			}
		}
	}
}

// heap returns the bytes of the heap that are in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// resident returns the memory of the process in bytes, 0 where the system does not tell.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
