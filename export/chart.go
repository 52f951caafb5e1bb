package export

import (
	"io"
	"math"
	"strconv"
)

// Chart plots values against each other, both on logarithmic scales.
type Chart struct {
	Title        string
	XAxis, YAxis string // quantity and unit
	Series       []Series
}

// Series is one line of a chart.
type Series struct {
	Name   string
	Points []ChartPoint // in the order in which the line connects them
	Color  int          // series with the same number have the same colour
	Dash   bool
}

// ChartPoint is a point of a line. Both coordinates must be finite and greater than 0.
type ChartPoint struct{ X, Y float64 }

// Dimensions of a chart, in pixels.
const (
	chartWidth, chartHeight = 620, 380 // of the area between the axes
	chartLeft               = 64
	chartTop                = 16 // of the name of the y axis
	chartBottom             = 46
	chartLegend             = 190
	mostSeries              = 40
)

// seriesColors are colours that most people can tell apart (Okabe and Ito, "Color universal design", 2008), with a
// darker yellow.
var seriesColors = []rgb{{0x00, 0x72, 0xb2}, {0xd5, 0x5e, 0x00}, {0x00, 0x9e, 0x73}, {0xcc, 0x79, 0xa7},
	{0xe6, 0x9f, 0x00}, {0x56, 0xb4, 0xe9}, {0x33, 0x33, 0x33}}

// WriteChartSVG draws a chart as SVG 1.1. It returns an error that matches ErrPicture if the chart has no points or
// more than 40 series, or if a logarithmic scale cannot show one of the points.
func WriteChartSVG(w io.Writer, chart Chart) error {
	width, height, err := chart.page()
	if err != nil {
		return err
	}
	return writePageSVG(w, width, height, chart.Title, func(c canvas) error { return chart.draw(c, width, height) })
}

// WriteChartPNG draws the same chart as WriteChartSVG, as a PNG image.
func WriteChartPNG(w io.Writer, chart Chart) error {
	width, height, err := chart.page()
	if err != nil {
		return err
	}
	return writePagePNG(w, width, height, func(c canvas) error { return chart.draw(c, width, height) })
}

// page returns the size of the page, in pixels.
func (chart Chart) page() (width, height float64, err error) {
	if len(chart.Series) > mostSeries {
		return 0, 0, errPicture("export: %d series to draw: must be 1 to %d", len(chart.Series), mostSeries)
	}
	points := 0
	for _, s := range chart.Series {
		for i, p := range s.Points {
			if !(p.X > 0) || !(p.Y > 0) || math.IsInf(p.X, 0) || math.IsInf(p.Y, 0) {
				return 0, 0, errPicture("export: point %d of series %q is (%g, %g): both must be finite and greater than 0", i,
					s.Name, p.X, p.Y)
			}
		}
		points += len(s.Points)
	}
	if points == 0 {
		return 0, 0, errPicture("export: no points to draw")
	}
	return 2*pageMargin + chartLeft + chartWidth + chartLegend,
		2*pageMargin + titleHeight + chartTop + chartHeight + chartBottom, nil
}

// scale is the range of decades that an axis covers: from 10^first to 10^last.
type scale struct{ first, last int }

// scaleOf returns the smallest range of whole decades that contains all values of get.
func (chart Chart) scaleOf(get func(ChartPoint) float64) scale {
	low, high := math.Inf(1), 0.0
	for _, s := range chart.Series {
		for _, p := range s.Points {
			low, high = min(low, get(p)), max(high, get(p))
		}
	}
	s := scale{int(math.Floor(math.Log10(low) + 1e-9)), int(math.Ceil(math.Log10(high) - 1e-9))}
	s.last = max(s.last, s.first+1)
	return s
}

// at returns the position of a value as a fraction of the axis.
func (s scale) at(v float64) float64 {
	return (math.Log10(v) - float64(s.first)) / float64(s.last-s.first)
}

func (chart Chart) draw(c canvas, width, height float64) error {
	faces := newFaces(1)
	if err := drawTitle(c, faces, width, height, chart.Title); err != nil {
		return err
	}
	left, top := float64(pageMargin+chartLeft), float64(pageMargin+titleHeight+chartTop)
	right, bottom := left+chartWidth, top+chartHeight
	c.fill([][]point{rectangle(left, top, chartWidth, chartHeight)}, cardColor)
	xScale := chart.scaleOf(func(p ChartPoint) float64 { return p.X })
	yScale := chart.scaleOf(func(p ChartPoint) float64 { return p.Y })
	at := func(p ChartPoint) point {
		return point{round(left + float64(chartWidth*xScale.at(p.X))), round(bottom - float64(chartHeight*yScale.at(p.Y)))}
	}
	for k := xScale.first; k <= xScale.last; k++ {
		x := round(left + float64(chartWidth*xScale.at(math.Pow10(k))))
		c.line([]point{{x, top}, {x, bottom}}, stroke{width: 1, color: gridColor})
		c.text(point{x, bottom + 18}, axisStyle, decade(k))
	}
	for k := yScale.first; k <= yScale.last; k++ {
		y := round(bottom - float64(chartHeight*yScale.at(math.Pow10(k))))
		c.line([]point{{left, y}, {right, y}}, stroke{width: 1, color: gridColor})
		c.text(point{left - 8, y + 4}, countStyle, decade(k))
	}
	c.line(rectangle(left, top, chartWidth, chartHeight), stroke{width: 1, color: borderColor, closed: true})
	c.text(point{left + chartWidth/2, bottom + 38}, axisStyle, printable(chart.XAxis))
	unit := axisStyle
	unit.anchor = anchorStart
	c.text(point{pageMargin, top - 8}, unit, printable(chart.YAxis))

	for i, s := range chart.Series {
		c.group(s.Name)
		style := stroke{width: 2, color: seriesColors[((s.Color%len(seriesColors))+len(seriesColors))%len(seriesColors)]}
		if s.Dash {
			style.dash = 5
		}
		line := make([]point, len(s.Points))
		for k, p := range s.Points {
			line[k] = at(p)
			c.fill([][]point{rectangle(line[k].x-2.5, line[k].y-2.5, 5, 5)}, style.color)
		}
		if len(line) > 1 {
			c.line(line, style)
		}
		y := top + 10 + float64(i)*min(20, chartHeight/float64(len(chart.Series)))
		c.line([]point{{right + 14, y}, {right + 38, y}}, style)
		name, err := faces.fit(noteStyle, printable(s.Name), chartLegend-50)
		if err != nil {
			return err
		}
		c.text(point{right + 44, y + 4}, noteStyle, name)
	}
	return nil
}

// decade formats a power of ten. Short ones are written in full.
func decade(k int) string {
	if k >= -3 && k <= 5 {
		return strconv.FormatFloat(math.Pow10(k), 'f', -1, 64)
	}
	return "1e" + strconv.Itoa(k)
}
