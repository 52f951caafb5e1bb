package curve

import "math"

// Interpolate returns the first n of total values at equal arc lengths. Their linear interpolation approximates the
// given values at the stations. A result is in the range of the two stations around its place. If the relative error at
// a station would exceed 0.5 %, it may leave the range by 2 or 10 %. All values are > 0, and so are the results.
func (c *Curve) Interpolate(values []float64, n, total int) []float64 {
	step := c.Length() / float64(total)
	f := fit{curve: c, values: values, step: step, result: make([]float64, total), low: make([]float64, total),
		high: make([]float64, total)}
	i := 0
	for k := range f.result {
		arc := float64(float64(k) * step)
		for i+1 < len(c.Stations) && c.Stations[i+1] <= arc {
			i++
		}
		next := (i + 1) % len(values)
		f.result[k] = c.between(values, i, arc)
		f.low[k], f.high[k] = min(values[i], values[next]), max(values[i], values[next])
	}
	for _, beyond := range [...]float64{0, 0.02, 0.1} {
		for range corrections {
			if c.Misfit(values, f.result) <= goodFit {
				return f.result[:n]
			}
			f.correct(beyond)
		}
	}
	return f.result[:n]
}

// Misfit returns the largest relative error at the stations when values at places around the whole curve are
// interpolated. values has the true value of each station.
func (c *Curve) Misfit(values, places []float64) float64 {
	n := len(places)
	step, worst := c.Length()/float64(n), 0.0
	for i, station := range c.Stations {
		k := min(int(station/step), n-1)
		part := min(max(station/step-float64(k), 0), 1)
		got := places[k] + float64(part*(places[(k+1)%n]-places[k]))
		worst = max(worst, math.Abs(got-values[i])/values[i])
	}
	return worst
}

// between interpolates values from station i to the next one.
func (c *Curve) between(values []float64, i int, arc float64) float64 {
	next, stop := 0, c.Length()
	if i+1 < len(c.Stations) {
		next, stop = i+1, c.Stations[i+1]
	}
	part := (arc - c.Stations[i]) / (stop - c.Stations[i])
	return values[i] + float64(min(max(part, 0), 1)*(values[next]-values[i]))
}

// fit holds values at places that approximate values at stations.
type fit struct {
	curve     *Curve
	values    []float64 // at the stations
	step      float64   // arc length from place to place
	result    []float64
	low, high []float64 // bounds of the result
}

const (
	// corrections is the maximum number of corrections for each bound, because the bounds move errors to other places.
	// A relative error of goodFit ends them.
	goodFit     = 0.005
	corrections = 4
	// reluctance is the weight of a change of a value relative to the error at a station. It prevents oscillation where
	// the places are as far apart as the stations.
	reluctance = 0.01
)

// correct changes the values at places to fit the stations, within bounds widened by the fraction beyond of each. With
// A for the interpolation and r for the errors, it solves (A'A + reluctance) d = A'r.
func (f *fit) correct(beyond float64) {
	n := len(f.result)
	m, change := newBanded(n), make([]float64, n)
	for k := range n {
		m.diagonal[k] = reluctance
	}
	for i, station := range f.curve.Stations {
		k := min(int(station/f.step), n-1)
		next := (k + 1) % n
		part := min(max(station/f.step-float64(k), 0), 1)
		rest := 1 - part
		wrong := f.values[i] - float64(rest*f.result[k]) - float64(part*f.result[next])
		m.diagonal[k] += float64(rest * rest)
		m.diagonal[next] += float64(part * part)
		m.first[k] += float64(rest * part)
		change[k] += float64(rest * wrong)
		change[next] += float64(part * wrong)
	}
	m.solve(change)
	for k := range n {
		f.result[k] = min(max(f.result[k]+change[k], f.low[k]*(1-beyond)), f.high[k]*(1+beyond))
	}
}
