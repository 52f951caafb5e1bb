package export

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/trackgen-go/trackgen/track"
)

// Picture holds the options of a picture: a grid of tracks or of gate courses, each in a cell with its env and seed.
// Invalid ones are drawn in red with the reason; one without finite points shows only the reason. Texts that are wider
// than a cell take two lines, and longer ones end in an ellipsis. The zero value is ready for use.
//
// The road of a track is filled between its borders. The start line crosses it at point 0, and an arrow shows the
// direction of travel. If one of the tracks has heights, the colours of the roads show them, and each cell has a
// profile of the height over the way, in which the steepest place is marked. All tracks have the same range of heights,
// unless they lie at altitudes that differ by more than each of them rises. A coloured road is at least 4 pixels wide.
//
// A gate is a bar between its two posts, with its number. A line connects the gates in their order, with arrows, and
// the first gate is marked. If the gates of one of the courses differ in height, their colours show the heights.
//
// All valid courses have the same scale, so that their sizes can be compared; a bar shows the scale. An invalid one may
// have any size, so it is shrunk to its cell if necessary.
type Picture struct {
	Envs     []int    // envs of the batch to show, in this order; nil: the first DefaultTracks
	Numbers  []int    // number shown for each env of the batch, if the batch is part of a larger one; nil: its index
	Labels   []string // heading of each env of the batch, such as the name of a circuit; nil: env and seed
	Kinds    []string // shown below each env of the batch, such as its generator in a mixed batch; nil: nothing
	Unit     string   // unit of lengths, such as "m"; empty: track units
	Columns  int      // cells per row; 0: chosen so that the page is slightly wider than high
	CellSize int      // side of a cell in pixels, 100 to 2000; 0: DefaultCellSize, or more for what has more details
	FitCells bool     // fit each course to its cell instead of using one scale of lengths and heights for all
	View     View     // where the courses are seen from; empty: ViewAbove

	// Layers are drawn over each env of the batch, such as its checkpoints and the distances to its borders; nil: nothing.
	// With layers, colours of roads and gates show no heights.
	Layers []CourseLayers

	Title   string  // heading; may be empty
	Density float64 // PNG: pixels of the image per pixel of the layout, 0.5 to 8; 0: 1
}

// ErrPicture matches the errors of a Picture with options that cannot be drawn.
var ErrPicture = errors.New("export: invalid picture")

type pictureError struct{ text string }

func errPicture(format string, args ...any) error {
	return &pictureError{fmt.Sprintf(format, args...)}
}

func (e *pictureError) Error() string { return e.text }

// Is reports that every pictureError matches ErrPicture.
func (e *pictureError) Is(target error) bool { return target == ErrPicture }

// Defaults of Picture.
const (
	DefaultTracks   = 30
	DefaultCellSize = 220
)

// Limits of Picture.
const (
	minCellSize, maxCellSize = 100, 2000
	minDensity, maxDensity   = 0.5, 8
	maxSide                  = 1 << 15 // pixels of the image
	maxPixels                = 1 << 26 // pixels of the image
)

// Dimensions of the page, in pixels.
const (
	pageMargin    = 16
	cellGap       = 10
	titleHeight   = 34
	footerHeight  = 26
	labelHeight   = 24
	noteHeight    = 20
	lineHeight    = 15  // of further lines of a label or a note
	mostLines     = 2   // of a label, and of a note
	roomyCell     = 180 // side of a cell with room for more than one line of a note
	seedGap       = 6   // at least, between a label and the seed behind it
	cellPadding   = 10
	obliqueHeight = 0.8 // of a cell of the oblique view, without its profile, as a fraction of its width
	narrowRoad    = 5   // a narrower road is drawn without a centreline
)

// Maximum lengths of the lines of a track, in sides of a cell. A longer centreline is drawn without dashes. A track
// with longer borders is not drawn, because nothing could be recognized. Real tracks have lines of a few sides to about
// ten.
const (
	longestDashed = 100
	longestDrawn  = 1000
)

