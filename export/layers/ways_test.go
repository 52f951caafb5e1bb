package layers_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/export/layers"
	"github.com/trackgen-go/trackgen/kernel"
)

// apart returns how far two boxes are apart along the axes of the first one, or a number below 0.
func apart(a, b export.CarBox) float64 {
	most := math.Inf(-1)
	for _, axis := range [][2]float64{{float64(a.Heading.X), float64(a.Heading.Y)},
		{-float64(a.Heading.Y), float64(a.Heading.X)}} {
		reach := func(c export.CarBox) float64 {
			hx, hy := float64(c.Heading.X), float64(c.Heading.Y)
			return float64(c.HalfExtents.X)*math.Abs(hx*axis[0]+hy*axis[1]) +
				float64(c.HalfExtents.Y)*math.Abs(-hy*axis[0]+hx*axis[1])
		}
		x, y := float64(b.Position.X-a.Position.X), float64(b.Position.Y-a.Position.Y)
		most = max(most, math.Abs(x*axis[0]+y*axis[1])-reach(a)-reach(b))
	}
	return most
}

// Cars that touch another one overlap with it, and the others with none.
func TestCarsThatTouchEachOther(t *testing.T) {
	device := openCPU(t)
	c := layers.DefaultConfig()
	c.Layers, c.Cars = []layers.Layer{layers.Others}, 20
	out, err := layers.Tracks(t.Context(), device, tracksOf(t, device, 6), c)
	require.NoError(t, err)
	touching := 0
	for _, l := range out {
		for i, car := range l.Cars {
			require.Nil(t, car.Way)
			nearest := math.Inf(1)
			for k, other := range l.Cars {
				if k != i {
					nearest = min(nearest, max(apart(car, other), apart(other, car)))
				}
			}
			if math.Abs(nearest) < 1e-5 {
				continue // rounding decides
			}
			require.Equal(t, nearest < 0, car.Touches != nil)
			if car.Touches != nil {
				touching++
			}
		}
	}
	require.Greater(t, touching, 10)
}

// A way that leaves the road, or enters it, has a first contact.
func TestWaysOfCars(t *testing.T) {
	device := openCPU(t)
	b := tracksOf(t, device, 6)
	c := layers.DefaultConfig()
	c.Layers, c.Cars = []layers.Layer{layers.Ways}, 40
	out, err := layers.Tracks(t.Context(), device, b, c)
	require.NoError(t, err)
	var contacts, none int
	for e, l := range out {
		for _, car := range l.Cars {
			require.Nil(t, car.Touches)
			from, to := car.Way.Before, car.Position
			length := math.Hypot(float64(to.X-from.X), float64(to.Y-from.Y))
			require.InDelta(t, 3*float64(car.HalfExtents.X), length, 1e-5)
			if first := car.Way.FirstContact; kernel.IsNaN(first) {
				none++
				require.Equal(t, onRoad(b, e, float64(from.X), float64(from.Y)), onRoad(b, e, float64(to.X), float64(to.Y)))
			} else {
				contacts++
				require.True(t, first >= 0 && first <= 1, "%v", first)
			}
		}
	}
	require.Greater(t, contacts, 20)
	require.Greater(t, none, 20)
}
