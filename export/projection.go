package export

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel"
)

// projection maps places to pixels.
type projection struct {
	camera
	center point // in units of length
	middle point // the same point in pixels
	scale  float64
}

// pixel maps a point of the picture in units of length to pixels.
func (t projection) pixel(p point) point {
	return point{
		round(t.middle.x + float64((p.x-t.center.x)*t.scale)),
		round(t.middle.y - float64((p.y-t.center.y)*t.scale)),
	}
}

// show maps a place to pixels.
func (t projection) show(v vector3) point { return t.pixel(t.flat(v)) }

// loop maps the real points of an array to pixels and skips those that are not finite.
func (t projection) loop(points []kernel.Vec3) []point {
	out := make([]point, 0, len(points))
	for _, v := range points {
		if p, ok := t.look(v); ok {
			out = append(out, t.pixel(p))
		}
	}
	return out
}

// bounds is a rectangle. It is empty if max is less than min.
type bounds struct{ min, max point }

func noBounds() bounds {
	inf := math.Inf(1)
	return bounds{min: point{inf, inf}, max: point{-inf, -inf}}
}

func (b bounds) empty() bool { return b.max.x < b.min.x }

func (b bounds) with(p point) bounds {
	return bounds{point{min(b.min.x, p.x), min(b.min.y, p.y)}, point{max(b.max.x, p.x), max(b.max.y, p.y)}}
}

// size returns the longer side.
func (b bounds) size() float64 { return max(b.max.x-b.min.x, b.max.y-b.min.y) }

// projection returns the projection of env e into the cell at left, top, or false if nothing of it can be shown.
func (p *page) projection(e int, left, top float64) (projection, bool) {
	camera := p.cameraOf(e)
	b := p.shown(e, camera)
	if b.empty() {
		return projection{}, false
	}
	width, height := p.plotSize()
	scale := p.fitScale(b)
	if p.scale > 0 {
		scale = min(scale, p.scale)
	}
	if math.IsInf(scale, 1) {
		scale = 1
	}
	return projection{
		camera: camera,
		center: point{float64(b.min.x+b.max.x) / 2, float64(b.min.y+b.max.y) / 2},
		middle: point{left + cellPadding + width/2, top + p.heading + cellPadding/2 + height/2},
		scale:  scale,
	}, true
}

// fitScale returns the largest scale at which the bounds fit into a cell. It is infinite for a single point or none.
func (p *page) fitScale(b bounds) float64 {
	width, height := p.plotSize()
	if b.empty() || b.max == b.min {
		return math.Inf(1)
	}
	return min(width/(b.max.x-b.min.x), height/(b.max.y-b.min.y))
}