// Colours: dark asphalt on white cards, signal yellow for the start and the direction, muted red for invalid tracks.
var (
	pageColor    = rgb{0xf4, 0xf3, 0xef}
	cardColor    = rgb{0xff, 0xff, 0xff}
	cardEdge     = rgb{0xdd, 0xda, 0xd2}
	textColor    = rgb{0x26, 0x2b, 0x33}
	mutedColor   = rgb{0x7b, 0x81, 0x8a}
	roadColor    = rgb{0x5b, 0x64, 0x70}
	borderColor  = rgb{0x2a, 0x30, 0x39}
	dashColor    = rgb{0xf2, 0xf3, 0xf5}
	startColor   = rgb{0xff, 0xc2, 0x1a}
	invalidText  = rgb{0xa8, 0x3a, 0x32}
	invalidRoad  = rgb{0xee, 0xcb, 0xc6}
	invalidEdge  = rgb{0xc4, 0x73, 0x69}
	invalidDash  = rgb{0xff, 0xff, 0xff}
	invalidStart = rgb{0xa8, 0x3a, 0x32}
	gateColor    = rgb{0x1f, 0x6f, 0xb2}
	orderColor   = rgb{0xae, 0xb4, 0xbd}
	groundColor  = rgb{0xf7, 0xf6, 0xf2}
	shadowColor  = rgb{0xd6, 0xd4, 0xcd}
	poleColor    = rgb{0x9a, 0x9e, 0xa5}
	markColor    = rgb{0xd5, 0x5e, 0x00} // stands out from all colours of heights
)

var (
	titleStyle = textStyle{size: 17, color: textColor, bold: true}
	labelStyle = textStyle{size: 12, color: textColor, bold: true}
	seedStyle  = textStyle{size: 11, color: mutedColor, anchor: anchorEnd}
	noteStyle  = textStyle{size: 11, color: mutedColor}
	scaleStyle = textStyle{size: 11, color: mutedColor}
)

// subject is what a picture shows: the tracks or the gate courses of a batch.
type subject interface {
	envs() int
	things() string // such as "tracks"
	isValid(e int) bool
	reasons(e int) []string
	seedOf(e int) (seed, epoch int32)
	noteOf(e int, unit string) string // what is said below a valid course

	// survey measures env e. visit calls take with the points of everything that the camera shows of it.
	survey(e int) survey
	visit(e int, c camera, take func(point))

	// figure returns the drawing of env e.
	figure(p *page, e int, t projection) figure

	// hasProfile reports whether the cells show profiles of heights.
	hasProfile() bool
	// hitText says what a car is that hits something, such as "out of bounds".
	hitText() string
	// cellSize returns the default of Picture.CellSize.
	cellSize(p *page) int
}

// survey holds the measures of a course by which views and colours are chosen.
type survey struct {
	plan      bounds   // of everything, seen from above
	spread    float64  // size of the plan of the middles
	heights   interval // of the middle of the road or of the gates
	clearance float64  // how far things reach below these heights; heights are enlarged without it
	hills     bool     // whether heights differ
}

// figure is a course that is ready to be drawn.
type figure struct {
	longest float64 // length of its longest line, in pixels
	draw    func(c canvas)
}

// page is a picture with its defaults filled in and its cells laid out.
type page struct {
	Picture
	subject
	width, height float64
	cellHeight    float64
	profile       float64 // height of the profile in each cell; 0 if there are none
	scale         float64 // pixels per unit of length of the valid courses; 0 if each has its own scale
	faces         *faces
	surveys       map[int]survey   // by env
	common        survey           // of all valid courses together
	ranges        layerRanges      // of the colours of the layers
	ownHeights    bool             // whether each course has a range of heights of its own
	hills         bool             // whether colours show heights
	texts         map[int]cellText // by env
	heading, foot float64          // heights of the labels and of the notes, the same in all cells
	footer        []footerItem
	footerTop     float64
	failed        error // of a figure that could not be drawn
}

// cellText holds the texts of a cell, in lines that fit.
type cellText struct {
	name   string // all of them, for tooltips
	label  []styledText
	beside []styledText // the seed behind the label; none if it stands below
	note   []styledText
}

// styledText is a line of text.
type styledText struct {
	textStyle
	content string
}

func styled(s textStyle, lines []string, most float64) (out []styledText) {
	s.most = most
	for _, line := range lines {
		out = append(out, styledText{s, line})
	}
	return out
}

// layOut lays out a picture of tracks. It checks the picture and computes everything that does not depend on the
// canvas.
func layOut(b *track.Batch, p Picture) (*page, error) {
	if err := checkBatch(b); err != nil {
		return nil, err
	}
	return layOutPage(trackSubject{b}, p)
}

