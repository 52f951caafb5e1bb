package circuit_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/circuit"
)

// named returns a file with the names of its columns.
func named(points string) string {
	if line, _, _ := strings.Cut(points, "\n"); strings.Count(line, ",") == 1 {
		return "# x,y\n" + points
	}
	return "# x,y,right,left\n" + points
}

// path is the text of points, one for each parameter.
func path(widths string, parameters []float64, at func(u float64) (x, y float64)) string {
	var text strings.Builder
	for _, u := range parameters {
		x, y := at(u)
		fmt.Fprintf(&text, "%.3f,%.3f%s\n", x, y, widths)
	}
	return text.String()
}

// steps returns the parameters from first to last, step apart.
func steps(first, last, step float64) []float64 {
	var parameters []float64
	for k := 0; first+float64(k)*step <= last+1e-9; k++ {
		parameters = append(parameters, first+float64(k)*step)
	}
	return parameters
}

// An oval of 60 by 30 m, in parts of a lap.
func oval(u float64) (x, y float64) {
	sin, cos := math.Sincos(2 * math.Pi * u)
	return 30 * cos, 15 * sin
}

// A lap that goes on past its start, however far, is cut where it passes the start.
func TestOverlap(t *testing.T) {
	wobbly := func(u float64) (x, y float64) {
		x, y = oval(u)
		return x * (1 + 0.004*math.Sin(40*u)), y * (1 + 0.004*math.Sin(40*u))
	}
	eight := func(u float64) (x, y float64) {
		sin, cos := math.Sincos(2 * math.Pi * (u + 0.05))
		return 60 * sin, 40 * sin * cos
	}
	// A clover of 250 m: with 31 points, its bends are 1.2 m from their chords.
	clover := func(u float64) (x, y float64) {
		sin, cos := math.Sincos(2 * math.Pi * u)
		r := 40 * (1 + 0.3*math.Cos(6*math.Pi*u) + 0.1*math.Sin(10*math.Pi*u))
		return r * cos, r * sin
	}
	// A figure of eight that starts in its crossing. Its 31 points are 20 to 30 m apart.
	coarse := func(u float64) (x, y float64) {
		sin, cos := math.Sincos(2 * math.Pi * u)
		return 100 * sin, 120 * sin * cos
	}
	// The first point is measured again at the end, 12 cm from where it was.
	again := func(u float64) (x, y float64) {
		if x, y = oval(u); u == 1 {
			return x + 0.1, y - 0.06
		}
		return x, y
	}
	for name, test := range map[string]struct {
		widths     string
		parameters []float64
		at         func(u float64) (x, y float64)
		kept       int
		note       string
	}{
		"one point": {",2,2", append(steps(0, 0.975, 0.025), 1.01), oval, 40,
			"left out the last point: the line goes on for 0.97 m past its start"},
		"a hair": {",2,2", append(steps(0, 0.975, 0.025), 1.0002), oval, 40,
			"left out the last point: the line goes on for 0.02 m past its start"},
		"three points": {",2,2", append(steps(0, 0.975, 0.025), 1.01, 1.035, 1.06), oval, 40,
			"left out the last 3 points: the line goes on for 6.03 m past its start"},
		"from the first point on": {",2,2", steps(0, 1.05, 0.025), oval, 40, "left out the last 3 points: "},
		"without widths":          {"", append(steps(0, 0.975, 0.025), 1.01), oval, 40, "left out the last point: "},
		"another lap, beside the first": {",2,2", steps(0, 1.9875, 0.0205), wobbly, 49,
			"left out the last 48 points: "},
		"one and a half laps": {"", steps(0, 1.5, 0.0103), oval, 98, "left out the last 48 points: "},
		"three laps":          {",2,2", steps(0, 2.99, 0.0203), oval, 50, "left out the last 98 points: "},
		"a figure of eight, started before its crossing": {",2,2", append(steps(0, 0.98, 0.02), 1.005), eight, 50,
			"left out the last point: "},
		"a sparse lap in a bend": {",2,2", append(steps(0, 30./31, 1./31), 1.016, 1.048), clover, 31,
			"left out the last 2 points: "},
		"a sparse lap, far past its first point": {",2,2", append(steps(0, 30./31, 1./31), 1.03), clover, 31,
			"left out the last point: "},
		"a sparse figure of eight": {"", append(steps(0, 30./31, 1./31), 1.01), coarse, 31, "left out the last point: "},
		"the first point again": {",2,2", append(steps(0, 0.975, 0.025), 1), again, 40,
			"left out the last point, 0.12 m from the first one: it would make a kink there"},
		"the first point again, without widths": {"", append(steps(0, 0.975, 0.025), 1), again, 40,
			"left out the last point, 0.1"},
		"a closed lap":            {",2,2", steps(0, 1, 0.025), oval, 40, ""},
		"a lap":                   {",2,2", steps(0, 0.975, 0.025), oval, 40, ""},
		"nearly closed":           {",2,2", steps(0, 0.9999, 0.0333), oval, 31, ""},
		"a figure of eight":       {",2,2", steps(0, 0.98, 0.02), eight, 50, ""},
		"started in its crossing": {",2,2", steps(0.95, 1.94, 0.02), eight, 50, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := read(named(path(test.widths, test.parameters, test.at)))
			require.NoError(t, err)
			assert.Len(t, c.X, test.kept)
			x, y := test.at(test.parameters[test.kept-1])
			assert.InDeltaSlice(t, []float64{x, y}, []float64{c.X[test.kept-1], c.Y[test.kept-1]}, 6e-4)
			if test.widths != "" {
				assert.Len(t, c.Right, test.kept)
				assert.Len(t, c.Left, test.kept)
			}
			if test.note == "" {
				assert.Empty(t, c.Notes)
				return
			}
			require.Len(t, c.Notes, 1)
			assert.Contains(t, c.Notes[0], test.note)
		})
	}
}

