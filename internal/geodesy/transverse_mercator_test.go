package geodesy

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The numbers are those of PROJ 9.3, "+proj=etmerc +lat_0=... +lon_0=... +k=1 +x_0=0 +y_0=0 +ellps=WGS84".
func TestForwardAndInverse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		origin, place [2]float64 // latitude, longitude
		x, y          float64
	}{
		{"a circuit", [2]float64{47.2197, 14.7647}, [2]float64{47.2297, 14.7847}, 1514.588577682, 1111.946285338},
		{"south", [2]float64{-37.8497, 144.968}, [2]float64{-37.8397, 144.958}, -880.233046017, 1109.888276831},
		{"from the equator", [2]float64{0, 10}, [2]float64{7, 17}, 775352.907077966, 779852.430137750},
		{"far west", [2]float64{60, 20}, [2]float64{65, 3}, -794329.773756654, 665140.223329511},
		{"antimeridian", [2]float64{10, 179.99}, [2]float64{10.02, -179.99}, 2192.653101658, 2212.223214109},
		{"near the pole", [2]float64{84, 0}, [2]float64{88, 120}, 193478.495743548, 781866.723072357},
		{"the origin", [2]float64{51, -1.5}, [2]float64{51, -1.5}, 0, 0},
		{"the origin, once round", [2]float64{51, -1.5}, [2]float64{51, 358.5}, 0, 0},
	} {
		p, err := NewTransverseMercator(c.origin[0], c.origin[1])
		require.NoError(t, err, c.name)
		x, y, err := p.Forward(c.place[0], c.place[1])
		require.NoError(t, err, c.name)
		assert.InDelta(t, c.x, x, 1e-6, c.name)
		assert.InDelta(t, c.y, y, 1e-6, c.name)
		latitude, longitude, err := p.Inverse(c.x, c.y)
		require.NoError(t, err, c.name)
		assert.InDelta(t, c.place[0], latitude, 1e-11, c.name)
		assert.InDelta(t, 0, math.Remainder(c.place[1]-longitude, 360), 1e-11, c.name)
		assert.LessOrEqual(t, math.Abs(longitude), 180.0, c.name)
	}
}

// Around the origin, degrees have the lengths that the radii of curvature of the ellipsoid give: of the meridian for
// latitude, and of the parallel for longitude.
func TestScaleAtTheOrigin(t *testing.T) {
	t.Parallel()
	const step = 1e-4 // degrees
	for _, latitude := range []float64{-80, -33.5, 0, 12, 52, 84} {
		p, err := NewTransverseMercator(latitude, 7)
		require.NoError(t, err)
		sin, cos := math.Sincos(latitude * math.Pi / 180)
		w := math.Sqrt(1 - eccentricity2*sin*sin)
		meridian, parallel := equatorialRadius*(1-eccentricity2)/(w*w*w), equatorialRadius/w*cos
		_, north, err := p.Forward(latitude+step, 7)
		require.NoError(t, err)
		east, _, err := p.Forward(latitude, 7+step)
		require.NoError(t, err)
		assert.InEpsilon(t, meridian*step*math.Pi/180, north, 1e-6, "latitude %v", latitude)
		assert.InEpsilon(t, parallel*step*math.Pi/180, east, 1e-6, "latitude %v", latitude)
	}
}

// Inverse undoes Forward everywhere on the plane.
func TestInverseUndoesForward(t *testing.T) {
	t.Parallel()
	for _, origin := range [][2]float64{{0, 0}, {49.3, 8.57}, {-85, -179.9}, {85, 180}} {
		p, err := NewTransverseMercator(origin[0], origin[1])
		require.NoError(t, err)
		for _, x := range []float64{-MaxDistance, -54321, 0, 3, MaxDistance} {
			for _, y := range []float64{-MaxDistance, -7000, 0, 12, 99999} {
				latitude, longitude, err := p.Inverse(x, y)
				require.NoError(t, err)
				backX, backY, err := p.Forward(latitude, longitude)
				if math.Abs(x) == MaxDistance || math.Abs(y) == MaxDistance {
					if err != nil {
						continue // the last bit lies beyond the limit
					}
				}
				require.NoError(t, err)
				assert.InDelta(t, x, backX, 1e-6, "origin %v", origin)
				assert.InDelta(t, y, backY, 1e-6, "origin %v", origin)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, origin := range [][2]float64{{85.1, 0}, {-90, 0}, {math.NaN(), 0}, {0, 180.5}, {0, math.Inf(1)}} {
		_, err := NewTransverseMercator(origin[0], origin[1])
		assert.ErrorContains(t, err, "must be a number of degrees", "%v", origin)
	}
	p, err := NewTransverseMercator(48, 11)
	require.NoError(t, err)
	for _, place := range [][2]float64{{91, 11}, {math.NaN(), 11}, {48, math.NaN()}, {48, 361}} {
		_, _, err := p.Forward(place[0], place[1])
		assert.ErrorContains(t, err, "must be a number of degrees", "%v", place)
	}
	for _, place := range [][2]float64{{58, 11}, {38, 11}, {48, 25}, {48, -169}, {-48, 11}, {0, 101}} {
		_, _, err := p.Forward(place[0], place[1])
		assert.ErrorContains(t, err, "more than 1000 km from the origin", "%v", place)
	}
	for _, place := range [][2]float64{{1e6 + 1, 0}, {0, -2e6}, {math.NaN(), 0}, {0, math.Inf(-1)}} {
		_, _, err := p.Inverse(place[0], place[1])
		assert.ErrorContains(t, err, "more than 1000 km from the origin", "%v", place)
	}
}
