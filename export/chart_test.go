package export_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/export"
)

func exampleChart() export.Chart {
	return export.Chart{Title: "time of a generation", XAxis: "tracks", YAxis: "seconds", Series: []export.Series{
		{Name: "cpu <bezier>", Points: []export.ChartPoint{{1, 2e-4}, {64, 0.009}, {512, 0.07}, {8192, 1.1}}},
		{Name: "cpu polar", Points: []export.ChartPoint{{1, 1e-4}, {512, 0.05}}, Color: 1, Dash: true},
		{Name: "one point", Points: []export.ChartPoint{{100, 1}}, Color: -1},
	}}
}

// TestChart parses a chart: each series is a group with a line or a mark, and its points are at the logarithms of their
// coordinates.
func TestChart(t *testing.T) {
	var svg bytes.Buffer
	require.NoError(t, export.WriteChartSVG(&svg, exampleChart()))
	for decoder := xml.NewDecoder(bytes.NewReader(svg.Bytes())); ; {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
	text := svg.String()
	assert.Contains(t, text, "cpu &lt;bezier&gt;")
	// The x axis covers 1 to 10000 and the y axis 0.0001 to 10, so (100, 1) is in the middle, one fifth below the top.
	assert.Contains(t, text, `<g><title>one point</title>`+"\n"+`<path d="M387.5 139.5L392.5 139.5`)

	var image bytes.Buffer
	require.NoError(t, export.WriteChartPNG(&image, exampleChart()))
	decoded, err := png.Decode(&image)
	require.NoError(t, err)
	assert.Greater(t, decoded.Bounds().Dx(), 600)

	var again bytes.Buffer
	require.NoError(t, export.WriteChartSVG(&again, exampleChart()))
	assert.Equal(t, text, again.String())
}

func TestChartRefuses(t *testing.T) {
	one := func(x, y float64) export.Chart {
		return export.Chart{Series: []export.Series{{Name: "s", Points: []export.ChartPoint{{x, y}}}}}
	}
	for name, chart := range map[string]export.Chart{
		"nothing": {}, "no points": {Series: make([]export.Series, 2)}, "too many": {Series: make([]export.Series, 41)},
		"zero": one(0, 1), "negative": one(1, -1), "NaN": one(math.NaN(), 1), "infinite": one(1, math.Inf(1)),
	} {
		var out bytes.Buffer
		require.ErrorIs(t, export.WriteChartSVG(&out, chart), export.ErrPicture, name)
		require.ErrorIs(t, export.WriteChartPNG(&out, chart), export.ErrPicture, name)
		assert.Zero(t, out.Len(), name)
	}
}
