package export

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var sampleHistograms = []Histogram{
	{Name: "wide <range>", Axis: "metres", Values: []float64{1, 2, 2, 3, 3, 3, 4, 10, math.NaN(), math.Inf(1)}},
	{Name: "whole", Values: []float64{-1, 0, 0, 1, 1, 1}, Whole: true},
	{Name: "one", Values: []float64{0.25, 0.25}},
	{Name: "none"},
}

func TestHistogramsSVG(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, WriteHistogramsSVG(&out, "four & more", sampleHistograms))
	text := out.String()
	for _, want := range []string{">four &amp; more</text>", ">wide &lt;range&gt;</text>", ">metres<",
		">mean 3.5, median 3, 1 to 10<", ">no values<"} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "NaN")
	require.NotContains(t, text, ">-0<")
	decoder := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
	}
}

func TestHistogramsPNG(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, WriteHistogramsPNG(&out, "four", sampleHistograms))
	picture, err := png.Decode(&out)
	require.NoError(t, err)
	width, height, err := histogramPage(sampleHistograms)
	require.NoError(t, err)
	require.Equal(t, [2]int{int(width), int(height)}, [2]int{picture.Bounds().Dx(), picture.Bounds().Dy()})
	dark := 0
	for y := 0; y < picture.Bounds().Dy(); y += 3 {
		for x := 0; x < picture.Bounds().Dx(); x += 3 {
			if r, g, b, _ := picture.At(x, y).RGBA(); r>>8 == uint32(barColor.r) && g>>8 == uint32(barColor.g) &&
				b>>8 == uint32(barColor.b) {
				dark++
			}
		}
	}
	require.Greater(t, dark, 300, "pixels of bars")

	full := failAfter(10)
	require.ErrorIs(t, WriteHistogramsPNG(&full, "", sampleHistograms), errFull)
	full = failAfter(10)
	require.ErrorIs(t, WriteHistogramsSVG(&full, "", sampleHistograms), errFull)
	require.ErrorIs(t, WriteHistogramsSVG(io.Discard, "", nil), ErrPicture)
	require.ErrorIs(t, WriteHistogramsPNG(io.Discard, "", make([]Histogram, mostHistograms+1)), ErrPicture)
}

func TestWholeNumbersHaveBarsOfTheirOwn(t *testing.T) {
	b := Histogram{Whole: true}.count([]float64{-1, 0, 0, 1, 1, 1})
	require.Equal(t, bars{step: 1, first: -1, counts: []int{1, 2, 3}, most: 3}, b)
	b = Histogram{Whole: true}.count([]float64{0, 100})
	require.Equal(t, 5.0, b.step)
	require.Equal(t, []float64{0, 1, 2}, ticks(0, 2, 5, true))
	require.Equal(t, []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5}, ticks(0, 0.5, 5, false))
}

// Every value is in exactly one bar, whatever the range, and there are few bars and few ticks.
// Distributions without width have an axis of ordinary numbers, also where all values are 0, as differences in height
// of level courses are.
func TestEqualValuesHaveOneBar(t *testing.T) {
	require.Equal(t, bars{step: 1, counts: []int{3}, most: 3}, Histogram{}.count([]float64{0, 0, 0}))
	require.Equal(t, bars{step: 0.05, first: 5, counts: []int{2}, most: 2}, Histogram{}.count([]float64{0.25, 0.25}))
}

func TestAnyHistogram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		magnitude := rapid.Float64Range(-30, 30).Draw(t, "magnitude")
		values := rapid.SliceOfN(rapid.Float64Range(-1, 1), 1, 50).Draw(t, "values")
		shift := rapid.Float64Range(-1000, 1000).Draw(t, "shift")
		for i := range values {
			values[i] = (values[i] + shift) * math.Pow(10, magnitude)
		}
		slices.Sort(values)
		b := Histogram{Whole: rapid.Bool().Draw(t, "whole")}.count(values)
		sum := 0
		for i, count := range b.counts {
			low, high := (b.first+float64(i))*b.step, (b.first+float64(i)+1)*b.step
			inside := 0
			for _, v := range values {
				slack := 1e-9 * math.Max(math.Abs(v), b.step)
				if v >= low-slack && v < high+slack {
					inside++
				}
			}
			require.LessOrEqual(t, count, inside)
			sum += count
		}
		require.Equal(t, len(values), sum)
		require.LessOrEqual(t, len(b.counts), mostBars+2)
		require.LessOrEqual(t, len(ticks(values[0], values[len(values)-1], 8, false)), 9)
	})
}
