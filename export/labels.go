package export

import "math"

// labels places short texts, such as numbers of gates, beside their points so that they cover as little as possible.
type labels struct {
	page      *page
	furthest  float64 // distance from its point at which a text may stand, in pixels
	area      bounds  // where texts may stand
	obstacles []obstacle
	placed    []label
}

// obstacle is a line that texts should not cover.
type obstacle struct {
	from, to point
	cost     float64
	margin   float64 // between the middle of the line and a text
}

// label is a text with its place.
type label struct {
	text   string
	style  textStyle
	box    bounds
	leader []point // a line to its point, if it stands far from it
}

// What it costs to cover a line, in pixels of distance.
const (
	costLine = 6
	costGate = 40
)

const (
	labelSize     = 11
	nearestLabel  = 9  // pixels from the point to the middle of the text
	furthestLabel = 44 // a text that finds no place up to here is left out
	mostCovered   = 70 // cost of what a text covers; one that would cover more is left out
	leaderFrom    = 20
)

func newLabels(p *page, t projection) *labels {
	width, height := p.plotSize()
	half := point{width/2 + cellPadding - 2, height/2 + 4}
	furthest := float64(furthestLabel)
	if p.CellSize < roomyCell {
		furthest = leaderFrom
	}
	return &labels{page: p, furthest: furthest, area: bounds{point{t.middle.x - half.x, t.middle.y - half.y},
		point{t.middle.x + half.x, t.middle.y + half.y}}}
}

// avoid adds a line that texts should not cover.
func (l *labels) avoid(from, to point, cost, margin float64) {
	l.obstacles = append(l.obstacles, obstacle{from, to, cost, margin})
}

// labelWays are the directions from a point in which its text can stand.
var labelWays = [...]point{{1, 0}, {0.924, 0.383}, {0.707, 0.707}, {0.383, 0.924}, {0, 1}, {-0.383, 0.924},
	{-0.707, 0.707}, {-0.924, 0.383}, {-1, 0}, {-0.924, -0.383}, {-0.707, -0.707}, {-0.383, -0.924}, {0, -1},
	{0.383, -0.924}, {0.707, -0.707}, {0.924, -0.383}}

// add places a text beside a point. Of several places that are as good, it takes the one nearest to the direction
// towards side. A text without a place that is free of other texts is left out.
func (l *labels) add(at, side point, text string, bold bool) {
	style := textStyle{size: labelSize, bold: bold, anchor: anchorMiddle}
	width, err := l.page.faces.width(style, text)
	if err != nil {
		l.page.failed = err
		return
	}
	near := l.near(at)
	best, bestCost := label{}, math.Inf(1)
	reach := distance(at, side)
	for radius := float64(nearestLabel); radius <= l.furthest+reach; radius += 4 {
		if radius >= bestCost { // a larger distance alone costs more
			break
		}
		for _, way := range labelWays {
			middle := point{round(at.x + float64(way.x*(radius+width/2-3))), round(at.y + float64(way.y*radius))}
			box := bounds{point{middle.x - width/2 - 1, middle.y - labelSize/2}, point{middle.x + width/2 + 1,
				middle.y + labelSize/2}}
			aside := 0.0
			if reach > 0 {
				aside = 1 - (float64(way.x*(side.x-at.x))+float64(way.y*(side.y-at.y)))/reach
			}
			covered := l.costOf(box, near)
			if cost := radius + 2*aside + covered; covered <= mostCovered && cost < bestCost {
				best, bestCost = label{text: text, style: style, box: box}, cost
				if radius > leaderFrom {
					best.leader = []point{at, middle}
				}
			}
		}
	}
	if !math.IsInf(bestCost, 1) {
		l.placed = append(l.placed, best)
	}
}

// near returns the obstacles that a text beside a point can meet.
func (l *labels) near(at point) []obstacle {
	const reach = 2 * furthestLabel
	var out []obstacle
	for _, o := range l.obstacles {
		if max(o.from.x, o.to.x) > at.x-reach && min(o.from.x, o.to.x) < at.x+reach &&
			max(o.from.y, o.to.y) > at.y-reach && min(o.from.y, o.to.y) < at.y+reach {
			out = append(out, o)
		}
	}
	return out
}

// costOf returns what it costs to put a text into the box; it is infinite where no text can stand.
func (l *labels) costOf(box bounds, near []obstacle) float64 {
	if box.min.x < l.area.min.x || box.max.x > l.area.max.x || box.min.y < l.area.min.y || box.max.y > l.area.max.y {
		return math.Inf(1)
	}
	for _, other := range l.placed {
		if box.meets(other.box) {
			return math.Inf(1)
		}
	}
	cost := 0.0
	for _, o := range near {
		if box.grown(o.margin).crosses(o.from, o.to) {
			cost += o.cost
		}
	}
	return cost
}

// grown returns the rectangle with a margin.
func (b bounds) grown(by float64) bounds {
	return bounds{point{b.min.x - by, b.min.y - by}, point{b.max.x + by, b.max.y + by}}
}

// meets reports whether two rectangles have a point in common.
func (b bounds) meets(other bounds) bool {
	return b.min.x <= other.max.x && other.min.x <= b.max.x && b.min.y <= other.max.y && other.min.y <= b.max.y
}

// crosses reports whether a line has a point in the rectangle.
func (b bounds) crosses(from, to point) bool {
	low, high := 0.0, 1.0 // part of the line that can be in the rectangle
	for _, axis := range [2]struct{ from, to, min, max float64 }{
		{from.x, to.x, b.min.x, b.max.x}, {from.y, to.y, b.min.y, b.max.y}} {
		way := axis.to - axis.from
		if way == 0 {
			if axis.from < axis.min || axis.from > axis.max {
				return false
			}
			continue
		}
		enter, leave := (axis.min-axis.from)/way, (axis.max-axis.from)/way
		low, high = max(low, min(enter, leave)), min(high, max(enter, leave))
	}
	return low <= high
}

// draw draws all texts.
func (l *labels) draw(c canvas, color rgb) {
	for _, text := range l.placed {
		if text.leader != nil {
			c.line(text.leader, stroke{width: 0.7, color: mutedColor})
		}
	}
	for _, text := range l.placed {
		text.style.color = color
		if text.leader != nil {
			c.fill([][]point{rectangle(text.box.min.x, text.box.min.y, text.box.max.x-text.box.min.x,
				text.box.max.y-text.box.min.y)}, cardColor)
		}
		middle := between(text.box.min, text.box.max, 0.5)
		c.text(point{round(middle.x), round(middle.y + 3.5)}, text.style, text.text)
	}
}
