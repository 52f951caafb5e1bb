package export

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel"
)

// View is the direction from which a picture shows courses.
type View string

// The views.
const (
	ViewAbove   View = "above"   // from above, y up; this is the default
	ViewOblique View = "oblique" // from a height beside the course, so that heights can be seen
)

// Views lists all views.
func Views() []View { return []View{ViewAbove, ViewOblique} }

// vector3 is a place or a direction in space, in units of length.
type vector3 struct{ x, y, z float64 }

func vectorOf(v kernel.Vec3) vector3 { return vector3{float64(v.X), float64(v.Y), float64(v.Z)} }

func (a vector3) plus(b vector3) vector3  { return vector3{a.x + b.x, a.y + b.y, a.z + b.z} }
func (a vector3) minus(b vector3) vector3 { return vector3{a.x - b.x, a.y - b.y, a.z - b.z} }
func (a vector3) times(s float64) vector3 {
	return vector3{float64(a.x * s), float64(a.y * s), float64(a.z * s)}
}

func (a vector3) dot(b vector3) float64 {
	return float64(a.x*b.x) + float64(a.y*b.y) + float64(a.z*b.z)
}

func (a vector3) cross(b vector3) vector3 {
	return vector3{
		float64(a.y*b.z) - float64(a.z*b.y),
		float64(a.z*b.x) - float64(a.x*b.z),
		float64(a.x*b.y) - float64(a.y*b.x),
	}
}

func (a vector3) length() float64 { return math.Sqrt(a.dot(a)) }

// toward returns the place at fraction t of the way from a to b.
func (a vector3) toward(b vector3, t float64) vector3 { return a.plus(b.minus(a).times(t)) }

func (a vector3) finite() bool { return a.x-a.x == 0 && a.y-a.y == 0 && a.z-a.z == 0 }

// camera looks at a course from infinity: parallel lines stay parallel, and a length has the same size everywhere
// (orthographic projection). It shows heights above the ground lift times as large as they are.
type camera struct {
	right, up, back vector3 // unit vectors: to the right and upwards in the picture, and towards the viewer
	ground, lift    float64
}

// fromAbove is the camera of ViewAbove.
var fromAbove = camera{right: vector3{x: 1}, up: vector3{y: 1}, back: vector3{z: 1}, lift: 1}

// The direction of ViewOblique: turned by 22.6 degrees to the side and 36.9 degrees above the ground. These angles have
// exact sines and cosines, so that every processor draws the same picture.
const (
	turnSine, turnCosine = 5.0 / 13, 12.0 / 13
	tiltSine, tiltCosine = 0.6, 0.8
)

// obliquely returns the camera of ViewOblique.
func obliquely(ground, lift float64) camera {
	return camera{
		right:  vector3{turnCosine, turnSine, 0},
		up:     vector3{-turnSine * tiltSine, turnCosine * tiltSine, tiltCosine},
		back:   vector3{turnSine * tiltCosine, -turnCosine * tiltCosine, tiltSine},
		ground: ground,
		lift:   lift,
	}
}

// oblique reports whether the camera shows heights.
func (c camera) oblique() bool { return c.up.z != 0 }

// place returns a point with its height as the camera shows it: above the ground at height 0.
func (c camera) place(v vector3) vector3 {
	return vector3{v.x, v.y, float64((v.z - c.ground) * c.lift)}
}

// beside returns a point across the way from another one as the camera shows it. The way keeps its angle from side to
// side, however much the camera enlarges heights: banks would become walls.
func (c camera) beside(center, v vector3) vector3 {
	at := c.place(vector3{v.x, v.y, center.z})
	at.z += v.z - center.z
	return at
}

// nothing is a height that is not known.
var nothing = float32(math.NaN())

// on returns a point of the plan at a height as the camera shows it: on the ground if the height is not finite.
func (c camera) on(p point, height float32) vector3 {
	if !finite(height) {
		return vector3{p.x, p.y, 0}
	}
	return c.place(vector3{p.x, p.y, float64(height)})
}

// stand returns a point as the camera shows it: on the ground if its height is not finite.
func (c camera) stand(v kernel.Vec3) vector3 { return c.on(pointOf(v), v.Z) }

// below returns the place on the ground below a place.
func below(v vector3) vector3 { return vector3{v.x, v.y, 0} }

// flat returns the point of the picture that shows a place, in units of length with y up.
func (c camera) flat(v vector3) point { return point{c.right.dot(v), c.up.dot(v)} }

// look returns the point of the picture that shows v, or false if v cannot be shown.
func (c camera) look(v kernel.Vec3) (point, bool) {
	if !c.oblique() {
		return point{float64(v.X), float64(v.Y)}, finite(v.X) && finite(v.Y)
	}
	return c.flat(c.place(vectorOf(v))), finite(v.X) && finite(v.Y) && finite(v.Z)
}

// interval is a range of numbers. It is empty if high is less than low.
type interval struct{ low, high float64 }

func noInterval() interval { return interval{math.Inf(1), math.Inf(-1)} }

func (s interval) empty() bool             { return s.high < s.low }
func (s interval) size() float64           { return s.high - s.low }
func (s interval) with(v float64) interval { return interval{min(s.low, v), max(s.high, v)} }
func (s interval) and(other interval) interval {
	return interval{min(s.low, other.low), max(s.high, other.high)}
}

// at returns where v is in the range, from 0 to 1. It is the middle of a range of one number, and
// NaN for NaN.
func (s interval) at(v float64) float64 {
	if !(s.size() > 0) && v == v {
		return 0.5
	}
	return clamp((v-s.low)/s.size(), 0, 1)
}

// liftFor returns the factor by which heights of the given size are enlarged, so that they can be seen beside a plan of
// the given size. It is 1 if they can be seen as they are.
func liftFor(plan, heights float64) float64 {
	const low, high, most = 0.3, 1, 100 // heights as a fraction of the plan
	switch ratio := heights / plan; {
	case !(ratio > 0) || math.IsInf(ratio, 0):
		return 1
	case ratio < low:
		return min(max(1, roundLength(low/ratio)), most)
	case ratio > high && ratio < most:
		return roundLength(high / ratio)
	default:
		return 1
	}
}

// groundFor returns the height of the ground below heights: 0 if they are above it, but not far above it, otherwise
// somewhat below them.
func groundFor(heights interval, clearance float64) float64 {
	lowest := heights.low - clearance
	if lowest >= 0 && heights.low <= heights.size() {
		return 0
	}
	if heights.size() == 0 {
		return lowest
	}
	step := roundUp(heights.size() / 10)
	return math.Floor((lowest-0.1*heights.size())/step) * step
}
