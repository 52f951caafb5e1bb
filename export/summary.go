package export

import (
	"encoding/json"
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

// ReasonCount is the number of tracks that failed one test.
type ReasonCount struct {
	Reason string // name of the test, or "unknown"
	Envs   int
}

// ReasonCounts holds the number of tracks that failed each test, most frequent first. A track that failed several tests
// counts for each. The JSON form is an object from names to numbers.
type ReasonCounts []ReasonCount

// MarshalJSON implements json.Marshaler.
func (c ReasonCounts) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, count := range c {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(count.Reason)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), appendInt(nil, count.Envs)...)
	}
	return append(out, '}'), nil
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

	reasons [32]int // by bit
	unknown int
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
			s.addReasons(numberOf(chunk.Reason, e))
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

func (s *Summarizer) addReasons(r track.Reason) {
	known := false
	for bit := range s.reasons {
		if one := r & (1 << bit); one != 0 && len(one.Names()) > 0 {
			s.reasons[bit]++
			known = true
		}
	}
	if !known {
		s.unknown++
	}
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
	}
	if s.envs > 0 {
		out.Yield = float64(out.Valid) / float64(s.envs)
	}
	for bit, envs := range s.reasons {
		if envs > 0 {
			out.Reasons = append(out.Reasons, ReasonCount{track.Reason(1 << bit).String(), envs})
		}
	}
	if s.unknown > 0 {
		out.Reasons = append(out.Reasons, ReasonCount{unknownReason, s.unknown})
	}
	slices.SortStableFunc(out.Reasons, func(a, b ReasonCount) int { return b.Envs - a.Envs })
	return out
}

// unknownReason is the reason of an invalid track without a named test, as in files of other programs.
const unknownReason = "unknown"

// ReasonNames returns the names of the tests that env e of a batch failed. For a valid track it returns none, otherwise
// at least one: "unknown" if the batch names no test.
func ReasonNames(b *track.Batch, e int) []string {
	if b.Valid[e] != 0 {
		return nil
	}
	if names := numberOf(b.Reason, e).Names(); len(names) > 0 {
		return names
	}
	return []string{unknownReason}
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
