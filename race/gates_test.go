package race_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race"
)

// openings returns courses of a generator with openings of 1.6 m and hills of 2 m, in metres. The settings of the
// driver were chosen on courses of other seeds, from 500,000 on.
func openings(t *testing.T, device backend.Device, generator string, envs int) *gate.Batch {
	t.Helper()
	of := gate.DefaultConfig()
	of.Generator, of.NumEnvs, of.Gate.Width = generator, envs, 0.04
	if generator == gate.Repulsive {
		of.Ordering = "raw"
	}
	of.Elevation.Profile, of.Elevation.NoiseAmplitude, of.Elevation.Min, of.Elevation.Max = "noise", 0.05, -1, 1
	g, err := gate.NewGenerator(device, of, gate.WithSeed(900_000))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	batch, err := g.Sequence().Batch(t.Context())
	require.NoError(t, err)
	require.NoError(t, batch.Scale(40))
	return batch
}

// misses says which agents have missed a gate: they went through the plane of their next one beside its opening.
type misses struct {
	courses *gate.Batch
	before  []kernel.Vec3
	missed  []bool
}

// look notes the positions after a step, and the gates that were next before it.
func (m *misses) look(now []kernel.Vec3, target, passed []int32) {
	if m.before == nil {
		m.before, m.missed = now, make([]bool, len(now))
		return
	}
	for e, p := range now {
		k := e*m.courses.MaxGates + int(target[e])
		from, to := m.before[e].Sub(m.courses.Position[k]), p.Sub(m.courses.Position[k])
		forward := from.Dot(m.courses.Forward[k]) < 0 && to.Dot(m.courses.Forward[k]) >= 0
		if forward && to.Len() < 3*m.courses.HalfSize[k] && passed[e] == 0 {
			m.missed[e] = true
		}
	}
	m.before = now
}

// flightsOn lets the reference driver fly a lap through the gates of courses, and returns how many drones have done it,
// and how many of those have missed no gate.
func flightsOn(t *testing.T, device backend.Device, courses *gate.Batch, steps int) (finished, clean int) {
	t.Helper()
	ctx := t.Context()
	gates, err := gate.Upload(ctx, device, courses)
	require.NoError(t, err)
	defer func() { require.NoError(t, gates.Close()) }()
	c := race.DefaultDroneConfig()
	c.Autoreset, c.Reward.Ends.Laps = race.Never, 1
	r, err := race.Over(device, course.Source{Gates: gates}, c)
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	driver, err := r.NewDriver(1)
	require.NoError(t, err)
	defer func() { require.NoError(t, driver.Close()) }()
	require.NoError(t, r.BindActions(driver.Actions()))
	gone := misses{courses: courses}
	target := make([]int32, courses.Envs)
	for step := range steps {
		require.NoError(t, driver.Update(ctx))
		require.NoError(t, r.Step(ctx))
		events, err := r.Course().Signals().Events.Read(ctx)
		require.NoError(t, err)
		gone.look(coursetest.Download(t, r.State().Position), target, events.Passed)
		target = events.NextCheckpoint
		if step%250 == 0 && sum(coursetest.Download(t, r.Outcomes().Done)) == courses.Envs {
			break
		}
	}
	totals, err := r.Totals().Read(ctx)
	require.NoError(t, err)
	for e, done := range totals.LapsDone {
		if done > 0 && !gone.missed[e] {
			clean++
		}
	}
	t.Logf("%d laps, %d without a missed gate, %d stuck", sum(totals.LapsDone), clean, sum(totals.Stuck))
	return sum(totals.LapsDone), clean
}

// The reference driver flies through the gates of courses that it has not seen. The slow test has more of them, and of
// every generator.
func TestFlights(t *testing.T) {
	device := coursetest.OpenCPU(t)
	for _, generator := range []string{gate.Bezier, gate.Voronoi} {
		finished, clean := flightsOn(t, device, openings(t, device, generator, 24), 2500)
		assert.GreaterOrEqual(t, finished, 23, generator)
		assert.GreaterOrEqual(t, clean, 23, generator)
	}
}
