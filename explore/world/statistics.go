package world

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/bench/quality"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/internal/settings"
)

// Measure is a number of each track of a batch that the page shows as a histogram.
type Measure struct {
	Name  string `json:"name"`
	Doc   string `json:"doc"`
	Whole bool   `json:"whole,omitempty"`
	Gates bool   `json:"gates,omitempty"` // of gate courses, else of tracks
}

// measures are those of trackgen stats.
var measures = []Measure{
	{Name: "length", Doc: "length of the centreline, in track units"},
	{Name: "compactness", Doc: "4 pi area / length squared: 1 for a circle"},
	{Name: "chicanes", Doc: "changes of direction in a lap", Whole: true},
	{Name: "straight", Doc: "part of the points with less than half the mean curvature"},
	{Name: "peak curvature", Doc: "largest curvature, in 1 / track units"},
	{Name: "lap time", Doc: "time of a lap at a lateral acceleration of 1"},
	{Name: "gates", Doc: "gates of a course", Whole: true, Gates: true},
	{Name: "length", Doc: "length of the way from gate to gate, in track units", Gates: true},
	{Name: "shortest way", Doc: "least distance of two successive gates", Gates: true},
	{Name: "longest way", Doc: "largest distance of two successive gates", Gates: true},
	{Name: "largest turn", Doc: "largest angle by which the course turns at a gate, in radians", Gates: true},
	{Name: "climb", Doc: "sum of all rises of a lap, in track units", Gates: true},
}

// measuredHead is the JSON of a frame of measures. The body has, for each env: its seed, whether it is valid and its
// component, as int32, and its measures as float32, NaN where it is not valid.
type measuredHead struct {
	Kind    string     `json:"kind"` // measures
	First   int        `json:"first"`
	Envs    int        `json:"envs"`
	Columns []string   `json:"columns"` // names of the measures
	Reasons [][]string `json:"reasons"`
}

// statistics answers the call "statistics": frames of measures, and a last frame "done".
func (w *World) statistics(ctx context.Context, r Request, _ []byte, emit Emit) error {
	if err := r.check(MaxStatistics); err != nil {
		return err
	}
	end, first := done{Kind: "done"}, 0
	send := func(m measured) error {
		m.head.Kind, m.head.First = "measures", first
		first += m.head.Envs
		return emit(Frame{Head: m.head, Body: m.body})
	}
	var err error
	switch r.Course {
	case CourseTracks:
		c, wrong := configure(settings.Tracks, r.Settings, r.Mix, trackgen.Config.Validate)
		if wrong != nil {
			return wrong
		}
		err = w.tracks(ctx, r, c, &end, func(b *trackgen.Batch) error {
			end.Valid += b.NumValid()
			return send(measureTracks(b))
		})
	case CourseGates:
		err = w.gates(ctx, r, &end, func(b *trackgen.GateBatch) error {
			end.Valid += b.NumValid()
			return send(measureGates(b))
		})
	default:
		err = refuse("course", r.Course, "tracks or gates")
	}
	if err != nil {
		return err
	}
	end.Envs = first
	return emit(Frame{Head: end})
}

// measured is a frame of measures.
type measured struct {
	head measuredHead
	body []byte
}

func newMeasured(envs int, ofGates bool) measured {
	m := measured{head: measuredHead{Envs: envs}}
	for _, known := range measures {
		if known.Gates == ofGates {
			m.head.Columns = append(m.head.Columns, known.Name)
		}
	}
	return m
}

// add adds the measures of one env, NaN for all that are missing.
func (m *measured) add(seed, valid, component int32, reasons []string, values ...float64) {
	for _, word := range []int32{seed, valid, component} {
		m.body = binary.LittleEndian.AppendUint32(m.body, uint32(word))
	}
	for i := range m.head.Columns {
		v := math.NaN()
		if i < len(values) {
			v = values[i]
		}
		m.body = binary.LittleEndian.AppendUint32(m.body, math.Float32bits(float32(v)))
	}
	m.head.Reasons = append(m.head.Reasons, reasons)
}

func measureTracks(b *trackgen.Batch) measured {
	m := newMeasured(b.Envs, false)
	for e := range b.Envs {
		var values []float64
		if b.Valid[e] != 0 {
			l := quality.Measure(b.Points(b.Center, e))
			values = []float64{l.Length, l.Compactness, float64(l.Chicanes), l.Straight, l.PeakCurvature, l.LapTime}
		}
		m.add(b.Seed[e], b.Valid[e], b.Component[e], export.ReasonNames(b, e), values...)
	}
	return m
}

func measureGates(b *trackgen.GateBatch) measured {
	m := newMeasured(b.Envs, true)
	for e := range b.Envs {
		var values []float64
		if position := b.Gates(b.Position, e); b.Valid[e] != 0 && len(position) > 1 {
			n := len(position)
			length, shortest, longest, turn, climb := 0.0, math.Inf(1), 0.0, 0.0, 0.0
			for i, p := range position {
				way, before := position[(i+1)%n].Sub(p), p.Sub(position[(i+n-1)%n])
				d := float64(way.Len())
				length, shortest, longest = length+d, min(shortest, d), max(longest, d)
				turn = max(turn, math.Atan2(float64(before.Cross(way).Len()), float64(before.Dot(way))))
				climb += max(0, float64(way.Z))
			}
			values = []float64{float64(n), length, shortest, longest, turn, climb}
		}
		m.add(b.Seed[e], b.Valid[e], b.Component[e], export.GateReasonNames(b, e), values...)
	}
	return m
}
