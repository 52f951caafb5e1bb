package layers_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/export/layers"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// The ground has the height of the nearest point of the centreline, and a car that of the cell below it.
func TestGroundBelowCars(t *testing.T) {
	device := openCPU(t)
	b := tracksOf(t, device, 4)
	for i := range b.Center {
		b.Center[i].Z = b.Center[i].X
	}
	c := layers.DefaultConfig()
	c.Layers, c.Cars, c.GroundResolution = []layers.Layer{layers.Ground, layers.Cars}, 40, 200
	out, err := layers.Tracks(t.Context(), device, b, c)
	require.NoError(t, err)
	beyond := 0
	for e, l := range out {
		require.Equal(t, 200, l.Ground.Resolution)
		cell := float64(l.Ground.High.X-l.Ground.Low.X) / 200
		for _, car := range l.Cars {
			x, y := float64(car.Position.X), float64(car.Position.Y)
			inside := x >= float64(l.Ground.Low.X) && x < float64(l.Ground.High.X) && y >= float64(l.Ground.Low.Y) &&
				y < float64(l.Ground.High.Y)
			require.Equal(t, inside, car.Ground != nil)
			if !inside {
				beyond++
				continue
			}
			// The height is the x of the nearest point of the line, for the middle of the cell.
			least, low, high := math.Inf(1), math.Inf(1), math.Inf(-1)
			for pass := range 2 {
				each(b, e, func(px, py float64) {
					d := math.Hypot(px-x, py-y)
					if pass == 0 {
						least = min(least, d)
					} else if d <= least+2*cell {
						low, high = min(low, px), max(high, px)
					}
				})
			}
			require.GreaterOrEqual(t, float64(*car.Ground), low-cell)
			require.LessOrEqual(t, float64(*car.Ground), high+cell)
		}
	}
	require.Zero(t, beyond, "the ground reaches a tenth of the track beyond it")

	c.Layers = []layers.Layer{layers.Ground}
	out, err = layers.Tracks(t.Context(), device, b, c)
	require.NoError(t, err)
	require.Empty(t, out[0].Cars)
}

// each calls visit with points of the centreline of env e, which are close together.
func each(b *track.Batch, e int, visit func(x, y float64)) {
	const parts = 20
	points := b.Points(b.Center, e)
	for i, from := range points {
		to := points[(i+1)%len(points)]
		for k := range parts {
			at := float64(k) / parts
			visit(float64(from.X)+float64(to.X-from.X)*at, float64(from.Y)+float64(to.Y-from.Y)*at)
		}
	}
}

// Cars that are found by a coarse distance field differ from exact ones, and have no first contacts.
func TestCarsByTheField(t *testing.T) {
	device := openCPU(t)
	b := tracksOf(t, device, 4)
	c := layers.DefaultConfig()
	c.Layers, c.Cars = []layers.Layer{layers.Contacts, layers.Ways}, 40
	exact, err := layers.Tracks(t.Context(), device, b, c)
	require.NoError(t, err)
	c.Collision, c.FieldResolution = "sdf", 16
	coarse, err := layers.Tracks(t.Context(), device, b, c)
	require.NoError(t, err)
	different := 0
	for e := range exact {
		for k, car := range coarse[e].Cars {
			require.Equal(t, exact[e].Cars[k].Position, car.Position)
			require.True(t, kernel.IsNaN(car.Way.FirstContact))
			if car.Hit != exact[e].Cars[k].Hit || car.Nearest != exact[e].Cars[k].Nearest {
				different++
			}
		}
	}
	require.Greater(t, different, 20)
}

// A ball touches a frame if it is nearer to one of its posts or bars than its radius, and the frame is marked.
func TestBallsAtFrames(t *testing.T) {
	device := openCPU(t)
	b := gatesOf(t, device, 4)
	c := layers.DefaultConfig()
	c.Layers, c.Cars = []layers.Layer{layers.Frames}, 60
	c.FrameThickness, c.FrameDepth, c.BallRadius = 0.02, 0.03, 0.015
	out, err := layers.Gates(t.Context(), device, b, c)
	require.NoError(t, err)
	hits, clear := 0, 0
	for e, l := range out {
		require.Empty(t, l.Cars)
		require.Len(t, l.Frames, int(b.Count[e]))
		touched := make([]bool, len(l.Frames))
		for _, ball := range l.Balls {
			require.Equal(t, float32(0.015), ball.Radius)
			nearest, gate, n := math.Inf(1), -1, len(l.Frames)
			at := slices.IndexFunc(l.Frames, func(f export.GateFrame) bool { return f.Center == ball.Near })
			for w := range min(4, n) { // the query tests four gates, from the one before that of the ball
				k := (at - 1 + w + n) % n
				if d := fromFrame(&l.Frames[k], ball.Position); d < nearest && b.Valid[e] != 0 {
					nearest, gate = d, k
				}
			}
			if math.Abs(nearest-0.015) < 1e-5 {
				continue // rounding decides
			}
			require.Equal(t, nearest < 0.015, ball.Hit)
			if ball.Hit {
				hits++
				touched[gate] = true
			} else {
				clear++
			}
		}
		for k, frame := range l.Frames {
			require.Equal(t, touched[k], frame.Hit)
			require.InDelta(t, 0, float64(frame.Forward.Dot(frame.Left)), 1e-6)
			require.InDelta(t, float64(b.Forward[e*b.MaxGates+k].X), float64(frame.Forward.X), 1e-5)
			left := b.Position[e*b.MaxGates+k].Add(frame.Left.Scale(frame.Half))
			require.InDelta(t, float64(b.Left[e*b.MaxGates+k].Y), float64(left.Y), 1e-5)
		}
	}
	require.Greater(t, hits, 10)
	require.Greater(t, clear, 10)
}

// fromFrame returns the distance of a place from the posts and bars of a frame.
func fromFrame(f *export.GateFrame, at kernel.Vec3) float64 {
	v, up := at.Sub(f.Center), f.Forward.Cross(f.Left)
	x, y, z := float64(v.Dot(f.Forward)), float64(v.Dot(f.Left)), float64(v.Dot(up))
	half, thick, deep := float64(f.Half), float64(f.Thickness), float64(f.Depth)
	gap := func(v, low, high float64) float64 { return max(low-v, 0, v-high) }
	side := math.Hypot(math.Hypot(gap(x, -deep/2, deep/2), gap(math.Abs(y), half, half+thick)),
		gap(math.Abs(z), 0, half+thick))
	bar := math.Hypot(math.Hypot(gap(x, -deep/2, deep/2), gap(math.Abs(z), half, half+thick)),
		gap(math.Abs(y), 0, half+thick))
	return min(side, bar)
}
