package export

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/vector"

	"github.com/trackgen-go/trackgen/track"
)

// WritePNG writes a picture of tracks as an anti-aliased PNG image.
func WritePNG(w io.Writer, b *track.Batch, p Picture) error {
	page, err := layOut(b, p)
	if err != nil {
		return err
	}
	return page.writePNG(w)
}

func (p *page) writePNG(w io.Writer) error {
	c := newPixelCanvas(p.width, p.height, p.Density)
	if err := p.draw(c); err != nil {
		return err
	}
	if c.err != nil {
		return c.err
	}
	return png.Encode(w, c.image)
}

// pixelCanvas draws on an image.
type pixelCanvas struct {
	image   *image.RGBA
	density float64
	faces   *faces
	raster  vector.Rasterizer
	err     error
}

func newPixelCanvas(width, height, density float64) *pixelCanvas {
	size := image.Rect(0, 0, int(math.Ceil(width*density)), int(math.Ceil(height*density)))
	return &pixelCanvas{image: image.NewRGBA(size), density: density, faces: newFaces(density)}
}

func (c *pixelCanvas) group(string) {}

// tile is the side of the largest image that vector.Rasterizer fills with integer arithmetic, which gives the same
// pixels on every processor. For larger images it uses floating point, which may not.
const tile = 512

func (c *pixelCanvas) fill(contours [][]point, color rgb) {
	area := c.pixelBounds(contours).Intersect(c.image.Bounds())
	for y := area.Min.Y; y < area.Max.Y; y += tile {
		for x := area.Min.X; x < area.Max.X; x += tile {
			c.fillTile(contours, color, image.Rect(x, y, x+tile, y+tile).Intersect(area))
		}
	}
}

func (c *pixelCanvas) fillTile(contours [][]point, color rgb, area image.Rectangle) {
	c.raster.Reset(area.Dx(), area.Dy())
	c.raster.DrawOp = draw.Over
	for _, contour := range contours {
		placed := make([]point, len(contour))
		for i, p := range contour {
			placed[i] = point{x: float64(p.x*c.density) - float64(area.Min.X), y: float64(p.y*c.density) - float64(area.Min.Y)}
		}
		for i, p := range clip(placed, farOut) {
			if i == 0 {
				c.raster.MoveTo(float32(p.x), float32(p.y))
			} else {
				c.raster.LineTo(float32(p.x), float32(p.y))
			}
		}
		c.raster.ClosePath()
	}
	c.raster.Draw(c.image, area, uniform(color), image.Point{})
}

// pixelBounds returns the smallest rectangle of pixels that contains the contours.
func (c *pixelCanvas) pixelBounds(contours [][]point) image.Rectangle {
	var out image.Rectangle
	for _, contour := range contours {
		for _, p := range contour {
			x, y := int(math.Floor(p.x*c.density)), int(math.Floor(p.y*c.density))
			out = out.Union(image.Rect(x, y, x+2, y+2))
		}
	}
	return out
}

func (c *pixelCanvas) line(points []point, s stroke) {
	if s.dash == 0 {
		c.fill(outline(points, s.closed, s.width), s.color)
		return
	}
	if s.closed && len(points) > 0 {
		points = append(points[:len(points):len(points)], points[0])
	}
	for _, dash := range dashes(points, s.dash) {
		c.fill(outline(dash, false, s.width), s.color)
	}
}

func (c *pixelCanvas) text(at point, s textStyle, content string) {
	width, err := c.faces.width(s, content)
	if err != nil {
		c.err = err
		return
	}
	start := point{at.x * c.density, at.y * c.density}
	switch s.anchor {
	case anchorMiddle:
		start.x -= width / 2
	case anchorEnd:
		start.x -= width
	}
	contours, err := c.faces.outlines(s, content)
	if err != nil {
		c.err = err
		return
	}
	for _, contour := range contours {
		for i, p := range contour {
			contour[i] = point{(start.x + p.x) / c.density, (start.y + p.y) / c.density}
		}
	}
	c.fill(contours, s.color)
}

func uniform(c rgb) *image.Uniform { return image.NewUniform(color.RGBA{c.r, c.g, c.b, 0xff}) }

// outline returns the contours of the polyline drawn with a pen of the given width, to be filled by the nonzero rule.
// Ends are cut square at the last point. Corners are mitred, or bevelled if the mitre would be too long.
func outline(points []point, closed bool, width float64) [][]point {
	points = distinct(points, closed)
	n := len(points)
	if n < 2 {
		return nil
	}
	half := width / 2
	left, right := make([]point, 0, 2*n), make([]point, 0, 2*n)
	add := func(p point, nx, ny float64) {
		left = append(left, point{p.x + float64(nx*half), p.y + float64(ny*half)})
		right = append(right, point{p.x - float64(nx*half), p.y - float64(ny*half)})
	}
	for i, p := range points {
		before, after := unitNormal(points[(i+n-1)%n], p), unitNormal(p, points[(i+1)%n])
		switch {
		case !closed && i == 0:
			add(p, after.x, after.y)
		case !closed && i == n-1:
			add(p, before.x, before.y)
		default:
			const sharpest = 0.25 // of cos^2(half the turn); at most this, the corner is bevelled
			mx, my := (before.x+after.x)/2, (before.y+after.y)/2
			if square := float64(mx*mx) + float64(my*my); square > sharpest {
				add(p, mx/square, my/square)
			} else {
				add(p, before.x, before.y)
				add(p, after.x, after.y)
			}
		}
	}
	if closed {
		return [][]point{left, reversed(right)}
	}
	return [][]point{append(left, reversed(right)...)}
}

// distinct drops points that are equal to the previous one.
func distinct(points []point, closed bool) []point {
	var out []point
	for _, p := range points {
		if len(out) == 0 || p != out[len(out)-1] {
			out = append(out, p)
		}
	}
	if closed && len(out) > 1 && out[0] == out[len(out)-1] {
		out = out[:len(out)-1]
	}
	return out
}

// unitNormal returns the unit normal of the segment from a to b. The points must differ.
func unitNormal(a, b point) point {
	length := distance(a, b)
	return point{(a.y - b.y) / length, (b.x - a.x) / length}
}

// dashes cuts a polyline into dashes with gaps of the same length.
func dashes(points []point, length float64) [][]point {
	var out [][]point
	var dash []point
	drawing, left := true, length
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		if drawing && len(dash) == 0 {
			dash = append(dash, a)
		}
		rest := distance(a, b)
		for rest > left {
			a = between(a, b, left/rest)
			rest -= left
			if drawing {
				out, dash = append(out, append(dash, a)), nil
			} else {
				dash = []point{a}
			}
			drawing, left = !drawing, length
		}
		left -= rest
		if drawing {
			dash = append(dash, b)
		}
	}
	if len(dash) > 1 {
		out = append(out, dash)
	}
	return out
}
