package quality

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

func circle(n int, radius float64) []kernel.Vec3 {
	points := make([]kernel.Vec3, n)
	for i := range points {
		angle := 2 * math.Pi * float64(i) / float64(n)
		points[i] = kernel.V3(float32(radius*math.Cos(angle)), float32(radius*math.Sin(angle)), 0)
	}
	return points
}

func TestMeasureCircle(t *testing.T) {
	loop := Measure(circle(400, 2))
	assert.InDelta(t, 4*math.Pi, loop.Length, 1e-3)
	assert.InDelta(t, 1, loop.Compactness, 1e-4)
	assert.InDelta(t, 0.5, loop.PeakCurvature, 1e-3)
	assert.InDelta(t, 4*math.Pi*math.Sqrt(0.5), loop.LapTime, 1e-2)
	assert.Zero(t, loop.Chicanes)
	assert.Zero(t, loop.Straight)
}

func TestMeasureWave(t *testing.T) {
	points := circle(300, 1)
	for i := range points {
		scale := float32(1 + 0.3*math.Cos(5*2*math.Pi*float64(i)/300))
		points[i] = kernel.V3(points[i].X*scale, points[i].Y*scale, 0)
	}
	// Five dents have two changes of direction each. The loop starts inside a bend, so none is cut off.
	assert.Equal(t, 10, Measure(points).Chicanes)
}

func TestCrosses(t *testing.T) {
	square := []kernel.Vec2{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 1}, {X: 0, Y: 1}}
	assert.False(t, Crosses(square))
	square[2], square[3] = square[3], square[2]
	assert.True(t, Crosses(square))
}

func TestSummariserLeavesOutWhatCannotBeMeasured(t *testing.T) {
	points := append(circle(8, 1), circle(8, 2)...)
	points[3].X = float32(math.NaN())
	batch := &track.Batch{
		Envs: 2, NMax: 8, HostColumns: track.HostColumns{Center: points, Valid: []int32{1, 1}, Count: []int32{8, 8}},
	}
	var s Summariser
	assert.Equal(t, Row{}, s.Row(""))
	s.Add(batch, nil)
	assert.Len(t, s.Loops(), 1)
	row := s.Row("two")
	assert.Equal(t, 0.5, row.Yield)
	assert.InDelta(t, 16*2*math.Sin(math.Pi/8), row.Length, 1e-5)
	assert.Equal(t, row.Compactness, row.CompactnessMedian)
}

// TestPublishedTable compares the default generators with the published table.
func TestPublishedTable(t *testing.T) {
	ctx := context.Background()
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	defer device.Close()
	for _, want := range Published {
		if want.Generator == track.Repulsive {
			continue // TestPublishedRepulsive, which takes minutes
		}
		t.Run(want.Generator, func(t *testing.T) {
			generator, err := track.NewGenerator(device, tracktest.Config(want.Generator, want.Envs))
			require.NoError(t, err)
			defer generator.Close()
			batch, err := generator.Track().Batch(ctx)
			require.NoError(t, err)
			spaced, err := generator.Spaced().Read(ctx)
			require.NoError(t, err)
			got := Summarise(want.Generator, batch, spaced)

			assert.InDelta(t, want.Yield, got.Yield, 2.0/512, "yield")
			// Mostly rounding noise on straight pieces; the extra half allows for the rounding of the published figure.
			assert.InDelta(t, want.SelfCrossing, got.SelfCrossing, 2.5/512, "self crossing")
			assert.InEpsilon(t, want.CompactnessMedian, got.CompactnessMedian, 5e-3, "compactness median")
			assert.InEpsilon(t, want.Chicanes, got.Chicanes, 1e-2, "chicanes")
			for name, pair := range map[string][2]float64{
				"displacement": {want.Displacement, got.Displacement}, "length": {want.Length, got.Length},
				"compactness": {want.Compactness, got.Compactness}, "straight": {want.Straight, got.Straight},
				"peak curvature": {want.PeakCurvature, got.PeakCurvature}, "lap time": {want.LapTime, got.LapTime},
			} {
				assert.InEpsilon(t, pair[0], pair[1], 3e-3, name)
			}
			t.Logf("%+v", got)
		})
	}
}
