package raceline_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/circuit"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/race/raceline"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// The lines have the lap times and the energy of the reference solver in float64, on tracks of every generator.
func TestLinesOfEveryGenerator(t *testing.T) {
	device, c := coursetest.OpenCPU(t), raceline.DefaultConfig()
	c.CarWidth, c.Margin, c.Power, c.Rounds = 0.05, 0.005, 8, 40
	for _, generator := range track.Generators() {
		t.Run(generator, func(t *testing.T) {
			batch := generated(t, device, tracktest.Config(generator, 12))
			lines := find(t, device, tracksOf(batch), c)
			for e := range lines.Envs {
				if batch.Valid[e] == 1 {
					checkLine(t, batch, lines, e, c)
				}
			}
		})
	}
}

// checkLine compares a line with the two nearest ones of the reference solver: from the middle of the road, and from
// the line itself. In some bends there are two local minima, whose energies are nearly the same and whose lap times are
// not.
func checkLine(t *testing.T, batch *track.Batch, lines *raceline.Batch, e int, c raceline.Config) {
	t.Helper()
	r, got := roadOf(tracksOf(batch), e, c.CarWidth/2+c.Margin), offsetsOf(lines, e)
	for i, v := range got {
		require.GreaterOrEqual(t, v, r.lo[i]-1e-6, "env %d point %d", e, i)
		require.LessOrEqual(t, v, r.hi[i]+1e-6, "env %d point %d", e, i)
	}
	best, near := r.solve(r.middle()), r.solve(slices.Clone(got))
	center := r.lapTime(make([]float64, len(got)), c)
	t.Logf("env %d, %d points: centreline %.3f s, float64 %.3f s, line %.3f s; energies %.6g, near the line %.6g, %.6g",
		e, len(got), center, r.lapTime(best, c), lines.LapTime[e], r.energy(best), r.energy(near), r.energy(got))
	require.LessOrEqual(t, r.energy(got), 1.01*r.energy(best), "env %d", e)
	require.LessOrEqual(t, r.energy(got), 1.001*r.energy(near), "env %d", e)
	require.InEpsilon(t, r.lapTime(near, c), lines.LapTime[e], 0.01, "env %d", e)
	require.InEpsilon(t, r.lapTime(got, c), lines.LapTime[e], 2e-3, "env %d", e)
	require.Less(t, lines.LapTime[e], float32(center), "env %d", e)
}

// Six real circuits, which are beside the checkout and not part of it, have the lap times of the reference solver.
func TestLinesOfCircuits(t *testing.T) {
	shared := filepath.Join("..", "..", "..", "shared", "data", "circuits")
	paths, err := filepath.Glob(filepath.Join(shared, "*.csv"))
	require.NoError(t, err)
	if len(paths) == 0 {
		_, err := os.Stat(shared)
		t.Skipf("NOT RUN: the circuits are not beside this checkout: %v", err)
	}
	device := coursetest.OpenCPU(t)
	var circuits []track.Circuit
	for _, path := range paths {
		c, err := circuit.ReadFile(path, circuit.Options{})
		require.NoError(t, err)
		circuits = append(circuits, c.Circuit)
	}
	tracks, err := track.Import(t.Context(), device, track.ImportOptions{Spacing: 5}, circuits...)
	require.NoError(t, err)
	defer func() { require.NoError(t, tracks.Close()) }()
	batch, err := tracks.Batch(t.Context())
	require.NoError(t, err)
	lines := find(t, device, tracksOf(batch), circuitCar())
	for e, c := range circuits {
		t.Run(c.Name, func(t *testing.T) { checkLine(t, batch, lines, e, circuitCar()) })
	}
}

// circuitCar is the car of bench/reference/racelines.py.
func circuitCar() raceline.Config {
	c := raceline.DefaultConfig()
	c.CarWidth, c.LateralAcceleration, c.Acceleration, c.Braking, c.MaxSpeed = 2, 20, 10, 20, 80
	return c
}
