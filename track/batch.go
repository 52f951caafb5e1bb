package track

import (
	"strings"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/kernel"
)

// Reason says why a track is not valid, with one bit for each test that the track fails (docs/spec/pipeline.md, section
// 8). Zero means valid.
type Reason int32

// The tests that a track can fail.
const (
	ReasonEmpty          Reason = 1 << iota // no points, because the loop has no length
	ReasonTruncated                         // the loop needs more than N_max points
	ReasonTurning                           // the total turning is not one revolution
	ReasonNotFinite                         // no points, because the line is not finite (docs/results.md)
	ReasonWidth                             // the half width is at or below validity.min_half_width
	ReasonCurvature                         // a bend is tighter than the road allows
	ReasonSeparation                        // two parts of the road overlap
	ReasonBorderCrossing                    // a border crosses itself or the other one (validity.check_borders)
	ReasonGrade                             // the road is steeper than validity.max_grade
)

var reasonNames = [...]string{"empty", "truncated", "turning", "not finite", "width", "curvature", "separation",
	"border crossing", "grade"}

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

// String returns the names joined by commas, or "valid" for zero.
func (r Reason) String() string {
	if r == 0 {
		return "valid"
	}
	return strings.Join(r.Names(), ", ")
}

// Batch is a batch of tracks in host memory. Arrays of points are flat, [E*N_max]: row e starts at e*N_max. The first
// Count[e] points of a row are real. The rest is NaN, except the z of the three lines, which is road.height
// everywhere if the track is level, and 0 beyond the real points if it has hills.
// Where Valid[e] is 0, the values of env e must not be used. In a batch that was generated or imported, every NaN has
// the bits kernel.NaNBits, and all other numbers are finite, in envs that are not valid too.
//
// Reason, Seed, Epoch, Candidate and Component may be nil, which stands for 0 everywhere. Crossings is nil in a
// generated batch, where crossings are not counted. A batch that was read from a file lacks what the file lacks: files
// of other programs and of earlier versions may have no WidthRight and WidthLeft, for example, which are then nil.
type Batch struct {
	Envs int // E
	NMax int // points stored per track

	// Names are the names of the tracks, one for each env; nil if no track has one. The name of a measured circuit is
	// Circuit.Name; generated tracks have none. A track without a name has "", and several tracks may have the same.
	Names []string

	HostColumns
}

// Name returns the name of env e, or "" if it has none. e must be below Envs.
func (b *Batch) Name(e int) string {
	if e >= len(b.Names) {
		return ""
	}
	return b.Names[e]
}

// NewBatch returns a batch of envs empty tracks with room for nMax points each; all elements are zero. Columns whose
// absence means unknown are nil. It panics for negative sizes, as make does.
func NewBatch(envs, nMax int) *Batch {
	b := &Batch{Envs: envs, NMax: nMax}
	for _, c := range Schema.Host(&b.HostColumns) {
		if c.Absent != column.Unknown {
			c.Resize(envs * c.Stride(nMax))
		}
	}
	return b
}

// Points returns the real points of env e from one of the point arrays, for example b.Points(b.Center, 3). e must be
// below Envs.
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
