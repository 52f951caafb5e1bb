//go:build cgo

package main

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/vector"

	"github.com/trackgen-go/trackgen/kernel"
)

// Colours of pictures.
var (
	groundColor = color.RGBA{0x3e, 0x6b, 0x4a, 0xff}
	roadColor   = color.RGBA{0x55, 0x59, 0x60, 0xff}
	lineColor   = color.RGBA{0xf2, 0xf2, 0xee, 0xff}
	chosenColor = color.RGBA{0xf2, 0x8c, 0x28, 0xff}
	otherColor  = color.RGBA{0x4a, 0x90, 0xd9, 0xff}
	wayColor    = color.RGBA{0x8e, 0xb0, 0x98, 0xff}
	frontColor  = color.RGBA{0x1b, 0x1b, 0x1f, 0xff}
)

// place is a point of a picture or of the ground, in pixels or in track units.
type place struct{ x, y float64 }

// box is a vehicle, as seen from above.
type box struct {
	center        place
	forward       place // unit direction
	length, width float64
}

// opening is a gate, as seen from above: its left and its right end.
type opening [2]place

// middle returns the middle of the opening.
func (o opening) middle() place { return place{(o[0].x + o[1].x) / 2, (o[0].y + o[1].y) / 2} }

// scene is what a picture of an env shows.
type scene struct {
	left, right []kernel.Vec3 // borders of the road, point by point; closed
	posts       []opening     // of gates, in their order
	boxes       []box
	chosen      int // of the boxes; the others have another colour
}

// view maps the ground to the pixels of a picture: y goes up on the ground and down in the picture.
type view struct {
	center place
	scale  float64 // pixels for each track unit
	size   place   // of the picture
}

// at returns the pixel of a place.
func (v view) at(p place) place {
	return place{v.size.x/2 + (p.x-v.center.x)*v.scale, v.size.y/2 - (p.y-v.center.y)*v.scale}
}

// margin is the part of the picture that stays free on each side.
const margin = 0.05

// wholeView shows the whole scene.
func (s *scene) wholeView(size place) view {
	low, high := place{math.Inf(1), math.Inf(1)}, place{math.Inf(-1), math.Inf(-1)}
	take := func(p place) {
		if isFinite(p) {
			low, high = place{min(low.x, p.x), min(low.y, p.y)}, place{max(high.x, p.x), max(high.y, p.y)}
		}
	}
	for i := range s.left {
		take(flat(s.left[i]))
		take(flat(s.right[i]))
	}
	for _, post := range s.posts {
		take(post[0])
		take(post[1])
	}
	if low.x > high.x {
		return view{scale: 1, size: size}
	}
	room := 1 - 2*margin
	scale := min(size.x*room/max(high.x-low.x, 1e-6), size.y*room/max(high.y-low.y, 1e-6))
	return view{center: place{(low.x + high.x) / 2, (low.y + high.y) / 2}, scale: scale, size: size}
}

// agentLengths is how many lengths of the vehicle the shorter side of a picture shows that follows it.
const agentLengths = 16

// agentView shows the surroundings of the chosen box.
func (s *scene) agentView(size place) view {
	b := s.boxes[s.chosen]
	if !isFinite(b.center) || b.length <= 0 {
		return s.wholeView(size)
	}
	return view{center: b.center, scale: min(size.x, size.y) / (agentLengths * b.length), size: size}
}

// flat is a point as seen from above.
func flat(p kernel.Vec3) place { return place{float64(p.X), float64(p.Y)} }

// isFinite reports whether both numbers are finite.
func isFinite(p place) bool { return !math.IsNaN(p.x-p.x) && !math.IsNaN(p.y-p.y) }

// painter draws filled shapes of one colour after the other.
type painter struct {
	view   view
	image  *image.RGBA
	raster *vector.Rasterizer
}

// draw draws the scene into a picture of the size of the view.
func (s *scene) draw(v view) *image.RGBA {
	bounds := image.Rect(0, 0, int(v.size.x), int(v.size.y))
	p := painter{view: v, image: image.NewRGBA(bounds), raster: vector.NewRasterizer(bounds.Dx(), bounds.Dy())}
	draw.Draw(p.image, bounds, image.NewUniform(groundColor), image.Point{}, draw.Src)
	s.drawRoad(&p)
	s.drawGates(&p)
	s.drawBoxes(&p)
	return p.image
}

// fill colours the shapes that were added.
func (p *painter) fill(c color.RGBA) {
	p.raster.Draw(p.image, p.image.Bounds(), image.NewUniform(c), image.Point{})
	p.raster.Reset(p.image.Bounds().Dx(), p.image.Bounds().Dy())
}

