package export

import (
	"math"
	"strings"
)

// Dimensions of a profile, in pixels.
const (
	smallestProfile = 78   // height of a profile, by which a cell is higher
	profilePart     = 0.14 // height of the profiles of large cells, as a fraction of their width
	profileTop      = 16   // above the curve, for the steepest grade
	profileBottom   = 20   // below it, for the way
	profileAxis     = 40   // left of it, for the heights
)

var (
	profileStyle = textStyle{size: 10, color: mutedColor}
	gradeStyle   = textStyle{size: 10, color: markColor, bold: true}
)

// elevation is the height of a closed line over the way along it.
type elevation struct {
	way, height []float64 // way is the length of the line so far; the last point is the first one again
	steepest    int       // the grade is largest between points steepest and steepest+1
	grade       float64   // change of height as a fraction of the way in plan view, positive upwards
}

// profileOf returns the elevation of the centreline of env e, without the points that are not finite.
func (s trackSubject) profileOf(e int) elevation {
	_, center, _ := s.lines(e)
	var places []vector3
	for _, v := range center {
		if place := vectorOf(v); place.finite() {
			places = append(places, place)
		}
	}
	if len(places) < 2 {
		return elevation{}
	}
	out := elevation{way: []float64{0}, height: []float64{places[0].z}}
	for i, from := range places {
		to := places[(i+1)%len(places)]
		step := to.minus(from)
		out.way = append(out.way, out.way[i]+step.length())
		out.height = append(out.height, to.z)
		plan := math.Sqrt(float64(step.x*step.x) + float64(step.y*step.y))
		if grade := step.z / plan; plan > 0 && math.Abs(grade) > math.Abs(out.grade) {
			out.steepest, out.grade = i, grade
		}
	}
	return out
}

// at returns the height at a way.
func (h elevation) at(way float64, from int) (height float64, next int) {
	for from < len(h.way)-2 && h.way[from+1] < way {
		from++
	}
	step := h.way[from+1] - h.way[from]
	if !(step > 0) {
		return h.height[from], from
	}
	t := clamp((way-h.way[from])/step, 0, 1)
	return h.height[from] + float64((h.height[from+1]-h.height[from])*t), from
}

// drawProfile draws the elevation of env e in the lower part of its cell.
func (p *page) drawProfile(c canvas, e int, h elevation, paint roadPaint, t projection) {
	total := 0.0
	if len(h.way) > 0 {
		total = h.way[len(h.way)-1]
	}
	if !(total > 0) || math.IsInf(total, 0) {
		return
	}
	plotWidth, plotHeight := p.plotSize()
	left := t.middle.x - plotWidth/2 + profileAxis
	width := plotWidth - profileAxis
	top := t.middle.y + plotHeight/2 + profileTop + cellPadding/2
	height := p.profile - profileTop - profileBottom
	bottom := top + height
	heights := p.scopeOf(e).heights
	y := func(z float64) float64 { return round(bottom - float64((height-2)*heights.at(z)) - 2) }

	pen := stroke{width: 1, color: gridColor}
	axis := profileStyle
	axis.anchor = anchorEnd
	for _, level := range []float64{heights.low, heights.high} {
		c.line([]point{{round(left), y(level)}, {round(left + width), y(level)}}, pen)
		c.text(point{round(left - 5), y(level) + 3.5}, axis, heightText(level))
		if heights.size() == 0 {
			break
		}
	}
	steps := int(width / 2)
	curve := make([]point, 0, steps+1)
	at := 0
	var z float64
	for i := range steps + 1 {
		z, at = h.at(total*float64(i)/float64(steps), at)
		curve = append(curve, point{round(left + width*float64(i)/float64(steps)), y(z)})
		if i > 0 {
			a, b := curve[i-1], curve[i]
			right := round(min(b.x+1, left+width))
			c.fill([][]point{{a, {right, b.y}, {right, round(bottom)}, {a.x, round(bottom)}}}, paint.surface(z))
		}
	}
	c.line(curve, stroke{width: 1.4, color: paint.edge})
	c.line([]point{{round(left), round(bottom)}, {round(left + width), round(bottom)}},
		stroke{width: 1, color: borderColor})
	c.text(point{round(left), round(bottom + 12)}, profileStyle, "0")
	end := profileStyle
	end.anchor = anchorEnd
	c.text(point{round(left + width), round(bottom + 12)}, end, lengthText(total, p.Unit))
	p.drawSteepest(c, h, total, left, width, top, y)
}

// drawSteepest marks the place of the largest grade on the profile, with the grade above it.
func (p *page) drawSteepest(c canvas, h elevation, total, left, width, top float64, y func(z float64) float64) {
	if h.grade == 0 {
		return
	}
	i := h.steepest
	x := round(left + width*clamp((h.way[i]+h.way[i+1])/2/total, 0, 1))
	at := y((h.height[i] + h.height[i+1]) / 2)
	c.line([]point{{x, round(top - 5)}, {x, at}}, stroke{width: 1.2, color: markColor})
	c.fill([][]point{{{x, at - 3.5}, {x + 3.5, at}, {x, at + 3.5}, {x - 3.5, at}}}, markColor)
	style := gradeStyle
	style.anchor = anchorMiddle
	const reach = 46 // half the width of the text
	x = clamp(x, left+reach-profileAxis, left+width-reach)
	c.text(point{round(x), round(top - 8)}, style, "steepest "+gradeText(h.grade))
}

// gradeText formats a grade in percent, with its sign.
func gradeText(grade float64) string {
	text := strings.ReplaceAll(shortNumber(100*grade, 2), "-", "−")
	if grade > 0 {
		text = "+" + text
	}
	return text + " %"
}
