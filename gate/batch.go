package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/gate"
)

// Reason says why a course is not valid, with one bit for each test that it fails (C-38, and docs/gates.md for the
// tests that the reference system does not have). Zero means valid.
type Reason int32

// The tests that a course can fail.
const (
	ReasonTooFew     Reason = gate.TooFew     // fewer gates than validity.min_gates
	ReasonTooMany    Reason = gate.TooMany    // more control points than output.max_gates
	ReasonNotFinite  Reason = gate.NotFinite  // a value of a gate is NaN or infinite
	ReasonDirection  Reason = gate.Direction  // a gate has no direction, because its neighbours are in one place
	ReasonSeparation Reason = gate.Separation // two gates are nearer than twice gate.radius in plan view
	ReasonCrossing   Reason = gate.Crossing   // two gates cross in plan view
	ReasonGrade      Reason = gate.Grade      // steeper than validity.max_grade between two gates
	ReasonDistance   Reason = gate.Distance   // two successive gates are too near or too far
	ReasonTurn       Reason = gate.Turn       // the course turns too little or too much at a gate
	ReasonTrack      Reason = gate.Road       // the track along which the gates stand is not valid
)

var reasonNames = [...]string{"too few gates", "too many gates", "not finite", "direction", "separation", "crossing",
	"grade", "distance", "turn", "track"}

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

// ReasonNamed returns the reason of the failed test with this name, one of those that Names returns, or 0.
func ReasonNamed(name string) Reason {
	if bit := slices.Index(reasonNames[:], name); bit >= 0 {
		return 1 << bit
	}
	return 0
}

// String returns the names joined by commas, or "valid" for zero.
func (r Reason) String() string {
	if r == 0 {
		return "valid"
	}
	return strings.Join(r.Names(), ", ")
}

// Batch is a batch of gate courses in host memory. Arrays of gates are flat, [E*G_max]: row e starts at e*G_max. The
// first Count[e] gates of a row are real, and the rest is NaN. Where Valid[e] is 0, the values of env e must not be
// used.
type Batch struct {
	Envs     int // E
	MaxGates int // gates stored per course, G_max

	HostColumns
}

// NewBatch returns a batch of envs empty courses with room for maxGates gates each; all elements are zero. It panics
// for negative sizes, as make does.
func NewBatch(envs, maxGates int) *Batch {
	b := &Batch{Envs: envs, MaxGates: maxGates}
	for _, c := range Schema.Host(&b.HostColumns) {
		if c.Absent != column.Unknown {
			c.Resize(envs * c.Stride(maxGates))
		}
	}
	return b
}

// Gates returns the real gates of env e from one of the arrays of gates, for example b.Gates(b.Position, 3). e must be
// below Envs.
func (b *Batch) Gates(array []kernel.Vec3, e int) []kernel.Vec3 {
	return array[e*b.MaxGates : e*b.MaxGates+int(b.Count[e])]
}

// NumValid counts the valid courses.
func (b *Batch) NumValid() int {
	n := 0
	for _, v := range b.Valid {
		n += int(v)
	}
	return n
}

// Append adds copies of the given envs of another batch, in the given order. An empty b takes G_max from the other
// batch; otherwise both must store the same number of gates. If from has no such env, Append returns an error and
// changes nothing.
func (b *Batch) Append(from *Batch, envs ...int) error {
	if b.Envs > 0 && b.MaxGates != from.MaxGates {
		return fmt.Errorf("gate: append to a batch of %d gates per course: the other batch stores %d", b.MaxGates,
			from.MaxGates)
	}
	for _, e := range envs {
		if e < 0 || e >= from.Envs {
			return fmt.Errorf("gate: append env %d: must be 0 to %d", e, from.Envs-1)
		}
	}
	b.MaxGates = from.MaxGates
	to, source := Schema.Host(&b.HostColumns), Schema.Host(&from.HostColumns)
	for i, c := range to {
		c.AppendEnvs(b.Envs, source[i], envs, c.Stride(b.MaxGates))
	}
	b.Envs += len(envs)
	return nil
}
