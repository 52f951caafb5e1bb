// Package quality measures batches of tracks: the number of valid tracks, their length and compactness, and how they
// drive.
//
// The measures are those of the published comparison of TrackGen's generators (docs/spec/pipeline.md, section 13), so
// that the tables can be compared. Lengths are in track units, curvatures in inverse track units, and times in seconds
// for a car with a lateral acceleration of 1.
package quality

import (
	"math"
	"slices"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

const (
	minTurn          = 0.05 // minimum turn, in radians, of a bend that counts as a change of direction
	straightFraction = 0.5  // a point is straight if its curvature is below this fraction of the track's mean
	minCurvature     = 1e-6 // lower limit of the curvature in the lap time
	minEdge          = 1e-9 // lower limit of the length by which a turn is divided
)

// Loop holds the measures of one closed centreline.
type Loop struct {
	Length        float64
	Compactness   float64 // 4 pi area / length squared: 1 for a circle
	Chicanes      int     // changes of direction between bends of at least 0.05 rad
	Straight      float64 // fraction of points with less than half the mean curvature
	PeakCurvature float64
	LapTime       float64 // with the speed that gives a lateral acceleration of 1 at every point
}

// Measure returns the measures of the closed polygon through points, of which there must be at least 3.
func Measure(points []kernel.Vec3) Loop {
	n := len(points)
	edges := make([]float64, n)   // from point i to the next
	heading := make([]float64, n) // of that edge
	area := 0.0
	var loop Loop
	for i, p := range points {
		q := points[(i+1)%n]
		dx, dy := float64(q.X)-float64(p.X), float64(q.Y)-float64(p.Y)
		edges[i] = math.Hypot(dx, dy)
		heading[i] = math.Atan2(dy, dx)
		area += float64(p.X)*float64(q.Y) - float64(q.X)*float64(p.Y)
		loop.Length += edges[i]
	}
	if loop.Length > 0 {
		loop.Compactness = 2 * math.Pi * math.Abs(area) / (loop.Length * loop.Length)
	}
	curvature := make([]float64, n)
	mean := 0.0
	direction := 0.0
	for i := range points {
		before := (i + n - 1) % n
		turn := math.Remainder(heading[i]-heading[before], 2*math.Pi)
		curvature[i] = math.Abs(turn) / math.Max((edges[i]+edges[before])/2, minEdge)
		mean += curvature[i] / float64(n)
		loop.PeakCurvature = max(loop.PeakCurvature, curvature[i])
		loop.LapTime += edges[i] * math.Sqrt(math.Max(curvature[i], minCurvature))
		if math.Abs(turn) >= minTurn {
			if direction != 0 && math.Signbit(turn) != math.Signbit(direction) {
				loop.Chicanes++
			}
			direction = turn
		}
	}
	for _, k := range curvature {
		if k < straightFraction*mean {
			loop.Straight += 1 / float64(n)
		}
	}
	return loop
}

// Crosses reports whether the closed polygon through points crosses itself, judged only by the signs of the
// orientations in float32. It therefore counts rounding noise on straight pieces, as the published table does.
func Crosses(points []kernel.Vec2) bool {
	side := func(a, b, p kernel.Vec2) bool { return b.Sub(a).Cross(p.Sub(a)) > 0 }
	n := len(points)
	for i := range n {
		a, b := points[i], points[(i+1)%n]
		for j := i + 2; j < n; j++ {
			if (j+1)%n == i {
				continue
			}
			p, q := points[j], points[(j+1)%n]
			if side(a, b, p) != side(a, b, q) && side(p, q, a) != side(p, q, b) {
				return true
			}
		}
	}
	return false
}

// Row is one row of the table: means over the valid tracks of a batch, except Yield, SelfCrossing and Displacement.
type Row struct {
	Generator         string  `json:"generator"`
	Envs              int     `json:"envs"`
	Yield             float64 `json:"yield"`         // fraction of valid tracks
	SelfCrossing      float64 `json:"self_crossing"` // fraction of the loops that cross themselves before relaxation
	Displacement      float64 `json:"displacement"`  // mean distance by which relaxation moves a point
	Length            float64 `json:"length"`
	Compactness       float64 `json:"compactness"`
	CompactnessMedian float64 `json:"compactness_median"`
	Chicanes          float64 `json:"chicanes"`
	Straight          float64 `json:"straight"`
	PeakCurvature     float64 `json:"peak_curvature"`
	LapTime           float64 `json:"lap_time"`
}

// Summarise measures a batch. spaced holds the centrelines before relaxation, [E*N_max], or is nil.
func Summarise(generator string, batch *track.Batch, spaced []kernel.Vec2) Row {
	var s Summariser
	s.Add(batch, spaced)
	return s.Row(generator)
}

// Summariser measures a batch that comes in chunks. It keeps the measures of each valid track. The zero value is ready
// for use.
type Summariser struct {
	envs, crossing int
	moved          float64
	movedPoints    int
	loops          []Loop
}

// Add measures the tracks of a chunk. spaced holds their centrelines before relaxation, [E*N_max], or is nil.
func (s *Summariser) Add(batch *track.Batch, spaced []kernel.Vec2) {
	s.envs += batch.Envs
	for e := range batch.Envs {
		points := batch.Points(batch.Center, e)
		if len(points) < 4 || batch.Reason != nil && batch.Reason[e]&track.ReasonNotFinite != 0 {
			continue
		}
		if spaced != nil {
			before := spaced[e*batch.NMax : e*batch.NMax+len(points)]
			if Crosses(before) {
				s.crossing++
			}
			for i, p := range before {
				s.moved += math.Hypot(float64(points[i].X)-float64(p.X), float64(points[i].Y)-float64(p.Y))
			}
			s.movedPoints += len(points)
		}
		if batch.Valid[e] == 0 {
			continue
		}
		// A file of another program may mark anything as valid.
		if loop := Measure(points); !math.IsNaN(loop.Length) && !math.IsInf(loop.Length, 0) {
			s.loops = append(s.loops, loop)
		}
	}
}

// Loops returns the measures of the valid tracks so far, in order.
func (s *Summariser) Loops() []Loop { return s.loops }

// Row returns the row of the tracks so far. SelfCrossing and Displacement are zero if the centrelines before relaxation
// were not given.
func (s *Summariser) Row(generator string) Row {
	row := Row{Generator: generator, Envs: s.envs}
	if s.envs > 0 {
		row.Yield = float64(len(s.loops)) / float64(s.envs)
		row.SelfCrossing = float64(s.crossing) / float64(s.envs)
	}
	row.Displacement = s.moved / math.Max(1, float64(s.movedPoints))
	if len(s.loops) == 0 {
		return row
	}
	compactness := make([]float64, 0, len(s.loops))
	for _, loop := range s.loops {
		compactness = append(compactness, loop.Compactness)
		row.Length += loop.Length
		row.Compactness += loop.Compactness
		row.Chicanes += float64(loop.Chicanes)
		row.Straight += loop.Straight
		row.PeakCurvature += loop.PeakCurvature
		row.LapTime += loop.LapTime
	}
	for _, sum := range []*float64{&row.Length, &row.Compactness, &row.Chicanes, &row.Straight, &row.PeakCurvature,
		&row.LapTime} {
		*sum /= float64(len(s.loops))
	}
	slices.Sort(compactness)
	half := len(compactness) / 2
	row.CompactnessMedian = compactness[half]
	if len(compactness)%2 == 0 {
		row.CompactnessMedian = (compactness[half-1] + compactness[half]) / 2
	}
	return row
}
