package export

import (
	"math"
	"strings"

	"github.com/trackgen-go/trackgen/kernel"
)

// Dimensions of the key of layers, in pixels.
const (
	signWidth = 22 // of the sign in front of a text
	signGap   = 6
)

// layerItems adds what explains the layers of the page: their scales of colours, and a key of their signs. add appends
// an item to the footer.
func (p *page) layerItems(add func(footerItem, error) error) error {
	if p.Layers == nil {
		return nil
	}
	if d := p.ranges.distances; !d.empty() {
		if err := add(p.legend(p.distanceScale(d))); err != nil {
			return err
		}
	}
	if s := p.ranges.speeds; !s.empty() {
		low, high := shortNumber(s.low, 3), shortNumber(s.high, 3)
		err := add(p.legend(colorScale{group: "colours of speeds", texts: [2]string{"speed " + low, p.speedText(high)},
			shortTexts: [2]string{low, high}, color: heightColor}))
		if err != nil {
			return err
		}
	}
	if h := p.ranges.heights; h.size() > 0 && p.ranges.distances.empty() {
		if err := add(p.legend(p.groundScale(h))); err != nil {
			return err
		}
	}
	for _, k := range p.keys() {
		width, err := p.faces.width(scaleStyle, k.text)
		if err != nil {
			return err
		}
		item := footerItem{width: signWidth + signGap + width, height: footerHeight}
		item.draw = func(c canvas, left, bottom float64) {
			c.group("key: " + k.text)
			k.sign(c, point{round(left + signWidth/2), bottom - 3.5})
			c.text(point{round(left + signWidth + signGap), bottom + 0.5}, scaleStyle, k.text)
		}
		if err := add(item, nil); err != nil {
			return err
		}
	}
	return nil
}

// speedText adds the unit of speeds to a number. Without a unit of lengths, that of time is not known either.
func (p *page) speedText(number string) string {
	if p.Unit == "" {
		return number
	}
	return withUnit(number, p.Unit+"/s")
}

// distanceScale is the scale of a distance field. Either side of 0 has half of it.
func (p *page) distanceScale(d interval) colorScale {
	low, high := min(d.low, 0), max(d.high, 0)
	texts := [2]string{strings.ReplaceAll(shortNumber(low, 3), "-", "−"), shortNumber(high, 3)}
	return colorScale{group: "colours of distances", zero: true,
		texts: [2]string{"distance to the border " + texts[0], p.unitsText(texts[1])}, shortTexts: texts,
		color: func(t float64) rgb {
			band := float64(int(t*2*fieldBands)) + 0.5 - fieldBands // from -fieldBands to fieldBands
			if band < 0 {
				return fieldColor(-band*low/fieldBands, interval{low, high})
			}
			return fieldColor(band*high/fieldBands, interval{low, high})
		}}
}

// key is the explanation of a sign.
type key struct {
	text string
	sign func(c canvas, at point) // at is its middle
}

