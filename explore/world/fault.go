package world

import (
	"math"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/inflation"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
	"github.com/trackgen-go/trackgen/track"
)

// Fault says where a track or a gate course fails a test, and by how much.
type Fault struct {
	Env    int     `json:"env"` // within the frame
	Reason string  `json:"reason"`
	At     int     `json:"at"`    // point or gate; -1: the whole course
	With   int     `json:"with"`  // the other point or gate; -1: none
	Value  float64 `json:"value"` // what was found
	Limit  float64 `json:"limit"` // what is allowed
}

// reasonTexts say what each test means, by its name. Those of tracks and of gate courses that share a name mean alike.
var reasonTexts = map[string]string{
	"empty":           "the loop has no length",
	"truncated":       "the loop needs more points than output.max_points; it is drawn up to the last one",
	"turning":         "the line does not turn once around: total turning in revolutions",
	"not finite":      "a number of the course is not finite",
	"width":           "half the width of the road is not above validity.min_half_width",
	"curvature":       "a bend is tighter than the road allows: radius, and the least that is allowed",
	"separation":      "two parts are too close: distance, and the least that is allowed",
	"border crossing": "a border crosses itself or the other one",
	"grade":           "the course is steeper than validity.max_grade: change of height by distance",
	"too few gates":   "fewer gates than validity.min_gates",
	"too many gates":  "more gates than output.max_gates",
	"direction":       "a gate has no direction, because its neighbours are in one place",
	"crossing":        "two gates cross, seen from above",
	"distance":        "two successive gates are too near or too far apart",
	"turn":            "the course turns too little or too much at a gate: radians",
	"track":           "the track along which the gates stand is not valid",
}

// mostPairs bounds the points between which the closest pair is searched: of a longer track, every second one, every
// third one and so on are looked at.
const mostPairs = 2048

// faultsOf finds where the tracks of a batch fail. c is resolved.
func faultsOf(b *trackgen.Batch, c trackgen.Config) []Fault {
	faults := []Fault{}
	for e := range b.Envs {
		if b.Valid[e] != 0 || b.Reason == nil {
			continue
		}
		line := faultyTrack{batch: b, env: e, config: c, center: b.Points(b.Center, e)}
		for bit := track.Reason(1); bit <= track.ReasonGrade; bit <<= 1 {
			if b.Reason[e]&bit != 0 {
				f := line.fault(bit)
				f.Env, f.Reason = e, bit.String()
				faults = append(faults, f)
			}
		}
	}
	return faults
}

// faultyTrack is a track that is not valid.
type faultyTrack struct {
	batch  *trackgen.Batch
	env    int
	config trackgen.Config
	center []kernel.Vec3
}

// fault finds where the track fails one test, as docs/spec/pipeline.md, section 8, defines the tests.
func (t faultyTrack) fault(bit track.Reason) Fault {
	whole := Fault{At: -1, With: -1}
	if len(t.center) < 3 {
		return whole
	}
	switch bit {
	case track.ReasonTruncated:
		return Fault{At: len(t.center) - 1, With: -1, Value: float64(len(t.center)),
			Limit: float64(t.config.Output.MaxPoints)}
	case track.ReasonTurning:
		whole.Value, whole.Limit = t.turning(), 1
		return whole
	case track.ReasonWidth:
		whole.Value, whole.Limit = t.halfWidth(0), t.config.Validity.MinHalfWidth
		return whole
	case track.ReasonCurvature:
		return t.tightest()
	case track.ReasonSeparation:
		return t.closest()
	case track.ReasonBorderCrossing:
		return t.crossing()
	case track.ReasonGrade:
		return t.steepest()
	}
	return whole
}

// halfWidth returns half the width of the road at a point.
func (t faultyTrack) halfWidth(i int) float64 {
	row := t.env * t.batch.NMax
	if t.batch.WidthRight == nil || t.batch.WidthLeft == nil {
		return t.config.Road.HalfWidth
	}
	return float64(t.batch.WidthRight[row+i]+t.batch.WidthLeft[row+i]) / 2
}

// thickness is the room that half the road needs.
func (t faultyTrack) thickness(i int) float64 {
	return (1 - t.config.Validity.ThicknessTolerance) * t.halfWidth(i)
}

// plan returns point i, counted around the loop, in the plane.
func (t faultyTrack) plan(i int) kernel.Vec2 {
	n := len(t.center)
	p := t.center[(i%n+n)%n]
	return kernel.V2(p.X, p.Y)
}

func (t faultyTrack) turning() float64 {
	total := 0.0
	for i := range t.center {
		in, out := t.plan(i).Sub(t.plan(i-1)), t.plan(i+1).Sub(t.plan(i))
		total += math.Atan2(float64(in.Cross(out)), float64(in.Dot(out)))
	}
	return total / (2 * math.Pi)
}

// tightest finds the bend with the smallest radius.
func (t faultyTrack) tightest() Fault {
	at, sharpest := 0, float32(-1)
	for i := range t.center {
		if bent := inflation.Curvature(t.plan(i-1), t.plan(i), t.plan(i+1)); bent > sharpest {
			at, sharpest = i, bent
		}
	}
	return Fault{At: at, With: -1, Value: 1 / math.Max(float64(sharpest), 1e-12), Limit: t.thickness(at)}
}

// closest finds the two points nearest to each other among those that are not neighbours along the road.
func (t faultyTrack) closest() Fault {
	n := len(t.center)
	skip := int(relaxation.Band(0, float32(t.halfWidth(0)), t.batch.Length[t.env]/float32(n)))
	stride := (n + mostPairs - 1) / mostPairs
	f := Fault{At: -1, With: -1, Value: math.Inf(1), Limit: 2 * t.thickness(0)}
	for i := 0; i < n; i += stride {
		for j := i + skip + 1; j <= min(n-1, i+n-skip-1); j += stride {
			if d := float64(t.plan(i).Sub(t.plan(j)).Len()); d < f.Value {
				f.At, f.With, f.Value = i, j, d
			}
		}
	}
	if f.At < 0 {
		f.Value = 0
	}
	return f
}

// crossing finds a place where borders cross.
func (t faultyTrack) crossing() Fault {
	outer, inner := t.batch.Points(t.batch.Outer, t.env), t.batch.Points(t.batch.Inner, t.env)
	n := len(t.center)
	flat := func(line []kernel.Vec3, i int) kernel.Vec2 { return kernel.V2(line[i%n].X, line[i%n].Y) }
	cross := func(a []kernel.Vec3, i int, b []kernel.Vec3, j int) bool {
		return centerline.SegmentsCross(flat(a, i), flat(a, i+1), flat(b, j), flat(b, j+1))
	}
	for i := range min(n, mostPairs) {
		for j := range n {
			apart := j > i+1 && (i != 0 || j != n-1)
			if cross(outer, i, inner, j) || apart && (cross(outer, i, outer, j) || cross(inner, i, inner, j)) {
				return Fault{At: i, With: j}
			}
		}
	}
	return Fault{At: -1, With: -1}
}

// steepest finds the steepest step between two points.
func (t faultyTrack) steepest() Fault {
	f := Fault{At: -1, With: -1, Limit: t.config.Validity.MaxGrade}
	n := len(t.center)
	for i, p := range t.center {
		q := t.center[(i+1)%n]
		grade := math.Abs(float64(q.Z-p.Z)) / math.Max(math.Hypot(float64(q.X-p.X), float64(q.Y-p.Y)), 1e-12)
		if grade > f.Value {
			f.At, f.Value = i, grade
		}
	}
	return f
}
