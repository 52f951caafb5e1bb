package race_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/race"
	"github.com/trackgen-go/trackgen/race/vehicle"
	"github.com/trackgen-go/trackgen/track"
)

// lapsOn lets the reference driver drive a lap on tracks of a generator, which are scaled so that the road fits the
// car, and returns how many of the cars have done it. Long tracks take up to the given number of steps.
func lapsOn(t *testing.T, device backend.Device, generator string, envs, steps int) (finished int) {
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
	scaled, err := track.Upload(ctx, device, batch)
	require.NoError(t, err)
	defer func() { require.NoError(t, scaled.Close()) }()

	c := race.DefaultConfig()
	c.Vehicle.Car, c.Autoreset, c.Reward.Ends.Laps = car, race.Never, 1
	profile, settings := race.DriverFor(car)
	c.Speed = profile
	r, err := race.Over(device, sourceOf(scaled), c)
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	driver, err := r.NewPursuit(settings)
	require.NoError(t, err)
	defer func() { require.NoError(t, driver.Close()) }()
	require.NoError(t, r.BindActions(driver.Actions()))
	for step := range steps {
		require.NoError(t, driver.Update(ctx))
		require.NoError(t, r.Step(ctx))
		if step%250 != 0 {
			continue
		}
		if sum(coursetest.Download(t, r.Outcomes().Done)) == envs {
			break
		}
	}
	totals, err := r.Totals().Read(ctx)
	require.NoError(t, err)
	t.Logf("%s: %d laps, %d off the road, %d stuck", generator, sum(totals.LapsDone), sum(totals.OffRoad),
		sum(totals.Stuck))
	return sum(totals.LapsDone)
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
		assert.GreaterOrEqual(t, lapsOn(t, device, generator, 24, 2500), 23, generator)
	}
}