func layOutPage(s subject, p Picture) (*page, error) {
	if p.Envs == nil {
		for e := range min(s.envs(), DefaultTracks) {
			p.Envs = append(p.Envs, e)
		}
	}
	if p.Density == 0 {
		p.Density = 1
	}
	if p.View == "" {
		p.View = ViewAbove
	}
	if err := p.check(s); err != nil {
		return nil, err
	}
	if p.Columns == 0 {
		p.Columns = int(math.Ceil(math.Sqrt(float64(len(p.Envs)) * 6 / 5)))
	}
	p.Columns = min(p.Columns, len(p.Envs))
	out := &page{Picture: p, subject: s, faces: newFaces(1)}
	out.takeSurveys()
	out.ranges = out.takeRanges()
	if out.CellSize == 0 {
		out.CellSize = s.cellSize(out)
	}
	return out, out.arrange()
}

// check returns an error that matches ErrPicture for options that cannot be drawn.
func (p *Picture) check(s subject) error {
	if len(p.Envs) == 0 {
		return errPicture("export: the picture shows no %s: expected at least one", s.things())
	}
	for _, e := range p.Envs {
		if e < 0 || e >= s.envs() {
			return errPicture("export: the picture shows env %d: must be 0 to %d", e, s.envs()-1)
		}
	}
	for _, list := range []struct {
		does   string
		absent bool
		length int
	}{
		{"numbers", p.Numbers == nil, len(p.Numbers)},
		{"labels", p.Labels == nil, len(p.Labels)},
		{"has kinds of", p.Kinds == nil, len(p.Kinds)},
	} {
		if !list.absent && list.length != s.envs() {
			return errPicture("export: the picture %s %d envs: expected %d, one for each env of the batch", list.does,
				list.length, s.envs())
		}
	}
	switch {
	case p.Columns < 0:
		return errPicture("export: columns is %d: must be at least 1", p.Columns)
	case p.CellSize != 0 && (p.CellSize < minCellSize || p.CellSize > maxCellSize):
		return errPicture("export: the cell size is %d: must be %d to %d pixels", p.CellSize, minCellSize, maxCellSize)
	case !(p.Density >= minDensity && p.Density <= maxDensity):
		return errPicture("export: the density is %v: must be %v to %v", p.Density, minDensity, maxDensity)
	case !slices.Contains(Views(), p.View):
		return errPicture("export: the view is %q: must be one of %v", p.View, Views())
	}
	return p.checkLayers(s)
}

// arrange computes the size of the page and of its parts.
func (p *page) arrange() error {
	rows := (len(p.Envs) + p.Columns - 1) / p.Columns
	p.cellHeight = float64(p.CellSize)
	if p.View == ViewOblique {
		p.cellHeight = math.Round(obliqueHeight * p.cellHeight)
	}
	if p.hasProfile() && p.hills {
		p.profile = max(smallestProfile, math.Round(profilePart*float64(p.CellSize)))
		p.cellHeight += p.profile
	}
	p.width = float64(2*pageMargin + p.Columns*(p.CellSize+cellGap) - cellGap)
	p.height = p.top() + float64(rows)*(p.cellHeight+cellGap) - cellGap + pageMargin
	if w, h := p.width*p.Density, p.height*p.Density; w > maxSide || h > maxSide || w*h > maxPixels {
		return errPicture(
			"export: %d %s in cells of %d pixels make a picture of %.0f x %.0f: at most %d a side and %d in all; show "+
				"fewer %[2]s", len(p.Envs), p.things(), p.CellSize, w, h, maxSide, maxPixels)
	}
	if err := p.layOutTexts(); err != nil {
		return err
	}
	if !p.FitCells {
		p.scale = p.commonScale()
	}
	return p.layOutFooter()
}

// takeSurveys measures the courses of the picture.
func (p *page) takeSurveys() {
	p.surveys = make(map[int]survey, len(p.Envs))
	all := survey{plan: noBounds(), heights: noInterval()}
	valid := all
	tallest := 0.0
	for _, e := range p.Envs {
		s := p.survey(e)
		p.surveys[e] = s
		p.hills = p.hills || s.hills && p.Layers == nil
		all.add(s)
		if p.isValid(e) {
			valid.add(s)
			tallest = max(tallest, s.heights.size())
		}
	}
	if p.common = valid; valid.plan.empty() {
		p.common = all
	}
	// Circuits may lie at altitudes that differ by more than each of them rises.
	const apart = 3
	p.ownHeights = p.hasProfile() && (p.FitCells || p.common.heights.size() > apart*tallest)
}

// add widens s so that it holds for another course as well. Of the plans, only the sizes matter.
func (s *survey) add(other survey) {
	if other.plan.empty() {
		return
	}
	s.heights = s.heights.and(other.heights)
	s.clearance, s.spread = max(s.clearance, other.clearance), max(s.spread, other.spread)
	size := other.plan.size()
	if !s.plan.empty() {
		size = max(size, s.plan.size())
	}
	s.plan = bounds{max: point{size, size}}
}

