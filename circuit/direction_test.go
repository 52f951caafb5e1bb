package circuit_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/circuit"
)

const measuredSquare = "0,0,1,2\n10,0,3,4\n10,10,5,6\n0,10,7,8\n"

func TestReverse(t *testing.T) {
	t.Parallel()
	c := readAll(t, "ring.csv", measuredSquare, circuit.Options{Reverse: true})[0]
	assert.Equal(t, []float64{0, 0, 10, 10}, c.X)
	assert.Equal(t, []float64{0, 10, 10, 0}, c.Y)
	assert.Equal(t, []float64{2, 8, 6, 4}, c.Right, "the sides change places")
	assert.Equal(t, []float64{1, 7, 5, 3}, c.Left)
}

// The circuit starts at the exact place that the options give.
func TestStart(t *testing.T) {
	t.Parallel()
	along := func(s float64) circuit.Options { return circuit.Options{Start: circuit.Start{Along: s}} }
	near := func(x, y float64) circuit.Options {
		return circuit.Options{Start: circuit.Start{Near: &[2]float64{x, y}}}
	}
	reversed := circuit.Options{Reverse: true, Start: circuit.Start{Along: 10}}
	atFirst, atFirstY := []float64{0, 10, 10, 0}, []float64{0, 0, 10, 10}
	atThird, atThirdY := []float64{10, 0, 0, 10}, []float64{10, 10, 0, 0}
	for name, test := range map[string]struct {
		options circuit.Options
		x, y    []float64
		right   float64 // at the start
	}{
		"along to a point":      {along(20), atThird, atThirdY, 5},
		"just before one":       {along(19.8), atThird, atThirdY, 5},
		"just before all":       {along(39.9), atFirst, atFirstY, 1},
		"near a point":          {near(14, 14), atThird, atThirdY, 5},
		"along, reversed":       {reversed, []float64{0, 10, 10, 0}, []float64{10, 10, 0, 0}, 8},
		"nowhere in particular": {circuit.Options{}, atFirst, atFirstY, 1},
	} {
		c := readAll(t, "ring.csv", measuredSquare, test.options)[0]
		assert.Equal(t, test.x, c.X, name)
		assert.Equal(t, test.y, c.Y, name)
		assert.Equal(t, test.right, c.Right[0], name)
	}

	// Between two points, the start is a new point on the smooth line. On a circle, that is the circle.
	r := stadium(0, 50, func(s float64) (float64, float64) { return 3, 4 + s/100 })
	var text strings.Builder
	for i := range 36 {
		s := r.length * float64(i) / 36
		x, y, _ := r.at(s)
		text.WriteString(strings.Join([]string{format(x), format(y), format(r.right(s)), "3"}, ",") + "\n")
	}
	s := r.length / 36 * 7.4
	c := readAll(t, "ring.csv", text.String(), along(s*math.Sin(math.Pi/36)/(math.Pi/36)))[0] // of the chords
	x, y, _ := r.at(s)
	require.Len(t, c.X, 37)
	assert.InDelta(t, x, c.X[0], 0.01)
	assert.InDelta(t, y, c.Y[0], 0.01)
	assert.InDelta(t, 50, math.Hypot(c.X[0], c.Y[0]), 1e-4)
	assert.InDelta(t, r.right(s), c.Right[0], 1e-3)
	c = readAll(t, "ring.csv", text.String(), near(1.2*x, 1.2*y))[0]
	assert.InDelta(t, x, c.X[0], 0.01)
	assert.InDelta(t, y, c.Y[0], 0.01)
}

func TestStartRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		start circuit.Start
		want  string
	}{
		{circuit.Start{Along: 40},
			"ring.csv: the start is 40 m along the line: must be a number of metres >= 0 and < 40, its length"},
		{circuit.Start{Along: -1}, "the start is -1 m along the line"},
		{circuit.Start{Along: math.NaN()}, "the start is NaN m along the line"},
		{circuit.Start{Near: &[2]float64{math.Inf(1), 0}}, "the start is (+Inf, 0), and 0 along: must be a place in metres"},
		{circuit.Start{Along: 3, Near: &[2]float64{0, 0}}, "the start is (0, 0), and 3 along"},
	} {
		_, err := circuit.ReadAll("ring.csv", strings.NewReader(measuredSquare), circuit.Options{Start: test.start})
		require.ErrorIs(t, err, circuit.ErrFormat)
		assert.ErrorContains(t, err, test.want)
	}
}

func format(v float64) string { return strconv.FormatFloat(v, 'f', 6, 64) }
