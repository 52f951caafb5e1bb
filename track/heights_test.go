package track_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/track"
)

// hillyCircle returns a circle of radius 50 and 200 points with two hills.
func hillyCircle() track.Circuit {
	c := line(200, func(u float64) (float64, float64, float64, float64) {
		return 50 * math.Cos(u), 50 * math.Sin(u), 5, 4
	})
	for i := range c.X {
		c.Z = append(c.Z, 20+2*math.Sin(4*math.Pi*float64(i)/200))
	}
	return c
}

// An imported circuit with heights has them at its points, and its tangent, arc length and length are those in space.
func TestMeasuredHeights(t *testing.T) {
	for _, options := range []track.ImportOptions{{}, {Spacing: 1}, {Relax: true}, {HeightSmoothing: 4}} {
		b := measure(t, open(t), options, hillyCircle())
		require.Equal(t, "valid", b.Reason[0].String())
		n := int(b.Count[0])
		length := 0.0
		for i := range n {
			next, before := (i+1)%n, (i+n-1)%n
			z := 20 + 2*math.Sin(4*math.Pi*float64(i)/float64(n))
			require.InDelta(t, z, b.Center[i].Z, 0.06, "%+v: point %d", options, i)
			require.Equal(t, b.Center[i].Z, b.Height[i])
			require.Equal(t, b.Center[i].Z, b.Outer[i].Z)
			require.Equal(t, b.Center[i].Z, b.Inner[i].Z)
			require.InDelta(t, length, b.Arclen[i], 1e-3)
			chord := b.Center[next].Sub(b.Center[before])
			require.InDelta(t, chord.Z/chord.Len(), b.Tangent[i].Z, 1e-5)
			require.Zero(t, b.Normal[i].Z)
			length += float64(b.Center[next].Sub(b.Center[i]).Len())
		}
		assert.InDelta(t, length, b.Length[0], 2e-3)
		assert.Greater(t, length, 2*math.Pi*50+0.4)
	}
}

// Heights change nothing of a track in plan view, and a circuit with one height is the level circuit there.
func TestHeightsLeaveThePlan(t *testing.T) {
	level, hills := hillyCircle(), hillyCircle()
	level.Z = nil
	flat, lifted := measure(t, open(t), track.ImportOptions{}, level), measure(t, open(t), track.ImportOptions{}, hills)
	require.Equal(t, flat.Count, lifted.Count)
	for i := range flat.Center {
		require.Equal(t, flat.Center[i].X, lifted.Center[i].X)
		require.Equal(t, flat.Outer[i].Y, lifted.Outer[i].Y)
		require.Equal(t, flat.Normal[i], lifted.Normal[i])
	}
	assert.Equal(t, flat.WidthLeft, lifted.WidthLeft)
	for i := range hills.Z {
		hills.Z[i] = 3
	}
	assert.Equal(t, measure(t, open(t), track.ImportOptions{Height: 3}, level),
		measure(t, open(t), track.ImportOptions{}, hills))
}

// A circuit that is steeper than MaxGrade is not valid; one of the largest grade is.
func TestMeasuredGrade(t *testing.T) {
	survey, err := track.SurveyCircuit(track.ImportOptions{}, hillyCircle())
	require.NoError(t, err)
	h := survey.Heights
	require.NotNil(t, h)
	assert.InDelta(t, 18, h.Lowest, 0.01)
	assert.InDelta(t, 22, h.Highest, 0.01)
	assert.InDelta(t, 8, h.Climb, 0.02)
	assert.InDelta(t, 0.08, math.Abs(h.Steepest), 0.001)
	for _, relax := range []bool{false, true} {
		options := track.ImportOptions{MaxGrade: 0.0816, Relax: relax}
		assert.Equal(t, "valid", measure(t, open(t), options, hillyCircle()).Reason[0].String())
		options.MaxGrade = 0.078
		assert.Equal(t, "grade", measure(t, open(t), options, hillyCircle()).Reason[0].String())
	}
}

func TestHeightsOfCircuitsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		options track.ImportOptions
		z       []float64
		want    string
	}{
		"number": {z: []float64{1, 2}, want: "length of Z is 2: must be that of X, 200, or 0"},
		"NaN": {z: append(make([]float64, 199), math.NaN()),
			want: "Z[199] is NaN: must be a number from -1000000 to 1000000"},
		"far": {z: append(make([]float64, 199), -2e6), want: "Z[199] is -2000000: must be"},
		"smoothing": {options: track.ImportOptions{HeightSmoothing: -1},
			want: "height_smoothing is -1: must be a number > 0 and <= 1000000"},
		"grade": {options: track.ImportOptions{MaxGrade: math.Inf(1)}, want: "max_grade is +Inf: must be a number > 0"},
	} {
		c := hillyCircle()
		if test.z != nil {
			c.Z = test.z
		}
		_, err := track.Import(context.Background(), open(t), test.options, c)
		require.ErrorContains(t, err, test.want, name)
		if test.z != nil {
			assert.ErrorIs(t, err, backend.ErrInvalid)
		} else {
			assert.ErrorIs(t, err, track.ErrConfig)
		}
	}
}

// The bits of a circuit with heights, beside circuits without, on every architecture.
func TestMeasuredHeightsFrozenBits(t *testing.T) {
	level := hillyCircle()
	level.Z = nil
	b := measure(t, open(t), track.ImportOptions{HeightSmoothing: 10}, level, hillyCircle())
	alone := measure(t, open(t), track.ImportOptions{HeightSmoothing: 10}, hillyCircle())
	assert.Equal(t, fmt.Sprintf("%#x", digest(alone, 0)), fmt.Sprintf("%#x", digest(b, 1)))
	assert.Equal(t, "0x928957d7969d3ecd", fmt.Sprintf("%#x", digest(alone, 0)))
}