// keys lists the signs of the layers of the page.
func (p *page) keys() []key {
	var bars, props, points, posts, clear, hit, contacts, normals, ways, firsts, touches, grounds bool
	var frames, touched, balls, hitBalls bool
	for _, e := range p.Envs {
		l := p.layersOf(e)
		bars, props, posts = bars || len(l.Checkpoints) > 0, props || len(l.Props) > 0, posts || len(l.Posts) > 0
		for i := range l.Props {
			points = points || !l.Props[i].Segment
		}
		for i := range l.Cars {
			car := &l.Cars[i]
			clear, hit = clear || !car.Hit, hit || car.Hit
			touches = touches || car.Touches != nil
			grounds = grounds || p.writesGround(car)
			if car.Way != nil {
				ways, firsts = true, firsts || finite(car.Way.FirstContact)
			}
			if pointOf2(car.Nearest).finite() {
				contacts, normals = true, normals || car.Normal.X != 0 || car.Normal.Y != 0
			}
		}
		for i := range l.Frames {
			frames, touched = frames || !l.Frames[i].Hit, touched || l.Frames[i].Hit
		}
		for i := range l.Balls {
			balls, hitBalls = balls || !l.Balls[i].Hit, hitBalls || l.Balls[i].Hit
		}
	}
	var out []key
	for _, k := range []struct {
		shown bool
		key
	}{
		{bars, key{"start", func(c canvas, at point) { signBar(c, at, startBarWidth, startColor) }}},
		{bars, key{"checkpoint", func(c canvas, at point) { signBar(c, at, barWidth, checkpointColor) }}},
		{points, key{"prop", func(c canvas, at point) { c.fill([][]point{disc(at, propRadius+0.6)}, propColor) }}},
		{props && !points, key{"prop", signSegment}},
		{posts, key{"post", func(c canvas, at point) { c.fill([][]point{disc(at, 4)}, postColor) }}},
		{clear, key{"car", func(c canvas, at point) { p.signCar(c, at, false) }}},
		{hit, key{"car " + p.hitText(), func(c canvas, at point) { p.signCar(c, at, true) }}},
		{contacts && normals, key{"nearest point and normal", func(c canvas, at point) { p.signContact(c, at, 1) }}},
		{contacts && !normals, key{"nearest point", func(c canvas, at point) { p.signContact(c, at, 0) }}},
		{ways, key{"way of a step", func(c canvas, at point) { p.signWay(c, at, 0) }}},
		{firsts, key{"first contact", func(c canvas, at point) { p.signWay(c, at, 1) }}},
		{touches, key{"cars that touch each other", func(c canvas, at point) { p.signTouch(c, at) }}},
		{p.ranges.heights.size() > 0 && !p.ranges.distances.empty(), key{p.groundText(), signGround}},
		{grounds, key{"height of the ground below a car", signNumber}},
		{frames, key{"frame", func(c canvas, at point) { signBar(c, at, 4, frameColor) }}},
		{touched, key{"frame that is touched", func(c canvas, at point) { signBar(c, at, 4, hitCar) }}},
		{balls, key{"ball of an agent", func(c canvas, at point) { drawBall(c, at, 5, clearCar) }}},
		{hitBalls, key{"ball at a frame", func(c canvas, at point) { drawBall(c, at, 5, hitCar) }}},
	} {
		if k.shown {
			out = append(out, k.key)
		}
	}
	return out
}

func signBar(c canvas, at point, width float64, color rgb) {
	c.line([]point{{at.x, at.y - 6}, {at.x, at.y + 6}}, stroke{width: width, color: color})
}

func signGround(c canvas, at point) {
	c.line([]point{{at.x - 9, at.y}, {at.x + 9, at.y}}, stroke{width: 1.2, color: equalHeightColor})
}

func signNumber(c canvas, at point) {
	style := scaleStyle
	style.anchor, style.color = anchorMiddle, textColor
	c.text(point{round(at.x), round(at.y + 4)}, style, "0.1")
}

func signSegment(c canvas, at point) {
	c.line([]point{{at.x - 9, at.y}, {at.x - propGap/2, at.y}}, stroke{width: propWidth, color: propColor})
	c.line([]point{{at.x + propGap/2, at.y}, {at.x + 9, at.y}}, stroke{width: propWidth, color: propColor})
}

// signed returns what draws a car on the page itself, in pixels.
func (p *page) signed(c canvas, at point) layersDrawing {
	return layersDrawing{p, &CourseLayers{}, projection{camera: fromAbove, middle: at, scale: 1}, c}
}

func (p *page) signCar(c canvas, at point, hit bool) {
	car := CarBox{Hit: hit}
	car.Heading.X, car.HalfExtents.X, car.HalfExtents.Y = 1, 8, 4
	p.signed(c, at).drawCar(&car)
}

func (p *page) signContact(c canvas, at point, normal float32) {
	var car CarBox
	car.Position.X, car.Nearest.X, car.Normal.X = 10, -8, normal
	p.signed(c, at).drawReach(&car)
	p.signed(c, at).drawContact(&car)
}

// signWay draws the begin of a way, or the place of a first contact.
func (p *page) signWay(c canvas, at point, part float32) {
	var car CarBox
	car.Heading.X, car.HalfExtents.X, car.HalfExtents.Y = 1, 6, 3.5
	if part > 0 {
		p.signed(c, at).drawOutline(&car, 2.2)
		return
	}
	car.Position.X, car.Way = 10, &CarWay{FirstContact: float32(math.NaN())}
	car.Way.Before.X = -5
	p.signed(c, at).drawWay(&car)
}

func (p *page) signTouch(c canvas, at point) {
	var car CarBox
	car.Position.X = -8
	car.Touches = &kernel.Vec3{X: 8}
	p.signed(c, at).drawTouch(&car)
	car.Position.X = 8
	p.signed(c, at).drawTouch(&CarBox{Position: car.Position, Touches: &kernel.Vec3{X: -8}})
}
