package export

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"

	"github.com/trackgen-go/trackgen/track"
)

// WriteSVG writes a picture of tracks as SVG 1.1.
func WriteSVG(w io.Writer, b *track.Batch, p Picture) error {
	page, err := layOut(b, p)
	if err != nil {
		return err
	}
	return page.writeSVG(w)
}

func (p *page) writeSVG(w io.Writer) error {
	c := newSVGCanvas()
	fmt.Fprintf(&c.out, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]s" height="%[2]s" viewBox="0 0 %[1]s %[2]s"`+
		` font-family="Go, 'Helvetica Neue', Arial, sans-serif">`+"\n", number(p.width), number(p.height))
	if p.Title != "" {
		fmt.Fprintf(&c.out, "<title>%s</title>\n", escape(printable(p.Title)))
	}
	if err := p.draw(c); err != nil {
		return err
	}
	return c.finish(w)
}

// svgCanvas writes SVG elements.
type svgCanvas struct {
	out     bytes.Buffer
	faces   *faces
	inGroup bool
	err     error
}

func newSVGCanvas() *svgCanvas { return &svgCanvas{faces: newFaces(1)} }

// finish ends the page and writes it.
func (c *svgCanvas) finish(w io.Writer) error {
	if c.err != nil {
		return c.err
	}
	c.endGroup()
	c.out.WriteString("</svg>\n")
	_, err := c.out.WriteTo(w)
	return err
}

func (c *svgCanvas) fill(contours [][]point, color rgb) {
	c.out.WriteString(`<path d="`)
	for _, contour := range contours {
		c.path(contour, true)
	}
	fmt.Fprintf(&c.out, `" fill="%s"/>`+"\n", hex(color))
}

func (c *svgCanvas) line(points []point, s stroke) {
	c.out.WriteString(`<path d="`)
	c.path(points, s.closed)
	fmt.Fprintf(&c.out, `" fill="none" stroke="%s" stroke-width="%s"`, hex(s.color), number(s.width))
	if s.dash > 0 {
		fmt.Fprintf(&c.out, ` stroke-dasharray="%s"`, number(s.dash))
	}
	c.out.WriteString(` stroke-linejoin="round"/>` + "\n")
}

func (c *svgCanvas) path(points []point, closed bool) {
	for i, p := range points {
		switch i {
		case 0:
			c.out.WriteByte('M')
		case 1:
			c.out.WriteByte('L')
		default:
			c.out.WriteByte(' ')
		}
		c.out.WriteString(number(p.x))
		c.out.WriteByte(' ')
		c.out.WriteString(number(p.y))
	}
	if closed && len(points) > 0 {
		c.out.WriteByte('Z')
	}
}

func (c *svgCanvas) text(at point, s textStyle, content string) {
	fmt.Fprintf(&c.out, `<text x="%s" y="%s" font-size="%s" fill="%s"`, number(at.x), number(at.y), number(s.size),
		hex(s.color))
	if s.bold {
		c.out.WriteString(` font-weight="bold"`)
	}
	switch s.anchor {
	case anchorMiddle:
		c.out.WriteString(` text-anchor="middle"`)
	case anchorEnd:
		c.out.WriteString(` text-anchor="end"`)
	}
	// Most viewers lack the typeface and use another one. Where that could make a text too wide, its width is set.
	const roomy = 0.8
	if s.most > 0 {
		width, err := c.faces.width(s, content)
		if err != nil {
			c.err = err
			return
		}
		if width > roomy*s.most {
			fmt.Fprintf(&c.out, ` textLength="%s" lengthAdjust="spacingAndGlyphs"`, number(width))
		}
	}
	fmt.Fprintf(&c.out, ">%s</text>\n", escape(content))
}

func (c *svgCanvas) group(name string) {
	c.endGroup()
	fmt.Fprintf(&c.out, "<g><title>%s</title>\n", escape(name))
	c.inGroup = true
}

func (c *svgCanvas) endGroup() {
	if c.inGroup {
		c.out.WriteString("</g>\n")
	}
	c.inGroup = false
}

func number(v float64) string { return strconv.FormatFloat(round(v), 'f', -1, 64) }

func hex(c rgb) string { return fmt.Sprintf("#%02x%02x%02x", c.r, c.g, c.b) }

// escape escapes text for use between tags. Characters that XML does not allow become U+FFFD.
func escape(text string) string {
	var out bytes.Buffer
	_ = xml.EscapeText(&out, []byte(text)) // writing to a bytes.Buffer never fails
	return out.String()
}
