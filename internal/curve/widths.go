package curve

import "math"

// Interpolate returns values at n of total places at equal arc lengths, whose interpolation by arc length gives the
// values at the stations as closely as the places allow: exactly, but for a few thousandths of a change between
// neighbours, where places are half as far apart as stations. All values are > 0, and so are the results.
func (c *Curve) Interpolate(values []float64, n, total int) []float64 {
	step := c.Length() / float64(total)
	result := make([]float64, total)
	i := 0
	for k := range result {
		arc := float64(float64(k) * step)
		for i+1 < len(c.Stations) && c.Stations[i+1] <= arc {
			i++
		}
		result[k] = c.between(values, i, arc)
	}
	c.correct(result, values, step)
	return result[:n]
}

// Misfit returns the largest relative error of the interpolation of values at places all around the curve, at the
// stations with the given values.
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

// between interpolates values from station i to the next.
func (c *Curve) between(values []float64, i int, arc float64) float64 {
	next, stop := i+1, 0.0
	if next == len(c.Stations) {
		next, stop = 0, c.Length()
	} else {
		stop = c.Stations[next]
	}
	part := (arc - c.Stations[i]) / (stop - c.Stations[i])
	return values[i] + float64(min(max(part, 0), 1)*(values[next]-values[i]))
}

const (
	// reluctance is the weight of a change of a value, against that of the error at a station. It keeps values from
	// swinging where places are as far apart as stations.
	reluctance = 0.01
	// maxCorrection is the largest change, by the value.
	maxCorrection = 0.25
)

// correct changes the values at places so that their interpolation fits the stations. With A for the interpolation and
// r for the errors, it solves (A'A + reluctance) d = A'r.
func (c *Curve) correct(result, values []float64, step float64) {
	n := len(result)
	m, change := newBanded(n), make([]float64, n)
	for k := range n {
		m.diagonal[k] = reluctance
	}
	for i, station := range c.Stations {
		k := min(int(station/step), n-1)
		next := (k + 1) % n
		part := min(max(station/step-float64(k), 0), 1)
		rest := 1 - part
		wrong := values[i] - float64(rest*result[k]) - float64(part*result[next])
		m.diagonal[k] += float64(rest * rest)
		m.diagonal[next] += float64(part * part)
		m.first[k] += float64(rest * part)
		change[k] += float64(rest * wrong)
		change[next] += float64(part * wrong)
	}
	m.solve(change)
	for k := range n {
		most := float64(maxCorrection * result[k])
		result[k] += min(max(change[k], -most), most)
	}
}
