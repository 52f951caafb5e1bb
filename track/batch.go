package track

import (
	"strings"

	"github.com/trackgen-go/trackgen/column"
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

var reasonNames = [...]string{"empty", "truncated", "turning", "not finite", "width", "curvature", "separation",
	"border crossing"}

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
//
// Reason, Seed, Epoch, Candidate and Component may be nil, which stands for 0 everywhere. Crossings is nil in a
// generated batch, where nobody counts them. What files of other programs and earlier versions lack, such as WidthRight
// and WidthLeft, is nil in a batch that was read from one.
type Batch struct {
	Envs int // E
	NMax int // points stored per track

	HostColumns
}

// NewBatch returns a batch of envs empty tracks of nMax points, with arrays of zeros. Columns that a batch may lack as
// unknown are nil. It panics for negative sizes, as make does.
func NewBatch(envs, nMax int) *Batch {
	b := &Batch{Envs: envs, NMax: nMax}
	for _, c := range Schema.Host(&b.HostColumns) {
		if c.Absent != column.Unknown {
			c.Resize(envs * c.Stride(nMax))
		}
	}
	return b
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
