package circuit_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/circuit"
	"github.com/trackgen-go/trackgen/internal/npy"
)

// Racing lines of DeepRacer are arrays of x and y, without widths.
func TestLineOfDeepRacer(t *testing.T) {
	t.Parallel()
	for _, fortran := range []bool{false, true} {
		out := bytes.NewBuffer(npy.Header{Descr: "<f8", Shape: []int64{13, 2}, Fortran: fortran}.Encode())
		var x, y []float64
		for i := range 13 {
			sin, cos := math.Sincos(2 * math.Pi * float64(i%12) / 12)
			x, y = append(x, 3*cos), append(y, 2*sin)
		}
		for i := range x {
			pair := []float64{x[i], y[i]}
			if fortran {
				pair = append(append([]float64{}, x...), y...)[2*i : 2*i+2]
			}
			require.NoError(t, binary.Write(out, binary.LittleEndian, pair))
		}
		c := readAll(t, "line.npy", out.String(), circuit.Options{})[0]
		assert.Equal(t, x[:12], c.X)
		assert.Equal(t, y[:12], c.Y)
		assert.False(t, c.Widths())
		assert.Equal(t, 1, c.Repeated)
		assert.Empty(t, c.Notes)
	}
}

// Some lists of cones have no names and the colour last.
func TestConesWithTheColourLast(t *testing.T) {
	t.Parallel()
	r := stadium(60, 15, constant(2, 2))
	var text strings.Builder
	for k, border := range [][][2]float64{r.border(60, true), r.border(60, false)} {
		for _, p := range border {
			fmt.Fprintf(&text, "%.4f,%.4f,%s\n", p[0], p[1], [2]string{"blue", "yellow"}[k])
		}
	}
	c := readAll(t, "cones.csv", text.String(), circuit.Options{})[0]
	assert.Equal(t, "CSV of cones", c.Kind)
	requireBorders(t, r, c, 0.15)
}

// Messages about columns without names say how to set them.
func TestWordsAboutColumnsWithoutNames(t *testing.T) {
	t.Parallel()
	ring := func(format string) string {
		var text strings.Builder
		for i := range 40 {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / 40)
			fmt.Fprintf(&text, format, 60*cos, 45*sin+50)
		}
		return text.String()
	}
	for name, c := range map[string]struct {
		text, want string
		columns    bool // --columns helps
	}{
		"y third, as in some waypoints": {ring("%.3f,0.0,%.3f\n"),
			"the range of y is 0 m: it is the same at all points", true},
		"a width of 0":               {"0,0,3\n9,0,0\n0,9,3\n", `ring.csv:2: column 3: width is "0"`, true},
		"a width of 0 with its name": {"x,y,width\n0,0,3\n9,0,0\n0,9,3\n", `ring.csv:3: column 3: width is "0"`, false},
		"colours as numbers": {"x,y,color\n" + ring("%.3f,%.3f,1\n"),
			`0 on the left (blue) and 0 on the right (yellow); not understood: "1": must be at least 3 on either side`, false},
		"a program": {"waypoints = [" + strings.Repeat(ring("(%.3f,%.3f), "), 6) + "]\n",
			"a CSV file has one point on a line, with its numbers alone", false},
	} {
		_, err := circuit.ReadAll("ring.csv", strings.NewReader(c.text), circuit.Options{})
		require.ErrorIs(t, err, circuit.ErrFormat, name)
		require.ErrorContains(t, err, c.want, name)
		var format *circuit.Error
		require.ErrorAs(t, err, &format)
		assert.Equal(t, c.columns, format.Option == "Columns", name)
	}
}