// polygon adds a polygon of places on the ground. Its corners go around in the same direction as those of others that
// it overlaps, because what the rasterizer adds up must not cancel.
func (p *painter) polygon(corners ...place) {
	pixels := make([]place, len(corners))
	area := 0.0
	for i, c := range corners {
		pixels[i] = p.view.at(c)
		if !isFinite(pixels[i]) || math.Abs(pixels[i].x) > maxPixel || math.Abs(pixels[i].y) > maxPixel {
			return
		}
	}
	for i, a := range pixels {
		b := pixels[(i+1)%len(pixels)]
		area += a.x*b.y - b.x*a.y
	}
	for i := range pixels {
		c := pixels[i]
		if area < 0 {
			c = pixels[len(pixels)-1-i]
		}
		if i == 0 {
			p.raster.MoveTo(float32(c.x), float32(c.y))
		} else {
			p.raster.LineTo(float32(c.x), float32(c.y))
		}
	}
	p.raster.ClosePath()
}

// maxPixel is how far beside the picture a corner may lie.
const maxPixel = 1e5

// stroke adds a line between two places, some pixels wide.
func (p *painter) stroke(a, b place, width float64) {
	dx, dy := b.x-a.x, b.y-a.y
	length := math.Hypot(dx, dy)
	if !(length > 0) {
		return
	}
	half := width / 2 / p.view.scale / length
	nx, ny := -dy*half, dx*half
	p.polygon(place{a.x + nx, a.y + ny}, place{b.x + nx, b.y + ny}, place{b.x - nx, b.y - ny}, place{a.x - nx, a.y - ny})
}

// drawRoad draws the road with its borders and the start line.
func (s *scene) drawRoad(p *painter) {
	if len(s.left) == 0 {
		return
	}
	for i := range s.left {
		j := (i + 1) % len(s.left)
		p.polygon(flat(s.left[i]), flat(s.left[j]), flat(s.right[j]), flat(s.right[i]))
	}
	p.fill(roadColor)
	width := max(1, min(p.view.size.x, p.view.size.y)/250)
	for i := range s.left {
		j := (i + 1) % len(s.left)
		p.stroke(flat(s.left[i]), flat(s.left[j]), width)
		p.stroke(flat(s.right[i]), flat(s.right[j]), width)
	}
	p.stroke(flat(s.left[0]), flat(s.right[0]), 2*width)
	p.fill(lineColor)
}

// gate adds the opening of a gate, and a square for a gate without a width.
func (p *painter) gate(o opening, width float64) {
	if half := width / p.view.scale; math.Hypot(o[1].x-o[0].x, o[1].y-o[0].y) < half {
		o = opening{{o[0].x - half/2, o[0].y}, {o[0].x + half/2, o[0].y}}
	}
	p.stroke(o[0], o[1], width)
}

// drawGates draws the openings of gates, the first one in a colour of its own, and the order in which they are passed.
func (s *scene) drawGates(p *painter) {
	if len(s.posts) == 0 {
		return
	}
	width := max(2, min(p.view.size.x, p.view.size.y)/100)
	for i, post := range s.posts {
		p.stroke(post.middle(), s.posts[(i+1)%len(s.posts)].middle(), width/3)
	}
	p.fill(wayColor)
	for _, post := range s.posts[1:] {
		p.gate(post, width)
	}
	p.fill(lineColor)
	p.gate(s.posts[0], width)
	p.fill(chosenColor)
}

// drawBoxes draws the vehicles with a dark front, which says where they head.
func (s *scene) drawBoxes(p *painter) {
	if len(s.boxes) == 0 {
		return
	}
	least := min(p.view.size.x, p.view.size.y) / 60 / p.view.scale // so that a vehicle can be seen on a large track
	for _, chosen := range []bool{false, true} {
		for i, b := range s.boxes {
			if (i == s.chosen) == chosen {
				b.part(p, least, -1, 1)
			}
		}
		p.fill(map[bool]color.RGBA{false: otherColor, true: chosenColor}[chosen])
	}
	for _, b := range s.boxes {
		b.part(p, least, 0.4, 0.8)
	}
	p.fill(frontColor)
}

// part adds the part of a box between two places along it, from -1, the rear, to 1, the front.
func (b box) part(p *painter, least, from, to float64) {
	grow := max(1, least/max(b.length, 1e-9))
	hx, hy := b.forward.x*b.length/2*grow, b.forward.y*b.length/2*grow
	wx, wy := -b.forward.y*b.width/2*grow, b.forward.x*b.width/2*grow
	corner := func(along, across float64) place {
		return place{b.center.x + along*hx + across*wx, b.center.y + along*hy + across*wy}
	}
	p.polygon(corner(from, -1), corner(to, -1), corner(to, 1), corner(from, 1))
}
