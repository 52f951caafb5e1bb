package export

import "github.com/trackgen-go/trackgen/gate"

// GateSummary holds the totals of a batch of gate courses.
type GateSummary struct {
	Envs    int          `json:"envs"`    // number of courses
	Valid   int          `json:"valid"`   // number of valid courses
	Yield   float64      `json:"yield"`   // Valid / Envs; 0 for no courses
	Reasons ReasonCounts `json:"reasons"` // why the other courses are invalid
	Gates   *Statistics  `json:"gates"`   // gates of the valid courses; nil if there are none

	// FrameFallbacks is the number of gates without a level direction, which face x, in all courses, and FallbackEnvs the
	// number of courses with such gates.
	FrameFallbacks int `json:"frame_fallbacks"`
	FallbackEnvs   int `json:"fallback_envs"`
}

// GateSummarizer adds up a batch that comes in chunks. It stores four bytes per valid course, for the median. The zero
// value is ready for use.
type GateSummarizer struct {
	summary GateSummary
	reasons reasonTally[gate.Reason]
	gates   []int32
}

// SummarizeGates returns the summary of one batch.
func SummarizeGates(b *gate.Batch) (GateSummary, error) {
	var s GateSummarizer
	if err := s.Add(b); err != nil {
		return GateSummary{}, err
	}
	return s.Summary(), nil
}

// Add adds the courses of a chunk to the totals.
func (s *GateSummarizer) Add(chunk *gate.Batch) error {
	if err := checkGates(chunk); err != nil {
		return err
	}
	s.summary.Envs += chunk.Envs
	for e := range chunk.Envs {
		if fallbacks := int(numberOf(chunk.FrameFallbacks, e)); fallbacks > 0 {
			s.summary.FrameFallbacks += fallbacks
			s.summary.FallbackEnvs++
		}
		if chunk.Valid[e] == 0 {
			s.reasons.add(numberOf(chunk.Reason, e))
			continue
		}
		s.summary.Valid++
		s.gates = append(s.gates, chunk.Count[e])
	}
	return nil
}

// Summary returns the totals so far.
func (s *GateSummarizer) Summary() GateSummary {
	out := s.summary
	out.Gates = statistics(s.gates)
	out.Reasons = s.reasons.counts()
	if out.Envs > 0 {
		out.Yield = float64(out.Valid) / float64(out.Envs)
	}
	return out
}
