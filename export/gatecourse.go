package export

import (
	"errors"
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
)

// Course is one gate course in the form that other programs use, in metres. It has at least 2 gates. All numbers are
// finite. The course is closed: after the last gate comes the first.
type Course struct {
	Env         int // number of the course in its batch
	Seed, Epoch int32
	Valid       bool
	Gates       []CourseGate
}

// CourseGate is one gate of a Course.
type CourseGate struct {
	Position    Point      // middle of the opening
	Orientation [4]float64 // unit quaternion (x, y, z, w): turns x to the way through, y to the left, z to the top
	Width       float64    // of the opening, from post to post
}

// ErrNoCourse matches the errors of courses that cannot become a Course: they have too few gates, numbers that are not
// finite, or an orientation that is no rotation.
var ErrNoCourse = errors.New("export: not a gate course")

// CourseError describes why a gate course of a batch cannot become a Course.
type CourseError struct {
	Env    int    // number of the course
	Reason string // what was found
}

func errNoCourse(env int, format string, args ...any) error {
	return &CourseError{Env: env, Reason: fmt.Sprintf(format, args...)}
}

// Error implements error.
func (e *CourseError) Error() string {
	return fmt.Sprintf("export: env %d is no gate course: %s", e.Env, e.Reason)
}

// Is reports that every CourseError matches ErrNoCourse.
func (e *CourseError) Is(target error) bool { return target == ErrNoCourse }

// CourseOf returns env e of a batch as a course. It multiplies lengths by scale, which must be finite and greater than
// zero. A course that is not valid becomes a course as well if it has at least 2 gates, all of them finite; otherwise
// the error matches ErrNoCourse.
func CourseOf(b *gate.Batch, e int, scale float64) (*Course, error) {
	if err := checkGates(b); err != nil {
		return nil, err
	}
	if e < 0 || e >= b.Envs {
		return nil, fmt.Errorf("export: there is no env %d: must be 0 to %d", e, b.Envs-1)
	}
	if err := checkScale(scale); err != nil {
		return nil, err
	}
	const least = 2
	if b.Count[e] < least {
		return nil, errNoCourse(e, "it has %d gates, expected at least %d", b.Count[e], least)
	}
	c := &Course{Env: e, Seed: numberOf(b.Seed, e), Epoch: numberOf(b.Epoch, e), Valid: b.Valid[e] != 0}
	for i, p := range b.Gates(b.Position, e) {
		g := CourseGate{Position: scaled(p, scale)}
		if !finitePoint(g.Position) {
			return nil, errNoCourse(e, "gate %d is at (%v, %v, %v), %v m a unit; expected numbers that are finite as float32",
				i, p.X, p.Y, p.Z, scale)
		}
		half, q := b.HalfSize[e*b.MaxGates+i], b.Orientation[e*b.MaxGates+i]
		if g.Width = 2 * float64(half) * scale; !finite(float32(g.Width)) || g.Width < 0 {
			return nil, errNoCourse(e, "gate %d has a half_size of %v, %v m a unit; expected a finite number >= 0", i, half,
				scale)
		}
		var unit bool
		if g.Orientation, unit = unitQuaternion(q); !unit {
			return nil, errNoCourse(e, "gate %d has the orientation (%v, %v, %v, %v), expected a quaternion of length 1", i,
				q.X, q.Y, q.Z, q.W)
		}
		c.Gates = append(c.Gates, g)
	}
	return c, nil
}

func scaled(v kernel.Vec3, scale float64) Point {
	return Point{float64(v.X) * scale, float64(v.Y) * scale, float64(v.Z) * scale}
}

// finitePoint reports whether the coordinates are finite as float32.
func finitePoint(p Point) bool {
	return finite(float32(p.X)) && finite(float32(p.Y)) && finite(float32(p.Z))
}

// unitQuaternion returns q with a length of exactly 1, and whether its length is near 1 to begin with.
func unitQuaternion(q kernel.Quat) ([4]float64, bool) {
	const most = 1e-3 // deviation of the length
	v := [4]float64{float64(q.X), float64(q.Y), float64(q.Z), float64(q.W)}
	length := math.Hypot(math.Hypot(v[0], v[1]), math.Hypot(v[2], v[3]))
	if !(math.Abs(length-1) <= most) {
		return v, false
	}
	for i := range v {
		v[i] /= length
	}
	return v, true
}

// Angles returns the orientation as roll, pitch and yaw in radians: the rotations about the fixed axes x, y and z, one
// after the other (extrinsic xyz, as Rotation.from_euler("xyz", ...) of SciPy takes them). They are rounded to six
// decimals, which is what float32 quaternions hold. The pitch is from -π/2 to π/2; the roll of a gate that lies flat is
// 0.
func (g CourseGate) Angles() (roll, pitch, yaw float64) {
	x, y, z, w := g.Orientation[0], g.Orientation[1], g.Orientation[2], g.Orientation[3]
	product := func(a, b float64) float64 { return 2 * a * b } // no fused multiply-add
	forwardX := 1 - product(y, y) - product(z, z)
	forwardY := product(x, y) + product(w, z)
	forwardZ := product(x, z) - product(w, y)
	level := math.Hypot(forwardX, forwardY)
	pitch = math.Atan2(-forwardZ, level)
	const flat = 1e-6 // below, roll and yaw turn about the same axis
	if level < flat {
		yaw = math.Atan2(product(w, z)-product(x, y), 1-product(x, x)-product(z, z))
	} else {
		yaw = math.Atan2(forwardY, forwardX)
		roll = math.Atan2(product(y, z)+product(w, x), 1-product(x, x)-product(y, y))
	}
	return roundedAngle(roll), roundedAngle(pitch), roundedAngle(yaw)
}

// roundedAngle rounds to six decimals. The result is no negative zero.
func roundedAngle(v float64) float64 { return math.Round(v*1e6)/1e6 + 0 }

// Start returns a place before the first gate from which a drone flies straight through it: at the height of its
// middle, half the distance from the last gate to the first away, looking along yaw.
func (c *Course) Start() (at Point, yaw float64) {
	first, last := c.Gates[0], c.Gates[len(c.Gates)-1].Position
	_, _, yaw = first.Angles()
	p := first.Position
	away := math.Hypot(math.Hypot(p.X-last.X, p.Y-last.Y), p.Z-last.Z) / 2
	return Point{p.X - float64(away*math.Cos(yaw)), p.Y - float64(away*math.Sin(yaw)), p.Z}, yaw
}
