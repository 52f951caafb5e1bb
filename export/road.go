package export

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// Point is a position in the coordinates of a file: seen from above, x points to the right and y up; z is the height.
type Point struct{ X, Y, Z float64 }

// Road is one track in the form that other programs use: a closed centreline with a border on its right and one on its
// left, seen in the direction of travel. The three lines have the same number of points, at least 3. All points are
// finite, and the last point does not repeat the first.
//
// The width at a point is computed from the borders, so a Road can have a constant or a varying width.
type Road struct {
	Env         int    // number of the track in its batch
	Name        string // empty if the track has none
	Seed, Epoch int32
	Valid       bool
	Reasons     []string // tests that an invalid track failed
	Length      float64  // of the closed centreline
	Winding     int      // +1 counter-clockwise, -1 clockwise, 0 neither

	Center, Right, Left []Point

	spans []span // of the edges of the centreline; eachCrossing reuses their memory
}

// ErrNoRoad matches the errors of tracks that cannot become a road: they have too few points, numbers that are not
// finite, or a point without a direction.
var ErrNoRoad = errors.New("export: not a road")

// RoadError describes why a track cannot become a road.
type RoadError struct {
	Env    int    // number of the track
	Reason string // what was found
}

func errNoRoad(env int, format string, args ...any) error {
	return &RoadError{Env: env, Reason: fmt.Sprintf(format, args...)}
}

// Error implements error.
func (e *RoadError) Error() string {
	return fmt.Sprintf("export: env %d is no road: %s", e.Env, e.Reason)
}

// Is reports that every RoadError matches ErrNoRoad.
func (e *RoadError) Is(target error) bool { return target == ErrNoRoad }

// RoadOf returns env e of a batch as a road. It multiplies the coordinates by scale, which must be finite and greater
// than zero: with 50, a road 0.2 track units wide becomes 10 metres wide. An invalid track becomes a road as well if it
// has at least 3 points and all of them are finite; otherwise the error matches ErrNoRoad.
func RoadOf(b *track.Batch, e int, scale float64) (*Road, error) {
	if err := checkBatch(b); err != nil {
		return nil, err
	}
	if e < 0 || e >= b.Envs {
		return nil, fmt.Errorf("export: there is no env %d: must be 0 to %d", e, b.Envs-1)
	}
	if err := checkScale(scale); err != nil {
		return nil, err
	}
	return roadOf(b, e, scale)
}

func checkScale(scale float64) error {
	const most = 1e9
	if !(scale >= 1/most && scale <= most) {
		return fmt.Errorf("export: scale is %v: must be a number from %v to %v", scale, 1/most, most)
	}
	return nil
}

// roadOf is RoadOf without the checks of its arguments.
func roadOf(b *track.Batch, e int, scale float64) (*Road, error) {
	r := new(Road)
	return r, r.set(b, e, scale)
}

// set makes r the road of env e and reuses the memory of r. After an error the contents of r are undefined.
func (r *Road) set(b *track.Batch, e int, scale float64) error {
	const least = 3 // points of a loop
	if b.Count[e] < least {
		return errNoRoad(e, "it has %d points, expected at least %d", b.Count[e], least)
	}
	if !finite(b.Length[e]) || b.Length[e] < 0 {
		return errNoRoad(e, "its length is %v, expected a number >= 0", b.Length[e])
	}
	*r = Road{
		Env: e, Name: b.Name(e), Seed: numberOf(b.Seed, e), Epoch: numberOf(b.Epoch, e),
		Valid: b.Valid[e] != 0, Reasons: ReasonNames(b, e),
		Length: float64(b.Length[e]) * scale, Center: r.Center[:0], Right: r.Right[:0], Left: r.Left[:0],
		spans: r.spans,
	}
	switch {
	case b.Winding[e] > 0:
		r.Winding = 1
	case b.Winding[e] < 0:
		r.Winding = -1
	}
	for _, line := range [...]struct {
		name   string
		points []kernel.Vec3
		to     *[]Point
	}{{"centreline", b.Center, &r.Center}, {"outer border", b.Outer, &r.Right}, {"inner border", b.Inner, &r.Left}} {
		*line.to = slices.Grow(*line.to, int(b.Count[e]))
		for i, v := range b.Points(line.points, e) {
			p := Point{float64(v.X) * scale, float64(v.Y) * scale, float64(v.Z) * scale}
			if !finite(float32(p.X)) || !finite(float32(p.Y)) || !finite(float32(p.Z)) {
				return errNoRoad(e, "point %d of its %s is (%v, %v, %v), %v m a unit; expected numbers that are finite as float32",
					i, line.name, v.X, v.Y, v.Z, scale)
			}
			*line.to = append(*line.to, p)
		}
	}
	if r.toTheLeft(r.Right) {
		r.Right, r.Left = r.Left, r.Right
	}
	return nil
}

