package export

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// canvas is a surface for drawing: SVG or pixels. Coordinates are in pixels of the SVG, from the top left corner, y
// down.
type canvas interface {
	// fill fills closed contours by the nonzero rule.
	fill(contours [][]point, c rgb)
	// line strokes a polyline.
	line(points []point, s stroke)
	// text writes one line of text with its baseline at y = at.y.
	text(at point, s textStyle, content string)
	// group names everything drawn until the next call of group, for tooltips and screen readers.
	group(name string)
}

type point struct{ x, y float64 }

type rgb struct{ r, g, b uint8 }

type stroke struct {
	width  float64
	color  rgb
	closed bool
	dash   float64 // length of the dashes and of the gaps between them; 0 for a solid line
}

type anchor uint8

const (
	anchorStart anchor = iota
	anchorMiddle
	anchorEnd
)

type textStyle struct {
	size   float64 // pixels per em
	color  rgb
	bold   bool
	anchor anchor
	most   float64 // maximum width of the text in any font; 0: unlimited
}

// round rounds a coordinate to 1/100 pixel. That is precise enough for the eye, short in SVG, and the same on every
// processor, whether or not its compiler fuses multiplications and additions.
func round(v float64) float64 { return math.Round(float64(v*100)) / 100 }

// distance is math.Hypot without fused arithmetic. Coordinates are far too small for their squares to overflow.
func distance(a, b point) float64 {
	dx, dy := b.x-a.x, b.y-a.y
	return math.Sqrt(float64(dx*dx) + float64(dy*dy))
}

// fonts returns the typefaces: Go Regular and Go Bold. They are embedded in the program, so pictures do not depend on
// the installed fonts.
var fonts = sync.OnceValues(func() (f struct{ regular, bold *sfnt.Font }, err error) {
	if f.regular, err = opentype.Parse(goregular.TTF); err != nil {
		return f, fmt.Errorf("export: the built-in font: %w", err)
	}
	if f.bold, err = opentype.Parse(gobold.TTF); err != nil {
		return f, fmt.Errorf("export: the built-in font: %w", err)
	}
	return f, nil
})

func typeface(s textStyle) (*sfnt.Font, error) {
	all, err := fonts()
	if err != nil {
		return nil, err
	}
	if s.bold {
		return all.bold, nil
	}
	return all.regular, nil
}

// faces caches the typefaces in each size in use. It must not be used by several goroutines at the same time.
type faces struct {
	density float64 // device pixels per pixel
	cache   map[faceKey]font.Face
	buffer  sfnt.Buffer
}

type faceKey struct {
	size float64
	bold bool
}

func newFaces(density float64) *faces {
	return &faces{density: density, cache: map[faceKey]font.Face{}}
}

func (f *faces) face(s textStyle) (font.Face, error) {
	key := faceKey{s.size, s.bold}
	if face := f.cache[key]; face != nil {
		return face, nil
	}
	source, err := typeface(s)
	if err != nil {
		return nil, err
	}
	// At 72 dots per inch, one point is one pixel.
	face, err := opentype.NewFace(source, &opentype.FaceOptions{Size: s.size * f.density, DPI: 72,
		Hinting: font.HintingNone})
	if err != nil {
		return nil, fmt.Errorf("export: the built-in font: %w", err)
	}
	f.cache[key] = face
	return face, nil
}

// width returns the width of a line of text, in device pixels. A character that the typeface lacks, which a viewer of
// SVG takes from another typeface, counts as a square.
func (f *faces) width(s textStyle, content string) (float64, error) {
	face, err := f.face(s)
	if err != nil {
		return 0, err
	}
	source, err := typeface(s)
	if err != nil {
		return 0, err
	}
	width := fromFixed(font.MeasureString(face, content))
	for _, r := range content {
		glyph, err := source.GlyphIndex(&f.buffer, r)
		if err != nil {
			return 0, fmt.Errorf("export: the built-in font: %w", err)
		}
		if glyph == 0 {
			advance, _ := face.GlyphAdvance(r)
			width += max(0, s.size*f.density-fromFixed(advance))
		}
	}
	return width, nil
}

// fit shortens content to a maximum width and ends shortened text with an ellipsis.
func (f *faces) fit(s textStyle, content string, most float64) (string, error) {
	w, err := f.width(s, content)
	if err != nil || w <= most {
		return content, err
	}
	const ellipsis = "…"
	start, err := f.longestStart(s, content, ellipsis, most)
	if err != nil || start == "" {
		return "", err
	}
	return start + ellipsis, nil
}

