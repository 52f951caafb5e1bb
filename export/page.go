package export

import (
	"bytes"
	"fmt"
	"image/png"
	"io"
)

// writePageSVG writes a page as SVG 1.1. draw draws its contents.
func writePageSVG(w io.Writer, width, height float64, title string, draw func(canvas) error) error {
	c := newSVGCanvas()
	fmt.Fprintf(&c.out, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]s" height="%[2]s" viewBox="0 0 %[1]s %[2]s"`+
		` font-family="Go, 'Helvetica Neue', Arial, sans-serif">`+"\n<title>%[3]s</title>\n", number(width), number(height),
		escape(printable(title)))
	if err := draw(c); err != nil {
		return err
	}
	return c.finish(w)
}

// writePagePNG writes a page as a PNG image. draw draws its contents.
func writePagePNG(w io.Writer, width, height float64, draw func(canvas) error) error {
	c := newPixelCanvas(width, height, 1)
	if err := draw(c); err != nil {
		return err
	}
	if c.err != nil {
		return c.err
	}
	var out bytes.Buffer
	if err := png.Encode(&out, c.image); err != nil {
		return err
	}
	_, err := out.WriteTo(w)
	return err
}

// drawTitle draws an empty page with a heading.
func drawTitle(c canvas, faces *faces, width, height float64, title string) error {
	c.fill([][]point{rectangle(0, 0, width, height)}, pageColor)
	heading, err := faces.fit(titleStyle, printable(title), width-2*pageMargin)
	if err != nil {
		return err
	}
	style := titleStyle
	style.most = width - 2*pageMargin
	c.text(point{pageMargin, pageMargin + 17}, style, heading)
	return nil
}