// toTheLeft reports whether a border lies to the left of the centreline, by the sum of its signed distances. The
// winding gives the same answer, but not for tracks with winding 0.
func (r *Road) toTheLeft(border []Point) bool {
	n := len(r.Center)
	side := 0.0
	for i, p := range r.Center {
		before, after := r.Center[(i+n-1)%n], r.Center[(i+1)%n]
		tx, ty := after.X-before.X, after.Y-before.Y
		if length := math.Hypot(tx, ty); length > 0 {
			side += (float64(tx*(border[i].Y-p.Y)) - float64(ty*(border[i].X-p.X))) / length
		}
	}
	return side > 0
}

// Widths returns the distance from the centreline to the right and to the left border at point i.
func (r *Road) Widths(i int) (right, left float64) {
	return planDistance(r.Center[i], r.Right[i]), planDistance(r.Center[i], r.Left[i])
}

// StartPose returns the place of the first point of the centreline, and the direction of travel there: the angle from
// the x axis in radians, counter-clockwise, from -π to π. All are rounded to four decimals; none is a negative zero.
// Simulators start a car there.
func (r *Road) StartPose() (x, y, theta float64) {
	before, after := r.Center[len(r.Center)-1], r.Center[1]
	rounded := func(v float64) float64 { return math.Round(float64(v*1e4))/1e4 + 0 }
	return rounded(r.Center[0].X), rounded(r.Center[0].Y), rounded(math.Atan2(after.Y-before.Y, after.X-before.X))
}

// widthRange returns the minimum and the maximum width of the whole road.
func (r *Road) widthRange() (narrowest, widest float64) {
	narrowest = math.Inf(1)
	for i := range r.Center {
		right, left := r.Widths(i)
		narrowest, widest = min(narrowest, right+left), max(widest, right+left)
	}
	return narrowest, widest
}

// bounds returns the minimum and the maximum coordinates of the road.
func (r *Road) bounds() (low, high Point) {
	low = Point{math.Inf(1), math.Inf(1), math.Inf(1)}
	high = Point{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	for _, line := range [...][]Point{r.Center, r.Right, r.Left} {
		for _, p := range line {
			low = Point{min(low.X, p.X), min(low.Y, p.Y), min(low.Z, p.Z)}
			high = Point{max(high.X, p.X), max(high.Y, p.Y), max(high.Z, p.Z)}
		}
	}
	return low, high
}

// flat reports whether the whole road is at height zero.
func (r *Road) flat() bool {
	low, high := r.bounds()
	return low.Z == 0 && high.Z == 0
}

// level reports whether the centreline has one height.
func (r *Road) level() bool {
	return !slices.ContainsFunc(r.Center, func(p Point) bool { return p.Z != r.Center[0].Z })
}

// planDistance returns the distance between two points seen from above.
func planDistance(a, b Point) float64 { return math.Hypot(b.X-a.X, b.Y-a.Y) }

// signedArea returns the area of the closed polygon, positive if it runs counter-clockwise.
func signedArea(line []Point) float64 {
	sum := 0.0
	for i, p := range line {
		q := line[(i+1)%len(line)]
		sum += float64(p.X*q.Y) - float64(q.X*p.Y)
	}
	return sum / 2
}
