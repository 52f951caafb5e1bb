package export

import (
	"slices"

	"github.com/trackgen-go/trackgen/track"
)

// Summary holds the totals of a batch of tracks.
type Summary struct {
	Envs             int          `json:"envs"`              // number of tracks
	Valid            int          `json:"valid"`             // number of valid tracks
	Yield            float64      `json:"yield"`             // Valid / Envs; 0 for no tracks
	Reasons          ReasonCounts `json:"reasons"`           // why the other tracks are invalid
	Clockwise        int          `json:"clockwise"`         // valid tracks that run clockwise
	CounterClockwise int          `json:"counter_clockwise"` // valid tracks that run counter-clockwise
	Length           *Statistics  `json:"length"`            // of the valid tracks; nil if there are none
	Points           *Statistics  `json:"points"`            // of the valid tracks; nil if there are none
}

// Statistics describes a set of numbers.
type Statistics struct {
	Min    float64 `json:"min"`
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"` // mean of the middle two for an even number of values
	Max    float64 `json:"max"`
}

// Summarize returns the summary of one batch.
func Summarize(b *track.Batch) (Summary, error) {
	var s Summarizer
	if err := s.Add(b); err != nil {
		return Summary{}, err
	}
	return s.Summary(), nil
}

// Summarizer adds up a batch that comes in chunks. It stores eight bytes per valid track, for the medians. The zero
// value is ready for use.
type Summarizer struct {
	envs, valid, clockwise, counterClockwise int

	reasons reasonTally[track.Reason]
	lengths []float32
	points  []int32
}

// Add adds the tracks of a chunk to the totals.
func (s *Summarizer) Add(chunk *track.Batch) error {
	if err := checkBatch(chunk); err != nil {
		return err
	}
	s.envs += chunk.Envs
	for e := range chunk.Envs {
		if chunk.Valid[e] == 0 {
			s.reasons.add(numberOf(chunk.Reason, e))
			continue
		}
		s.valid++
		if length := chunk.Length[e]; finite(length) { // files of other programs may contain any number
			s.lengths = append(s.lengths, length)
		}
		s.points = append(s.points, chunk.Count[e])
		switch winding := chunk.Winding[e]; {
		case winding < 0:
			s.clockwise++
		case winding > 0:
			s.counterClockwise++
		}
	}
	return nil
}

// Summary returns the totals so far.
func (s *Summarizer) Summary() Summary {
	out := Summary{
		Envs:             s.envs,
		Valid:            s.valid,
		Clockwise:        s.clockwise,
		CounterClockwise: s.counterClockwise,
		Length:           statistics(s.lengths),
		Points:           statistics(s.points),
		Reasons:          s.reasons.counts(),
	}
	if s.envs > 0 {
		out.Yield = float64(out.Valid) / float64(s.envs)
	}
	return out
}

// StatisticsOf returns the statistics of numbers, which must be finite; nil if there are none.
func StatisticsOf(values []float64) *Statistics { return statistics(values) }

func statistics[T float32 | float64 | int32](values []T) *Statistics {
	if len(values) == 0 {
		return nil
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	sum := 0.0
	for _, v := range values {
		sum += float64(v)
	}
	n := len(sorted)
	return &Statistics{
		Min:    float64(sorted[0]),
		Mean:   sum / float64(n),
		Median: (float64(sorted[(n-1)/2]) + float64(sorted[n/2])) / 2,
		Max:    float64(sorted[n-1]),
	}
}
