package race_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/circuit"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/race"
	"github.com/trackgen-go/trackgen/race/vehicle"
	"github.com/trackgen-go/trackgen/track"
)

// lapsOn lets the reference driver drive a lap on tracks of a generator, which are scaled so that the road fits the
// car, along one of their lines, and returns how many of the cars have done it, and their lap times. Long tracks take
// up to the given number of steps.
func lapsOn(t *testing.T, device backend.Device, generator string, envs, steps int, line string) (finished int,
	laps []float32) {
	t.Helper()
	ctx := t.Context()
	tracks := track.DefaultConfig()
	tracks.Generator, tracks.NumEnvs = generator, envs
	g, err := track.NewGenerator(device, tracks, track.WithSeed(500_000))
	require.NoError(t, err)
	batch, err := g.Track().Batch(ctx)
	require.NoError(t, err)
	require.NoError(t, g.Close())
	car, err := vehicle.CarNamed(vehicle.F1TENTH)
	require.NoError(t, err)
	require.NoError(t, batch.Scale(3.5*car.Length.Max/(2*tracks.Road.HalfWidth)))
	return driven(t, device, batch, car, steps, line)
}

// driven lets the reference driver drive a lap with a car on each track of a batch along one of its lines, and returns
// how many of the cars have done it, and their lap times.
func driven(t *testing.T, device backend.Device, batch *track.Batch, car vehicle.CarConfig, steps int, line string) (
	finished int, laps []float32) {
	t.Helper()
	ctx := t.Context()
	tracks, err := track.Upload(ctx, device, batch)
	require.NoError(t, err)
	defer func() { require.NoError(t, tracks.Close()) }()
	c := race.DefaultConfig()
	c.Vehicle.Car, c.Autoreset, c.Reward.Ends.Laps = car, race.Never, 1
	c.Speed, _ = race.DriverFor(car)
	c.Follow = line
	if sum(batch.Crossings) > 0 {
		c.Bridges, c.Course.Localize.WarmWindow = true, 16
	}
	r, err := race.Over(device, sourceOf(tracks), c)
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	driver, err := r.NewDriver(1)
	require.NoError(t, err)
	defer func() { require.NoError(t, driver.Close()) }()
	require.NoError(t, r.BindActions(driver.Actions()))
	for step := range steps {
		require.NoError(t, driver.Update(ctx))
		require.NoError(t, r.Step(ctx))
		if step%250 == 0 && sum(coursetest.Download(t, r.Outcomes().Done)) == batch.Envs {
			break
		}
	}
	totals, err := r.Totals().Read(ctx)
	require.NoError(t, err)
	t.Logf("%d laps, %d off the road, %d stuck", sum(totals.LapsDone), sum(totals.OffRoad), sum(totals.Stuck))
	return sum(totals.LapsDone), totals.BestLap
}

func sum(list []int32) (total int) {
	for _, v := range list {
		total += int(v)
	}
	return total
}

// The reference driver laps tracks that it has not seen. The slow test has more of them, and of every generator.
func TestLaps(t *testing.T) {
	device := coursetest.OpenCPU(t)
	for _, generator := range []string{track.Bezier, track.Voronoi} {
		finished, centre := lapsOn(t, device, generator, 24, 2500, race.Centre)
		assert.GreaterOrEqual(t, finished, 23, generator)
		finished, racing := lapsOn(t, device, generator, 24, 2500, race.Racing)
		assert.GreaterOrEqual(t, finished, 23, "%s, racing lines", generator)
		for e := range centre {
			assert.False(t, racing[e] >= centre[e], "%s: %v s on the racing line, %v s on the centreline", generator, racing[e],
				centre[e])
		}
	}
}

// The reference driver laps six real circuits at their true size without leaving the road, with a small car and with a
// large one. The circuits are beside the checkout and not part of it.
func TestLapsOfCircuits(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "shared", "data", "circuits", "*.csv"))
	require.NoError(t, err)
	if len(paths) != 6 {
		t.Skipf("NOT TESTED on circuits: %d of 6 are beside the checkout", len(paths))
	}
	var circuits []track.Circuit
	for _, path := range paths {
		file, err := circuit.ReadFile(path, circuit.Options{})
		require.NoError(t, err)
		circuits = append(circuits, file.Circuit)
	}
	device := coursetest.OpenCPU(t)
	tracks, err := track.Import(t.Context(), device, track.ImportOptions{}, circuits...)
	require.NoError(t, err)
	defer func() { require.NoError(t, tracks.Close()) }()
	batch, err := tracks.Batch(t.Context())
	require.NoError(t, err)
	level, crossing := new(track.Batch), new(track.Batch) // a race with bridges measures what is off the road otherwise
	for e := range batch.Envs {
		if batch.Crossings[e] > 0 {
			require.NoError(t, crossing.Append(batch, e))
		} else {
			require.NoError(t, level.Append(batch, e))
		}
	}
	for _, name := range []string{vehicle.F1TENTH, vehicle.BMW320i} {
		car, err := vehicle.CarNamed(name)
		require.NoError(t, err)
		finished, _ := driven(t, device, level, car, 50_000, race.Centre)
		assert.Equal(t, 5, finished, name)
		finished, _ = driven(t, device, crossing, car, 50_000, race.Centre)
		assert.Equal(t, 1, finished, name)
	}
}