// longestStart returns the longest start of content that is, with the suffix, at most as wide as most.
func (f *faces) longestStart(s textStyle, content, suffix string, most float64) (string, error) {
	runes := []rune(content)
	var failed error
	n := sort.Search(len(runes), func(n int) bool {
		w, err := f.width(s, string(runes[:n+1])+suffix)
		failed = errors.Join(failed, err)
		return w > most
	})
	return string(runes[:n]), failed
}

// wrap breaks content into lines of a maximum width. It breaks behind blanks, hyphens, underscores and commas if the
// line is then at least half full, and otherwise anywhere. The last of the lines may end in an ellipsis.
func (f *faces) wrap(s textStyle, content string, most float64, lines int) ([]string, error) {
	var out []string
	for ; lines > 1; lines-- {
		w, err := f.width(s, content)
		if err != nil {
			return nil, err
		}
		if w <= most {
			break
		}
		start, err := f.longestStart(s, content, "", most)
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(content[len(start):], " ") {
			start += " "
		}
		if i := strings.LastIndexAny(start, " -_,"); i >= len(start)/2 {
			start = start[:i+1]
		}
		out = append(out, strings.TrimRight(start, " "))
		content = strings.TrimLeft(content[len(start):], " ")
	}
	last, err := f.fit(s, content, most)
	return append(out, last), err
}

// outlines returns the contours of a line of text that starts at the origin, in device pixels. It does not use the
// glyphs that font.Face draws, because their pixels differ between processors.
func (f *faces) outlines(s textStyle, content string) ([][]point, error) {
	face, err := f.face(s)
	if err != nil {
		return nil, err
	}
	source, err := typeface(s)
	if err != nil {
		return nil, err
	}
	var contours [][]point
	x := 0.0
	before := rune(-1)
	for _, r := range content {
		if before >= 0 {
			x += fromFixed(face.Kern(before, r))
		}
		glyph, err := source.GlyphIndex(&f.buffer, r)
		if err != nil {
			return nil, fmt.Errorf("export: the built-in font: %w", err)
		}
		segments, err := source.LoadGlyph(&f.buffer, glyph, toFixed(s.size*f.density), nil)
		if err != nil {
			return nil, fmt.Errorf("export: the built-in font: %w", err)
		}
		contours = append(contours, flatten(segments, x)...)
		advance, _ := face.GlyphAdvance(r)
		x += fromFixed(advance)
		before = r
	}
	return contours, nil
}

// flatten converts the curves of a glyph into polylines and moves them right by dx.
func flatten(segments sfnt.Segments, dx float64) [][]point {
	const pieces = 6 // per curve; glyphs are small
	var contours [][]point
	at := func(p fixed.Point26_6) point { return point{dx + fromFixed(p.X), fromFixed(p.Y)} }
	add := func(p point) { contours[len(contours)-1] = append(contours[len(contours)-1], p) }
	var pen point
	for _, segment := range segments {
		a, b, c := at(segment.Args[0]), at(segment.Args[1]), at(segment.Args[2])
		switch segment.Op {
		case sfnt.SegmentOpMoveTo:
			contours = append(contours, []point{a})
			pen = a
		case sfnt.SegmentOpLineTo:
			add(a)
			pen = a
		case sfnt.SegmentOpQuadTo:
			for i := 1.0; i <= pieces; i++ {
				t := i / pieces
				add(between(between(pen, a, t), between(a, b, t), t))
			}
			pen = b
		case sfnt.SegmentOpCubeTo:
			for i := 1.0; i <= pieces; i++ {
				t := i / pieces
				ab, bc := between(a, b, t), between(b, c, t)
				add(between(between(between(pen, a, t), ab, t), between(ab, bc, t), t))
			}
			pen = c
		}
	}
	return contours
}

// between returns the point at fraction t of the way from a to b.
func between(a, b point, t float64) point {
	return point{a.x + float64(t*(b.x-a.x)), a.y + float64(t*(b.y-a.y))}
}

func fromFixed(v fixed.Int26_6) float64 { return float64(v) / 64 }
func toFixed(v float64) fixed.Int26_6   { return fixed.Int26_6(math.Round(v * 64)) }