// A line that passes its start in another direction is kept, and so is a last point near the first that is part of the
// line.
func TestNothingToLeaveOut(t *testing.T) {
	for name, test := range map[string]struct {
		parameters []float64
		at         func(u float64) (x, y float64)
	}{
		"a small circle, and a large one that touches it": {steps(0, 1.99, 0.02), func(u float64) (x, y float64) {
			r := 10.
			if u > 1 {
				r = 30
			}
			sin, cos := math.Sincos(2 * math.Pi * u)
			return r * sin, r - r*cos
		}},
		"a corner at the start, and a point close before it": {append(steps(0, 3.8, 0.2), 3.98),
			func(u float64) (x, y float64) {
				side, part := math.Modf(u)
				sin, cos := math.Sincos(side * math.Pi / 2)
				x, y = 40*part-20, -20
				return x*cos - y*sin, x*sin + y*cos
			}},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := read(named(path(",2,2", test.parameters, test.at)))
			require.NoError(t, err)
			assert.Len(t, c.X, len(test.parameters))
			assert.Empty(t, c.Notes)
		})
	}
}

// A road that comes near its start in another direction, or beside it, has no overlap.
func TestNoOverlap(t *testing.T) {
	// A hairpin around the start: the line comes back 5 m beside it.
	var hairpin strings.Builder
	hairpin.WriteString("# x,y,right,left\n")
	for x := range 21 {
		fmt.Fprintf(&hairpin, "%d,0,2,2\n", 4*x)
	}
	for x := 20; x >= -10; x-- {
		fmt.Fprintf(&hairpin, "%d,5,2,2\n", 4*x)
	}
	for x := -10; x < 0; x++ {
		fmt.Fprintf(&hairpin, "%d,0,2,2\n", 4*x)
	}
	c, err := read(named(hairpin.String()))
	require.NoError(t, err)
	assert.Len(t, c.X, 62)
	assert.Empty(t, c.Notes)

	// Two laps that are not the same: the second goes around outside.
	c, err = read(named(path(",2,2", steps(0, 1.98, 0.02), func(u float64) (x, y float64) {
		x, y = oval(u)
		return x * (1.4 - 0.4*math.Cos(math.Pi*u)), y * (1.4 - 0.4*math.Cos(math.Pi*u))
	})))
	require.NoError(t, err)
	assert.Len(t, c.X, 100)
}

