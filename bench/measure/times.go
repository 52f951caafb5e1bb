package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/trackgen-go/trackgen/backend"
)

// Seconds is a time that is written in seconds in files.
type Seconds time.Duration

// Seconds returns the time in seconds.
func (s Seconds) Seconds() float64 { return time.Duration(s).Seconds() }

// MarshalJSON implements json.Marshaler.
func (s Seconds) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, s.Seconds(), 'g', -1, 64), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Seconds) UnmarshalJSON(text []byte) error {
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsNaN(v) || math.Abs(v) > math.MaxInt64/1e9 {
		return errors.New("measure: a time must be a number of seconds, but is " + strconv.Quote(string(text)))
	}
	*s = Seconds(math.Round(v * 1e9))
	return nil
}

// Times summarises the runs of one figure.
type Times struct {
	Runs   int     `json:"runs"`
	Median Seconds `json:"median_seconds"`
	Low    Seconds `json:"low_seconds"`  // 10th percentile
	High   Seconds `json:"high_seconds"` // 90th percentile
}

// Spread is the distance between the percentiles as a fraction of the median.
func (t Times) Spread() float64 {
	if t.Median == 0 {
		return 0
	}
	return float64(t.High-t.Low) / float64(t.Median)
}

// summarize summarises times, of which there is at least one. It sorts them.
func summarize(times []time.Duration) Times {
	slices.Sort(times)
	at := func(part float64) Seconds { return Seconds(times[int(math.Round(part*float64(len(times)-1)))]) }
	return Times{Runs: len(times), Median: at(0.5), Low: at(0.1), High: at(0.9)}
}

const (
	minRuns = 3
	maxRuns = 1000
)

// timer runs functions repeatedly. It keeps the first error and runs nothing after it.
type timer struct {
	ctx    context.Context
	stream backend.Stream
	each   time.Duration // time for each figure
	err    error
}

// repeat measures run, including the wait, until the time for the figure is over.
func (t *timer) repeat(run func() error) Times {
	var times []time.Duration
	for begin := time.Now(); t.err == nil && len(times) < maxRuns; {
		if t.err = t.ctx.Err(); t.err != nil {
			break
		}
		start := time.Now()
		t.err = run()
		if t.err == nil {
			t.err = t.stream.Sync()
		}
		times = append(times, time.Since(start))
		if len(times) >= minRuns && time.Since(begin) >= t.each {
			break
		}
	}
	if t.err != nil {
		return Times{}
	}
	return summarize(times)
}

// rounds measures stages of one piece of work, each including the wait. They run in turns, as in the whole, until the
// time for all figures is over, so that each finds what the stages before it have left. The error names the stage.
func (t *timer) rounds(names []string, run []func() error) []Times {
	times := make([][]time.Duration, len(run))
	for begin, n := time.Now(), 0; t.err == nil && n < maxRuns; {
		for i := range run {
			if t.err = t.ctx.Err(); t.err != nil {
				return nil
			}
			start := time.Now()
			if t.err = run[i](); t.err == nil {
				t.err = t.stream.Sync()
			}
			if t.err != nil {
				t.err = fmt.Errorf("stage %s: %w", names[i], t.err)
				return nil
			}
			times[i] = append(times[i], time.Since(start))
		}
		if n++; n >= minRuns && time.Since(begin) >= t.each*time.Duration(len(run)) {
			break
		}
	}
	var list []Times
	for _, of := range times {
		list = append(list, summarize(of))
	}
	return list
}
