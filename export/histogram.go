package export

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// Histogram shows the distribution of one quantity over tracks.
type Histogram struct {
	Name   string    // heading, for example "length"
	Axis   string    // label of the x axis; may be empty
	Values []float64 // in any order; values that are not finite are ignored
	Whole  bool      // the values are whole numbers, so a bar is at least one wide
}

// Dimensions of a page of histograms, in pixels.
const (
	panelWidth, panelHeight = 330, 230
	panelColumns            = 3
	plotLeft, plotRight     = 46, 14
	plotTop, plotBottom     = 44, 44
	mostBars                = 28
	mostHistograms          = 60
)

var (
	barColor   = roadColor
	gridColor  = rgb{0xe9, 0xe7, 0xe1}
	axisStyle  = textStyle{size: 11, color: mutedColor, anchor: anchorMiddle}
	countStyle = textStyle{size: 11, color: mutedColor, anchor: anchorEnd}
)

// WriteHistogramsSVG draws histograms, three per row, as SVG 1.1. A solid line marks the mean of each histogram, a
// dashed line the median.
func WriteHistogramsSVG(w io.Writer, title string, list []Histogram) error {
	width, height, err := histogramPage(list)
	if err != nil {
		return err
	}
	return writePageSVG(w, width, height, title, func(c canvas) error {
		return drawHistograms(c, width, height, title,
			list)
	})
}

// WriteHistogramsPNG draws the same page as WriteHistogramsSVG, as a PNG image.
func WriteHistogramsPNG(w io.Writer, title string, list []Histogram) error {
	width, height, err := histogramPage(list)
	if err != nil {
		return err
	}
	return writePagePNG(w, width, height, func(c canvas) error { return drawHistograms(c, width, height, title, list) })
}

// histogramPage returns the size of the page, in pixels.
func histogramPage(list []Histogram) (width, height float64, err error) {
	if len(list) == 0 || len(list) > mostHistograms {
		return 0, 0, errPicture("export: %d histograms to draw: must be 1 to %d", len(list), mostHistograms)
	}
	columns := min(panelColumns, len(list))
	rows := (len(list) + columns - 1) / columns
	return float64(2*pageMargin + columns*(panelWidth+cellGap) - cellGap),
		float64(2*pageMargin + titleHeight + rows*(panelHeight+cellGap) - cellGap), nil
}

func drawHistograms(c canvas, width, height float64, title string, list []Histogram) error {
	faces := newFaces(1)
	if err := drawTitle(c, faces, width, height, title); err != nil {
		return err
	}
	for i, h := range list {
		left := float64(pageMargin + i%panelColumns*(panelWidth+cellGap))
		top := float64(pageMargin + titleHeight + i/panelColumns*(panelHeight+cellGap))
		if err := h.draw(c, faces, left, top); err != nil {
			return err
		}
	}
	return nil
}

// bars holds the counts of a histogram: bar i covers the values from (first+i)·step to (first+i+1)·step.
type bars struct {
	step   float64
	first  float64 // a whole number
	counts []int
	most   int // largest count
}

// count sorts the finite values into bars. The width of a bar is a round number.
func (h Histogram) count(values []float64) bars {
	low, high := values[0], values[len(values)-1]
	b := bars{step: roundUp((high - low) / mostBars)}
	if high == low {
		b.step = roundUp(math.Abs(high) / 10)
	}
	if h.Whole {
		b.step = max(b.step, 1)
	}
	b.first = math.Floor(low / b.step)
	n := int(math.Floor(high/b.step)-b.first) + 1
	b.counts = make([]int, n)
	for _, v := range values {
		bar := min(max(int(math.Floor(v/b.step)-b.first), 0), n-1)
		b.counts[bar]++
		b.most = max(b.most, b.counts[bar])
	}
	return b
}

// roundUp returns the smallest number of the form 1, 2 or 5 times a power of ten that is at least v; for 0 it returns
// 1.
func roundUp(v float64) float64 {
	if !(v > 0) {
		return 1
	}
	// A power of ten is parsed rather than computed, so that 0.1 is the float64 that prints as 0.1.
	power := int(math.Floor(math.Log10(v)))
	for {
		for _, digit := range []string{"1", "2", "5"} {
			step, err := strconv.ParseFloat(digit+"e"+strconv.Itoa(power), 64)
			if err != nil {
				return v
			}
			if step >= v*(1-1e-9) {
				return step
			}
		}
		power++
	}
}

