package export

import (
	"encoding/json"
	"slices"

	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/track"
)

// unknownReason is the reason of an invalid env without a named test, as in files of other programs.
const unknownReason = "unknown"

// ReasonNames returns the names of the tests that env e of a batch failed. For a valid track it returns none, otherwise
// at least one: "unknown" if the batch names no test.
func ReasonNames(b *track.Batch, e int) []string { return reasonNames(b.Valid, b.Reason, e) }

// GateReasonNames returns the names of the tests that env e of a batch of gate courses failed, as ReasonNames does.
func GateReasonNames(b *gate.Batch, e int) []string { return reasonNames(b.Valid, b.Reason, e) }

// failedTests is a set of failed tests, one bit for each.
type failedTests interface {
	~int32
	Names() []string
	String() string
}

func reasonNames[R failedTests](valid []int32, reasons []R, e int) []string {
	if valid[e] != 0 {
		return nil
	}
	if names := numberOf(reasons, e).Names(); len(names) > 0 {
		return names
	}
	return []string{unknownReason}
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

// reasonTally counts the failed tests of invalid envs. The zero value is ready for use.
type reasonTally[R failedTests] struct {
	bits    [32]int // by bit
	unknown int
}

// add counts the tests that an invalid env failed.
func (t *reasonTally[R]) add(failed R) {
	known := false
	for bit := range t.bits {
		if one := failed & (1 << bit); one != 0 && len(one.Names()) > 0 {
			t.bits[bit]++
			known = true
		}
	}
	if !known {
		t.unknown++
	}
}

// counts returns the counts so far; nil if there are none.
func (t *reasonTally[R]) counts() (list ReasonCounts) {
	for bit, envs := range t.bits {
		if envs > 0 {
			list = append(list, ReasonCount{R(1 << bit).String(), envs})
		}
	}
	if t.unknown > 0 {
		list = append(list, ReasonCount{unknownReason, t.unknown})
	}
	slices.SortStableFunc(list, func(a, b ReasonCount) int { return b.Envs - a.Envs })
	return list
}
