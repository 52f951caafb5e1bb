package track

import (
	"strings"

	"github.com/trackgen-go/trackgen/kernel"
)

// Reason says why a track is not valid, one bit for each test that it fails (docs/spec/pipeline.md, section 8). Zero
// means valid.
type Reason int32

// The tests that a track can fail.
const (
	ReasonEmpty          Reason = 1 << iota // no points, or the generator gave none
	ReasonTruncated                         // the loop needs more than N_max points
	ReasonTurning                           // does not turn exactly once around
	ReasonNotFinite                         // a point is NaN or infinite
	ReasonWidth                             // half width at or below validity.min_half_width
	ReasonCurvature                         // a bend is tighter than the road allows
	ReasonSeparation                        // two parts of the road overlap
	ReasonBorderCrossing                    // a border crosses itself or the other (validity.check_borders)
)

var reasonNames = [...]string{"empty", "truncated", "turning", "not finite", "width", "curvature", "separation", "border crossing"}

// Names returns one short name for each failed test, in the order of the constants.
func (r Reason) Names() []string {
	var names []string
	for bit, name := range reasonNames {
		if r&(1<<bit) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// String returns the names joined by commas, and "valid" for zero.
func (r Reason) String() string {
	if r == 0 {
		return "valid"
	}
	return strings.Join(r.Names(), ", ")
}

// Batch is a batch of tracks in host memory. Arrays of points are flat, [E*N_max]: env e starts at e*N_max, its
// Count[e] real points come first and the rest is NaN, but for the z of the three lines, which is road.height
// everywhere. Where Valid[e] is 0 the values of env e are not to be used.
type Batch struct {
	Envs int // E
	NMax int // points stored per track

	Outer   []kernel.Vec3 // [E*N_max] border with the larger area
	Center  []kernel.Vec3 // [E*N_max] centreline
	Inner   []kernel.Vec3 // [E*N_max] border with the smaller area
	Tangent []kernel.Vec3 // [E*N_max] unit tangent of the centreline
	Normal  []kernel.Vec3 // [E*N_max] unit normal in the plane, left of the tangent
	Arclen  []float32     // [E*N_max] arc length before each point
	Length  []float32     // [E] length of the closed centreline
	Valid   []int32       // [E] 1 or 0
	Reason  []Reason      // [E] tests failed
	Count   []int32       // [E] real points
	Winding []float32     // [E] +1 counter-clockwise, -1 clockwise, 0 degenerate
	Seeds   []int32       // [E] base seed of each env
	Epochs  []int32       // [E] epoch of each env

	Candidates []int32 // [E] candidate that was kept of each env, see Config.Candidates; nil for 0 everywhere
	Components []int32 // [E] component of Config.Mix that each env was made with; nil for 0 everywhere

	// Of measured circuits alone (FromCenterline); nil in a generated batch, whose roads have one width.
	WidthRight []float32 // [E*N_max] width from the centreline to the border on the right, in the direction of travel
	WidthLeft  []float32 // [E*N_max] the same on the left
	Crossings  []int32   // [E] how often the centreline crosses itself
}

// Points returns the real points of env e, which is below Envs, in one of the point arrays, for example
// b.Points(b.Center, 3).
func (b *Batch) Points(array []kernel.Vec3, e int) []kernel.Vec3 {
	return array[e*b.NMax : e*b.NMax+int(b.Count[e])]
}

// NumValid counts the valid tracks.
func (b *Batch) NumValid() int {
	n := 0
	for _, v := range b.Valid {
		n += int(v)
	}
	return n
}