// draw draws the panel of one histogram.
func (h Histogram) draw(c canvas, faces *faces, left, top float64) error {
	values := slices.DeleteFunc(slices.Clone(h.Values), func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	slices.Sort(values)
	c.group(h.Name)
	c.fill([][]point{rectangle(left, top, panelWidth, panelHeight)}, cardColor)
	c.line(rectangle(left+0.5, top+0.5, panelWidth-1, panelHeight-1), stroke{width: 1, color: cardEdge, closed: true})
	const inner = panelWidth - 2*cellPadding
	name, err := faces.fit(labelStyle, printable(h.Name), inner)
	if err != nil {
		return err
	}
	nameWidth, err := faces.width(labelStyle, name)
	if err != nil {
		return err
	}
	axis, err := faces.fit(axisStyle, printable(h.Axis), inner)
	if err != nil {
		return err
	}
	c.text(point{left + cellPadding, top + 20}, labelStyle, name)
	if len(values) == 0 {
		c.text(point{left + panelWidth/2, top + panelHeight/2}, axisStyle, "no values")
		return nil
	}
	mean := 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	n := len(values)
	median := (values[(n-1)/2] + values[n/2]) / 2
	note, err := faces.fit(noteStyle, fmt.Sprintf("mean %s, median %s, %s to %s", shortNumber(mean, 3),
		shortNumber(median, 3), shortNumber(values[0], 3), shortNumber(values[n-1], 3)), inner-nameWidth-seedGap)
	if err != nil {
		return err
	}
	noted := noteStyle
	noted.anchor, noted.most = anchorEnd, inner-nameWidth-seedGap
	c.text(point{left + panelWidth - cellPadding, top + 20}, noted, note)

	b := h.count(values)
	width, height := float64(panelWidth-plotLeft-plotRight), float64(panelHeight-plotTop-plotBottom)
	bottom := top + plotTop + height
	barWidth := width / float64(len(b.counts))
	at := func(v float64) float64 { return round(left + plotLeft + float64((v/b.step-b.first)*barWidth)) }

	// The axis of the counts, with grid lines at round numbers.
	for _, count := range ticks(0, float64(b.most), 5, true) {
		y := round(bottom - height*count/float64(b.most))
		c.line([]point{{left + plotLeft, y}, {left + panelWidth - plotRight, y}}, stroke{width: 1, color: gridColor})
		c.text(point{left + plotLeft - 6, y + 4}, countStyle, strconv.FormatFloat(count, 'f', -1, 64))
	}
	for i, count := range b.counts {
		if count > 0 {
			x := round(left + plotLeft + float64(float64(i)*barWidth))
			barHeight := height * float64(count) / float64(b.most)
			c.fill([][]point{rectangle(x+0.5, round(bottom-barHeight), max(round(barWidth)-1, 0.5), round(barHeight))}, barColor)
		}
	}
	c.line([]point{{left + plotLeft, bottom + 0.5}, {left + panelWidth - plotRight, bottom + 0.5}},
		stroke{width: 1, color: borderColor})
	// The label of a whole number stands below the middle of its bar.
	offset := 0.0
	if h.Whole && b.step == 1 {
		offset = 0.5
	}
	last := b.first + float64(len(b.counts))
	for _, v := range ticks(b.first*b.step, (last-offset)*b.step, 8, h.Whole) {
		x := at(v + offset)
		c.line([]point{{x, bottom}, {x, bottom + 4}}, stroke{width: 1, color: borderColor})
		c.text(point{x, bottom + 16}, axisStyle, strconv.FormatFloat(v, 'g', 6, 64))
	}
	c.line([]point{{at(mean + offset), top + plotTop - 6}, {at(mean + offset), bottom}},
		stroke{width: 2, color: startColor})
	c.line([]point{{at(median + offset), top + plotTop - 6}, {at(median + offset), bottom}},
		stroke{width: 2, color: startColor, dash: 4})
	if axis != "" {
		c.text(point{left + plotLeft + width/2, top + panelHeight - 8}, axisStyle, axis)
	}
	return nil
}

// ticks returns the multiples of a round number from low to high. They divide the range into at most the given number
// of steps.
func ticks(low, high, steps float64, whole bool) []float64 {
	step := roundUp((high - low) / steps)
	if whole {
		step = max(step, 1)
	}
	var list []float64
	first := math.Ceil(low/step - 1e-9)
	for i := 0.0; i <= steps && (first+i)*step <= high+1e-9*step; i++ {
		list = append(list, significant((first+i)*step, 12)+0) // removes the rounding error of the product and negative zero
	}
	return list
}
