package export

import (
	"math"
	"slices"
)

// footerItem is something that explains all cells of a page, below them.
type footerItem struct {
	width, height float64
	draw          func(c canvas, left, bottom float64) // bottom is that of the row
	left, bottom  float64                              // set by layOutFooter, relative to the top of the footer
}

const (
	footerGap   = 28
	axisLength  = 20
	axesHeight  = 2*axisLength + 12
	legendSteps = 32
)

// layOutFooter arranges what stands below the cells in rows, and enlarges the page for them.
func (p *page) layOutFooter() error {
	items, err := p.footerItems()
	if err != nil {
		return err
	}
	left, height, row := 0.0, 0.0, 0.0
	for i := range items {
		item := &items[i]
		if left > 0 && left+item.width > p.width-2*pageMargin {
			left, height, row = 0, height+row, 0
		}
		item.left = left
		left += item.width + footerGap
		if item.height > row {
			row = item.height
			for j := range items[:i] { // those of the same row move down
				if items[j].bottom > height {
					items[j].bottom = height + row
				}
			}
		}
		item.bottom = height + row
	}
	p.footer, p.footerTop = items, p.height-pageMargin
	p.height += height + row
	return nil
}

func (p *page) footerItems() ([]footerItem, error) {
	var items []footerItem
	add := func(item footerItem, err error) error {
		items = append(items, item)
		return err
	}
	if p.scale > 0 {
		if err := add(p.scaleBar()); err != nil {
			return nil, err
		}
	}
	colored := p.hills && slices.ContainsFunc(p.Envs, p.isValid) // invalid courses are red
	if colored && !p.common.heights.empty() && !p.ownHeights {
		if err := add(p.legend(p.heightScale())); err != nil {
			return nil, err
		}
	}
	if err := p.layerItems(add); err != nil {
		return nil, err
	}
	if p.View == ViewOblique {
		items = append(items, axesItem())
	}
	return items, nil
}

func (p *page) drawFooter(c canvas) {
	for _, item := range p.footer {
		item.draw(c, pageMargin+item.left, p.footerTop+item.bottom)
	}
}

// unitsText adds the unit to a number, whatever the unit is.
func (p *page) unitsText(number string) string {
	unit := p.Unit
	switch {
	case unit == "" && number == "1":
		unit = "unit"
	case unit == "":
		unit = "units"
	}
	return withUnit(number, unit)
}

// scaleBar is a bar whose length is a round number.
func (p *page) scaleBar() (footerItem, error) {
	units := roundLength(0.5 * float64(p.CellSize) / p.scale)
	length := round(units * p.scale)
	text := p.unitsText(shortNumber(units, 4))
	width, err := p.faces.width(scaleStyle, text)
	return footerItem{width: length + 8 + width, height: footerHeight, draw: func(c canvas, left, bottom float64) {
		c.group("scale")
		y := bottom - 3.5
		ends := []point{{left + 0.5, y}, {left + 0.5 + length, y}}
		mark := stroke{width: 1, color: mutedColor}
		c.line(ends, mark)
		for _, end := range ends {
			c.line([]point{{end.x, y - 4}, {end.x, y + 4}}, mark)
		}
		c.text(point{ends[1].x + 8, y + 4}, scaleStyle, text)
	}}, err
}

// colorScale is a scale of the colours that show numbers.
type colorScale struct {
	group      string              // name, for screen readers
	texts      [2]string           // at its ends
	shortTexts [2]string           // at its ends, if there is little room
	color      func(t float64) rgb // at a part of its length, 0 to 1
	zero       bool                // whether its middle is marked
}

// heightScale is the scale of heights.
func (p *page) heightScale() colorScale {
	low, high := heightText(p.common.heights.low), heightText(p.common.heights.high)
	return colorScale{group: "colours of heights", texts: [2]string{"height " + low, p.unitsText(high)},
		shortTexts: [2]string{low, high}, color: heightColor}
}

// legend draws a scale of colours.
func (p *page) legend(s colorScale) (footerItem, error) {
	texts := s.texts
	const gaps, shortest, longest = 16, 24, 140
	before, after, err := p.widths(texts[0], texts[1])
	if room := p.width - 2*pageMargin - gaps; before+shortest+after > room && err == nil {
		texts = s.shortTexts
		before, after, err = p.widths(texts[0], texts[1])
	}
	strip := clamp(float64(p.CellSize)/2, shortest, min(longest, max(shortest, p.width-2*pageMargin-gaps-before-after)))
	return footerItem{width: before + strip + after + gaps, height: footerHeight,
		draw: func(c canvas, left, bottom float64) {
			c.group(s.group)
			c.text(point{round(left), bottom + 0.5}, scaleStyle, texts[0])
			start := round(left + before + 8)
			for i := range legendSteps {
				from, to := strip*float64(i)/legendSteps, strip*float64(i+1)/legendSteps
				c.fill([][]point{rectangle(round(start+from), bottom-9, round(min(to+1, strip)-from), 10)},
					s.color((float64(i)+0.5)/legendSteps))
			}
			if s.zero {
				c.fill([][]point{rectangle(round(start+strip/2-0.8), bottom-11, 1.6, 14)}, zeroColor)
			}
			c.text(point{round(start + strip + 8), bottom + 0.5}, scaleStyle, texts[1])
		}}, err
}

// widths returns the widths of two texts of the footer.
func (p *page) widths(a, b string) (widthA, widthB float64, err error) {
	if widthA, err = p.faces.width(scaleStyle, a); err != nil {
		return 0, 0, err
	}
	widthB, err = p.faces.width(scaleStyle, b)
	return widthA, widthB, err
}

// axesItem shows how the axes of the coordinates lie in the oblique view.
func axesItem() footerItem {
	return footerItem{width: 2 * axisLength, height: axesHeight, draw: func(c canvas, left, bottom float64) {
		c.group("axes")
		origin := point{left + 6, bottom - axisLength/2 - 4}
		t := projection{camera: obliquely(0, 1), middle: origin, scale: axisLength}
		for _, axis := range []struct {
			name string
			way  vector3
		}{{"x", vector3{x: 1}}, {"y", vector3{y: 1}}, {"z", vector3{z: 1}}} {
			tip, beyond := t.show(axis.way), t.show(axis.way.times(1.35))
			c.line([]point{origin, tip}, stroke{width: 1.2, color: mutedColor})
			c.fill([][]point{arrowhead(origin, tip, 6)}, mutedColor)
			style := scaleStyle
			style.anchor = anchorMiddle
			c.text(point{beyond.x, beyond.y + 3.5}, style, axis.name)
		}
	}}
}

// arrowhead returns the head of an arrow from tail to tip.
func arrowhead(tail, tip point, length float64) []point {
	norm := distance(tail, tip)
	if norm == 0 {
		return nil
	}
	dx, dy := (tip.x-tail.x)/norm, (tip.y-tail.y)/norm
	back := point{tip.x - float64(dx*length), tip.y - float64(dy*length)}
	half := 0.4 * length
	return []point{
		tip,
		{round(back.x - float64(dy*half)), round(back.y + float64(dx*half))},
		{round(back.x + float64(dy*half)), round(back.y - float64(dx*half))},
	}
}

// roundLength returns the largest number of the form 1, 2 or 5 times a power of ten that is at most v.
func roundLength(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	switch {
	case v >= 5*power:
		return 5 * power
	case v >= 2*power:
		return 2 * power
	default:
		return power
	}
}