// A line that comes back on itself is refused with the lines of the file.
func TestReversals(t *testing.T) {
	ring := strings.SplitAfter(path(",2,2", steps(0, 0.975, 0.025), oval), "\n")[:40]
	with := func(change func(lines []string) []string) string {
		return named(strings.Join(change(append([]string(nil), ring...)), ""))
	}
	for name, test := range map[string]struct{ text, want string }{
		"an open line": {named(path(",4,4", steps(0, 10, 1), func(u float64) (x, y float64) { return 10 * u, 3 * u })),
			"ring.csv:12: the way from the last point to the first, on line 2, which closes the circuit, is one that comes " +
				"back on itself: must be one that goes on: is the line open"},
		"an open line along an axis": {
			named(path(",4,4", steps(0, 10, 1), func(u float64) (x, y float64) { return 10 * u, 0 })),
			"ring.csv:12: the way from the last point to the first, on line 2, which closes the circuit, is one that comes"},
		"an open line without widths": {
			named(path("", steps(0, 10, 1), func(u float64) (x, y float64) { return 10 * u, u * u / 30 })),
			"ring.csv:12: the way from the last point to the first, on line 2, which closes the circuit, is one that comes"},
		"two points swapped": {with(func(lines []string) []string {
			lines[20], lines[21] = lines[21], lines[20]
			return lines
		}), "ring.csv:22: the way from the point before, on line 21, to this one and on to the next, on line 23, is one " +
			"that comes back on itself: must be one that goes on: are points out of order, or repeated?"},
		"a piece twice": {with(func(lines []string) []string {
			return append(append(append([]string(nil), lines[:20]...), lines[12:20]...), lines[20:]...)
		}), "ring.csv:22: the line of points from here on is one that repeats the points from line 14 on: must be"},
		"a spike": {with(func(lines []string) []string {
			lines[10] = "0.2,95,2,2\n"
			return lines
		}), "ring.csv:12: the point is a spike: 80.31 m and 80.33 m from its neighbours, which are 9.39 m apart"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(test.text)
			require.ErrorIs(t, err, circuit.ErrFormat)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// A line with a long distance from its last point to its first is closed, with a note, unless MaxGap is set.
func TestOpenLine(t *testing.T) {
	text := named(path(",2,2", steps(0.1, 0.9, 0.02), oval))
	c, err := read(text)
	require.NoError(t, err)
	require.Len(t, c.Notes, 1)
	assert.Equal(t, "closed over 17.63 m, from the last point to the first, and no other two points are more than 3.77 m "+
		"apart: is the line open?", c.Notes[0])
	c, err = circuit.Read("ring.csv", strings.NewReader(text), circuit.Options{MaxGap: 20})
	require.NoError(t, err)
	assert.Empty(t, c.Notes)
}

// The curve smooths jitter of points near to one another, and tight bends of few points are no reversals.
func TestNoReversals(t *testing.T) {
	lines := strings.SplitAfter(path(",2,2", steps(0, 0.975, 0.025), oval), "\n")
	x, y := oval(10 * 0.025)
	jitter := fmt.Sprintf("%.3f,%.3f,2,2\n%.3f,%.3f,2,2\n", x-0.05, y, x+0.05, y+0.02)
	_, err := read(strings.Join(lines[:11], "") + jitter + strings.Join(lines[11:], ""))
	require.NoError(t, err)
	_, err = read("0,0,2,2\n50,0,2,2\n100,2,2,2\n50,4,2,2\n0,5,2,2\n-20,2,2,2\n")
	require.NoError(t, err)
}

// A line with many reversals, as in a noisy recording, is read with a note.
func TestNoisyLine(t *testing.T) {
	text := named(path("", steps(0, 0.98, 0.002), func(u float64) (x, y float64) {
		x, y = oval(u)
		return x + 0.5*math.Sin(7e4*u), y + 0.5*math.Sin(9e4*u)
	}))
	c, err := read(text)
	require.NoError(t, err)
	require.Len(t, c.Notes, 1)
	assert.Regexp(t, `the line comes back on itself at \d+ of 491 points: are they in order, or noisy\?$`, c.Notes[0])
}