// scopeOf returns the survey by which the view and the colours of env e are chosen. It is that of all valid courses,
// but for what env e has of its own.
func (p *page) scopeOf(e int) survey {
	own, scope := p.surveys[e], p.common
	if p.FitCells {
		scope = own
		if !p.ownHeights {
			scope.heights = p.common.heights
		}
	}
	if p.ownHeights || own.heights.low < scope.heights.low || own.heights.high > scope.heights.high {
		scope.heights, scope.clearance = own.heights, own.clearance
	}
	return scope
}

// cameraOf returns the camera of env e.
func (p *page) cameraOf(e int) camera {
	if p.View != ViewOblique {
		return fromAbove
	}
	s := p.scopeOf(e)
	if s.heights.empty() {
		return obliquely(0, 1)
	}
	lift := liftFor(s.spread, s.heights.size())
	return obliquely(groundFor(s.heights, s.clearance/lift), lift)
}

// shown returns the bounds of everything drawn for env e, in units of length.
func (p *page) shown(e int, c camera) bounds {
	out := noBounds()
	p.visit(e, c, func(at point) { out = out.with(at) })
	if l := p.layersOf(e); l != nil {
		l.visit(c, func(at point) { out = out.with(at) })
	}
	if c.oblique() && !out.empty() && !p.surveys[e].plan.empty() {
		for _, corner := range p.groundOf(e).corners() {
			out = out.with(c.flat(corner))
		}
	}
	return out
}

// top returns the y coordinate of the first row of cells.
func (p *page) top() float64 {
	if p.Title == "" {
		return pageMargin
	}
	return pageMargin + titleHeight
}

// plotSize returns the size of the area for a track inside a cell.
func (p *page) plotSize() (width, height float64) {
	return float64(p.CellSize - 2*cellPadding), p.cellHeight - p.profile - cellPadding - p.heading - p.foot
}

// commonScale returns the largest scale at which every valid course of the picture fits; 0 if none limits it.
func (p *page) commonScale() float64 {
	scale := math.Inf(1)
	for _, e := range p.Envs {
		if p.isValid(e) {
			scale = min(scale, p.fitScale(p.shown(e, p.cameraOf(e))))
		}
	}
	if math.IsInf(scale, 1) {
		return 0
	}
	return scale
}

// draw draws the whole page.
func (p *page) draw(c canvas) error {
	c.fill([][]point{rectangle(0, 0, p.width, p.height)}, pageColor)
	if p.Title != "" {
		title, err := p.faces.fit(titleStyle, printable(p.Title), p.width-2*pageMargin)
		if err != nil {
			return err
		}
		style := titleStyle
		style.most = p.width - 2*pageMargin
		c.text(point{pageMargin, pageMargin + 17}, style, title)
	}
	for i, e := range p.Envs {
		left := float64(pageMargin + i%p.Columns*(p.CellSize+cellGap))
		top := p.top() + float64(i/p.Columns)*(p.cellHeight+cellGap)
		if err := p.drawCell(c, e, left, top); err != nil {
			return err
		}
	}
	p.drawFooter(c)
	return p.failed
}

// layOutTexts fits the texts of all cells, and sets the heights that the longest of them need.
func (p *page) layOutTexts() error {
	p.texts = make(map[int]cellText, len(p.Envs))
	labels, notes := 1, 1
	for _, e := range p.Envs {
		text, err := p.textOf(e)
		if err != nil {
			return err
		}
		p.texts[e] = text
		labels, notes = max(labels, len(text.label)), max(notes, len(text.note))
	}
	p.heading, p.foot = labelHeight+lineHeight*float64(labels-1), noteHeight+lineHeight*float64(notes-1)
	return nil
}

