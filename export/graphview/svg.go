package graphview

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/trackgen-go/trackgen/backend"
)

// Dimensions of the drawing, in pixels.
const (
	margin       = 16
	titleHeight  = 34
	boxHeight    = 44
	frameHeading = 28 // height of the heading of the frame around a body
	framePadding = 14
	gap          = 22 // between boxes, with room for an arrow
	textWidth    = 7.2
	minWidth     = 150
)

// SVG draws the graph from top to bottom: a box for each operation, and a dashed frame around the body of each
// conditional, loop or replayed graph.
func (v View) SVG(w io.Writer) error {
	width, height := measure(v.Operations)
	width = max(width, lettering(v.title()))
	d := drawing{w: bufio.NewWriter(w)}
	fmt.Fprintf(d.w,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="13">`+"\n",
		width+2*margin, height+titleHeight+2*margin)
	fmt.Fprintln(d.w,
		`<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#444"/></marker></defs>`)
	fmt.Fprintln(d.w, `<rect width="100%" height="100%" fill="#fff"/>`)
	d.text(margin, margin+14, "", "", "bold", v.title())
	d.column(margin, margin+titleHeight, width, v.Operations)
	fmt.Fprintln(d.w, `</svg>`)
	return d.w.Flush()
}

// drawing writes shapes. The bufio.Writer keeps the first error.
type drawing struct{ w *bufio.Writer }

// lettering returns the width that a text needs, in pixels.
func lettering(text string) int { return int(textWidth*float64(utf8.RuneCountInString(text))) + 24 }

// heading returns the heading of the frame around the body of an operation.
func heading(o backend.Operation) string {
	if s := size(o); s != "" {
		return name(o) + ", " + s
	}
	return name(o)
}

// extent returns the size of one operation.
func extent(o backend.Operation) (width, height int) {
	if len(o.Body) == 0 {
		return max(minWidth, lettering(name(o)), lettering(size(o))), boxHeight
	}
	width, height = measure(o.Body)
	return max(width+2*framePadding, lettering(heading(o))), height + frameHeading + framePadding
}

// measure returns the size of a column of operations.
func measure(operations []backend.Operation) (width, height int) {
	for i, o := range operations {
		w, h := extent(o)
		if i > 0 {
			height += gap
		}
		width, height = max(width, w), height+h
	}
	return width, height
}

// column draws operations in a column, each centred in the given width.
func (d drawing) column(x, y, width int, operations []backend.Operation) {
	center := x + width/2
	for i, o := range operations {
		if i > 0 {
			fmt.Fprintf(d.w, `<path d="M%d %dv%d" stroke="#444" fill="none" marker-end="url(#tip)"/>`+"\n", center, y, gap)
			y += gap
		}
		w, h := extent(o)
		left := center - w/2
		if len(o.Body) > 0 {
			fmt.Fprintf(d.w,
				`<rect x="%d" y="%d" width="%d" height="%d" rx="6" fill="%s" stroke="#666" stroke-dasharray="5 4"/>`+"\n",
				left, y, w, h, frameColour(o.Kind))
			d.text(left+12, y+19, "", "", "", heading(o))
			d.column(left, y+frameHeading, w, o.Body)
			y += h
			continue
		}
		fmt.Fprintf(d.w, `<g><title>%s</title><rect x="%d" y="%d" width="%d" height="%d" rx="6" fill="%s" stroke="#444"/>`,
			escape(o.Kernel), left, y, w, h, boxColour(o.Kind))
		d.text(center, y+19, "middle", "", "", name(o))
		d.text(center, y+36, "middle", "#666", "", size(o))
		fmt.Fprintln(d.w, `</g>`)
		y += h
	}
}

func frameColour(kind backend.OperationKind) string {
	if kind == backend.OperationReplay {
		return "#f6f6f6"
	}
	return "#fff8e8"
}

func boxColour(kind backend.OperationKind) string {
	if kind == backend.OperationLaunch {
		return "#e4eefb"
	}
	return "#eef2ee"
}

func (d drawing) text(x, y int, anchor, fill, weight, text string) {
	fmt.Fprintf(d.w, `<text x="%d" y="%d"`, x, y)
	for _, attribute := range [][2]string{{"text-anchor", anchor}, {"fill", fill}, {"font-weight", weight}} {
		if attribute[1] != "" {
			fmt.Fprintf(d.w, ` %s="%s"`, attribute[0], attribute[1])
		}
	}
	fmt.Fprintf(d.w, ">%s</text>\n", escape(text))
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // writing to a Builder never fails
	return b.String()
}