// textOf returns the texts of the cell of env e.
func (p *page) textOf(e int) (cellText, error) {
	env := e
	if p.Numbers != nil {
		env = p.Numbers[e]
	}
	label := "env " + strconv.Itoa(env)
	first, epoch := p.seedOf(e)
	seed := "seed " + strconv.Itoa(int(first))
	if epoch != 0 {
		seed += ", epoch " + strconv.Itoa(int(epoch))
	}
	if p.Labels != nil {
		label, seed = printable(p.Labels[e]), ""
	}
	note, noted := p.noteBelow(e)
	text := cellText{name: strings.TrimSuffix(label+", "+seed, ", ") + ": " + note}

	width := float64(p.CellSize - 2*cellPadding)
	labelWidth, err := p.faces.width(labelStyle, label)
	if err != nil {
		return text, err
	}
	seedWidth, err := p.faces.width(seedStyle, seed)
	if err != nil {
		return text, err
	}
	labelLines, noteLines := mostLines, mostLines
	if p.CellSize < roomyCell {
		noteLines = 1
	}
	below := false // whether the seed stands below the label
	switch {
	case seed == "":
	case labelWidth+seedGap+seedWidth <= width, p.CellSize < roomyCell:
		labelLines = 1
		most := width - labelWidth - seedGap
		if seed, err = p.faces.fit(seedStyle, seed, most); err != nil {
			return text, err
		}
		text.beside = styled(seedStyle, []string{seed}, most)
	default:
		labelLines, below = 1, true
	}
	lines, err := p.faces.wrap(labelStyle, label, width, labelLines)
	if err != nil {
		return text, err
	}
	text.label = styled(labelStyle, lines, width)
	if below {
		style := seedStyle
		style.anchor = anchorStart
		if seed, err = p.faces.fit(style, seed, width); err != nil {
			return text, err
		}
		text.label = append(text.label, styled(style, []string{seed}, width)...)
	}
	lines, err = p.faces.wrap(noted, note, width, noteLines)
	text.note = styled(noted, lines, width)
	return text, err
}

// noteBelow returns the note below env e: its measures, or why it is invalid.
func (p *page) noteBelow(e int) (string, textStyle) {
	style := noteStyle
	note := p.noteOf(e, p.Unit)
	if !p.isValid(e) {
		note, style.color = strings.Join(p.reasons(e), ", "), invalidText
	}
	note += p.layersNote(e)
	if heights := p.surveys[e].heights; p.hills && !heights.empty() {
		note += ", " + heightsText(heights, p.Unit)
	}
	if p.View == ViewOblique && !p.surveys[e].plan.empty() {
		note += ", " + p.viewText(e)
	}
	if p.Kinds != nil && p.Kinds[e] != "" {
		note = printable(p.Kinds[e]) + ": " + note
	}
	return note, style
}

// heightsText says between which heights a course lies.
func heightsText(heights interval, unit string) string {
	return "height " + rangeText(heights, unit)
}

// heightText formats a height with a minus sign in place of a hyphen, behind which a line could be broken.
func heightText(v float64) string { return strings.ReplaceAll(shortNumber(v, 3), "-", "−") }

// lengthText formats a length with about four digits, and adds its unit.
func lengthText(v float64, unit string) string {
	return withUnit(shortNumber(v, 4), unit)
}

// withUnit adds a unit to a number.
func withUnit(number, unit string) string { return strings.TrimSuffix(number+" "+printable(unit), " ") }

// shortNumber formats a number with the given number of digits. It writes more digits where the alternative is an
// exponent.
func shortNumber(v float64, digits int) string {
	if size := math.Abs(v); size >= math.Pow10(digits-1) && size < 1e9 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}

// drawCell draws the card of env e.
func (p *page) drawCell(c canvas, e int, left, top float64) error {
	width := float64(p.CellSize)
	text := p.texts[e]
	var drawing figure
	t, drawn := p.projection(e, left, top)
	if drawn {
		drawing = p.figure(p, e, t)
	}
	if drawing.longest > longestDrawn*width {
		drawn = false
		noted := noteStyle
		noted.color = invalidText
		note := fmt.Sprintf("not drawn: longer than %d cells", longestDrawn)
		text.name += ", " + note
		fitting, err := p.faces.fit(noted, note, width-2*cellPadding)
		if err != nil {
			return err
		}
		text.note = styled(noted, []string{fitting}, width-2*cellPadding)
	}
	c.group(text.name)
	c.fill([][]point{rectangle(left, top, width, p.cellHeight)}, cardColor)
	c.line(rectangle(left+0.5, top+0.5, width-1, p.cellHeight-1), stroke{width: 1, color: cardEdge, closed: true})
	for i, line := range text.label {
		c.text(point{left + cellPadding, top + 17 + lineHeight*float64(i)}, line.textStyle, line.content)
	}
	for _, seed := range text.beside {
		c.text(point{left + width - cellPadding, top + 17}, seed.textStyle, seed.content)
	}
	for i, line := range text.note {
		y := top + p.cellHeight - 8 - lineHeight*float64(len(text.note)-1-i)
		c.text(point{left + cellPadding, y}, line.textStyle, line.content)
	}
	if drawn {
		drawing.draw(c)
	}
	return nil
}

// printable replaces unprintable characters with spaces.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
}
