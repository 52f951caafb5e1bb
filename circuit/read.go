package circuit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ReadFile reads a file of one circuit: see ReadFiles.
func ReadFile(path string, options Options) (*File, error) {
	files, err := ReadFiles(path, options)
	return only(path, files, err)
}

// Read reads a file of one circuit from r: see ReadAll.
func Read(name string, r io.Reader, options Options) (*File, error) {
	files, err := ReadAll(name, r, options)
	return only(name, files, err)
}

// only returns the only circuit of a file.
func only(name string, files []*File, err error) (*File, error) {
	if err != nil {
		return nil, err
	}
	if len(files) != 1 {
		return nil, &Error{File: name, Name: "the number of circuits", Value: strconv.Itoa(len(files)), Want: "1"}
	}
	return files[0], nil
}

// readCSV reads the centreline of a circuit. Memory is proportional to the number of points, which is at most
// MaxPoints.
func readCSV(name string, r io.Reader, options Options) (*File, error) {
	p := &parser{file: name, options: options, circuit: &File{Kind: "CSV"}}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, maxLine+4), maxLine+4) // a line, its end, and one more character
	lines.Split(splitLine)
	for lines.Scan() {
		p.line++
		if p.line > maxLines {
			return nil, &Error{File: name, Name: "the number of lines",
				Value: fmt.Sprintf("more than %d", maxLines), Want: "at most that"}
		}
		if len(lines.Bytes()) > maxLine {
			return nil, p.failLength()
		}
		if err := p.take(lines.Bytes()); err != nil {
			return nil, err
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		p.line++
		return nil, p.failLength()
	} else if err != nil {
		return nil, err
	}
	return p.finish()
}

// splitLine is a bufio.SplitFunc for lines that end with LF, CR LF, CR or the end of the file.
func splitLine(data []byte, atEOF bool) (advance int, token []byte, err error) {
	end := bytes.IndexAny(data, "\r\n")
	switch {
	case end < 0 && atEOF && len(data) > 0:
		return len(data), data, nil
	case end < 0:
		return 0, nil, nil
	case data[end] == '\r' && end+1 == len(data) && !atEOF:
		return 0, nil, nil // LF may follow
	case data[end] == '\r' && end+1 < len(data) && data[end+1] == '\n':
		return end + 2, data[:end], nil
	default:
		return end + 1, data[:end], nil
	}
}

// parser reads the lines of a file.
type parser struct {
	file    string
	options Options
	line    int
	header  header
	start   int // bytes before the first point
	circuit *File

	// The columns, known at the first point.
	separator byte
	columns   []Column // nil before the first point
	used      []int    // indices of the columns that are used
	degrees   bool     // the coordinates are longitude and latitude
	widths    bool     // the columns have widths
	hasZ      bool     // the columns have heights
	heights   heights  // of the points
	commas    bool     // a number has a decimal comma
}

// span is a range of numbers.
type span struct {
	lowest, highest float64
	known           bool
}

func (s *span) add(v float64) {
	if !s.known {
		*s = span{v, v, true}
	}
	s.lowest, s.highest = min(s.lowest, v), max(s.highest, v)
}

func (s *span) size() float64 { return s.highest - s.lowest }

// spanOf returns the range of values, or the zero span if there are none.
func spanOf(values []float64) (s span) {
	for _, v := range values {
		s.add(v)
	}
	return s
}

func (p *parser) fail(column int, name, value, want string) *Error {
	return &Error{File: p.file, Line: p.line, Column: column, Name: name, Value: value, Want: want}
}

// failField returns the error for field i of a point. If the contents of the columns are a guess, or the column can be
// left out, it refers to Options.Columns.
func (p *parser) failField(i int, field, want string) *Error {
	err := p.fail(i+1, string(p.columns[i].Content), quoted(field), want)
	if p.guessed() || p.columns[i].Content == ContentZ {
		err.Option = "Columns"
	}
	return err
}

// guessed reports whether neither the file nor the options give the contents of the columns.
func (p *parser) guessed() bool { return p.columns[0].Name == "" && p.options.Columns == nil }

func (p *parser) failLength() *Error {
	return p.fail(0, "the line", fmt.Sprintf("longer than %d bytes", maxLine),
		fmt.Sprintf("at most %d bytes long: a CSV file has one point on a line, with its numbers alone", maxLine))
}

func (p *parser) failNoPoint() *Error {
	return p.fail(0, "the number of points", "0: there is text, and no line of numbers", "at least 3")
}

// take parses one line, without its line end.
func (p *parser) take(text []byte) error {
	if at := bytes.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }); at >= 0 {
		return p.fail(0, fmt.Sprintf("byte %d", at+1), fmt.Sprintf("%#02x", text[at]), "text: this is not a CSV file")
	}
	data, comment, commented := cutComment(text)
	if p.columns == nil {
		if p.start += len(data) + len(comment); p.start > maxStart {
			return p.fail(0, "what comes before the first point", fmt.Sprintf("longer than %d bytes", maxStart), "shorter")
		}
	}
	if len(data) == 0 {
		if commented && p.columns == nil {
			p.header.addComment(p.line, comment)
		}
		return nil
	}
	if p.columns == nil {
		if bytes.HasPrefix(data, []byte("sep=")) {
			return nil // the separator, as Excel writes it
		}
		separator := separatorOfNumbers(data)
		if fields := split(data, separator); !p.header.isPoint(fields, separator) {
			p.header.addText(p.line, data, countNumbers(fields) > 0)
			return nil
		}
		if err := p.choose(data); err != nil {
			return err
		}
	}
	return p.takePoint(split(data, p.separator))
}

// cutComment splits a line into its data and the comment after it. A comment starts with #, or with % or // at the
// start of the line.
func cutComment(text []byte) (data, comment []byte, commented bool) {
	trimmed := bytes.TrimSpace(text)
	for _, mark := range []string{"%", "//"} {
		if bytes.HasPrefix(trimmed, []byte(mark)) {
			return nil, trimmed[len(mark):], true
		}
	}
	data, comment, commented = bytes.Cut(trimmed, []byte("#"))
	return bytes.TrimSpace(data), comment, commented
}

// choose determines the contents of the columns from the first point and the lines before it.
func (p *parser) choose(data []byte) (err error) {
	p.separator = separatorOfNumbers(data)
	if names := p.header.text; names != nil && names.hasPoint() && bytes.IndexByte(data, names.separator) >= 0 {
		p.separator = names.separator
	}
	fields := split(data, p.separator)
	n := len(fields)
	if fields[n-1] == "" && len(p.options.Columns) != n && !p.header.namesLast(n) {
		n-- // a separator at the end of the line
	}
	columns, notes, err := p.header.columns(p.file, p.line, n, p.separator, p.options)
	if err != nil {
		return err
	}
	if title := p.header.title; title != 0 {
		notes = append(notes, fmt.Sprintf("line %d is taken for a title", title))
	}
	p.columns, p.circuit.Columns, p.circuit.Notes = columns, columns, notes
	for i := range columns {
		columns[i].Name = cleanName(columns[i].Name)
		if p.options.Coordinates == CoordinatesDegrees {
			columns[i].Content = inDegrees(columns[i].Content)
		}
		switch columns[i].Content {
		case ContentRight, ContentWidth, ContentHalf:
			p.widths = true
			p.used = append(p.used, i)
		case ContentLatitude:
			p.degrees = true
			p.used = append(p.used, i)
		case ContentZ:
			p.hasZ = true
			p.used = append(p.used, i)
		case ContentNone:
		default:
			p.used = append(p.used, i)
		}
	}
	p.noteUnusedHeight()
	return nil
}

// noteUnusedHeight adds a note if the file has no heights, but for a column that may have them.
func (p *parser) noteUnusedHeight() {
	i := slices.IndexFunc(p.columns, func(c Column) bool { return !c.Used() && mayBeHeight(c.Name) })
	if i < 0 || p.hasZ || p.options.Columns != nil {
		return
	}
	p.circuit.Notes = append(p.circuit.Notes, fmt.Sprintf("column %d %s is not used; if it has the heights, its name "+
		"should be z", i+1, quoted(p.columns[i].Name)))
}

// inDegrees returns the content of a column if Options.Coordinates is CoordinatesDegrees.
func inDegrees(content Content) Content {
	switch content {
	case ContentX:
		return ContentLongitude
	case ContentY:
		return ContentLatitude
	}
	return content
}

// point is a point of the centreline, in metres; x and y may be longitude and latitude.
type point struct {
	x, y, right, left float64
	height            pointHeight
}

// takePoint parses a point.
func (p *parser) takePoint(fields []string) error {
	if n := len(p.columns); len(fields) == n+1 && fields[n] == "" {
		fields = fields[:n] // a separator at the end of the line
	}
	if len(fields) != len(p.columns) {
		return p.fail(0, "the number of columns", strconv.Itoa(len(fields)),
			fmt.Sprintf("%d, as on the lines before", len(p.columns)))
	}
	var at point
	for _, i := range p.used {
		if err := p.takeField(&at, i, fields[i]); err != nil {
			return err
		}
	}
	c := p.circuit
	if n := len(c.X); n > 0 && c.X[n-1] == at.x && c.Y[n-1] == at.y {
		c.Repeated++
		return nil
	}
	if len(c.X) >= MaxPoints {
		return p.fail(0, "the number of points", fmt.Sprintf("more than %d", MaxPoints), "at most that")
	}
	c.X, c.Y, c.lines = append(c.X, at.x), append(c.Y, at.y), append(c.lines, p.line)
	if p.hasZ {
		p.heights = append(p.heights, at.height)
	}
	if p.widths {
		c.Right, c.Left = append(c.Right, at.right), append(c.Left, at.left)
	}
	return nil
}

// takeField parses the field of column i, which is used.
func (p *parser) takeField(at *point, i int, field string) error {
	column := p.columns[i]
	if column.Content == ContentZ && strings.TrimSpace(field) == "" {
		return nil // a point without a height
	}
	v, err := parseNumber(field)
	if err != nil {
		return p.failField(i, field, "a number such as 12.5")
	}
	p.commas = p.commas || strings.Contains(field, ",")
	v *= column.Scale
	if want := wantValue(column.Content, v); want != "" {
		return p.failField(i, field, want)
	}
	switch column.Content {
	case ContentX, ContentLongitude:
		at.x = v
	case ContentY, ContentLatitude:
		at.y = v
	case ContentZ:
		at.height = pointHeight{v, true}
	case ContentRight:
		at.right = v
	case ContentLeft:
		at.left = v
	case ContentHalf:
		at.right, at.left = v, v
	case ContentWidth:
		at.right, at.left = v/2, v/2
	}
	return nil
}

// finish converts degrees to metres and returns the circuit, with notes about what was assumed or not used.
func (p *parser) finish() (*File, error) {
	c := p.circuit
	if p.columns == nil && p.header.text != nil {
		p.line = 0
		return nil, p.failNoPoint()
	}
	if p.commas {
		c.Notes = append(c.Notes, "the numbers have decimal commas")
	}
	if p.degrees {
		lines, projection, err := project(p.file, [][]vector{c.points()}, nil)
		if err != nil {
			return nil, err
		}
		for i, v := range lines[0] {
			c.X[i], c.Y[i] = v.x, v.y
		}
		c.Projection = projection
	}
	y := spanOf(c.Y)
	if x := spanOf(c.X); len(c.X) > 1 && (x.size() == 0 || y.size() == 0) {
		name, other := "x", c.Y
		if y.size() == 0 {
			name, other = "y", c.X
		}
		if monotonic(other) {
			return c, nil // an open straight line, which checkTurns refuses
		}
		return nil, &Error{File: p.file, Name: "the range of " + name, Value: "0 m: it is the same at all points",
			Want: "more: is " + name + " in another column?", Option: "Columns"}
	}
	c.setHeights(p.heights)
	if z := spanOf(c.Z); z.size() > y.size() && p.options.Columns == nil {
		return nil, &Error{File: p.file, Name: "the range of the heights", Value: fmt.Sprintf("%s m, and that of y %s m",
			number(z.size()), number(y.size())), Want: "less than that of y: is y the height?", Option: "Columns"}
	}
	return c, nil
}

// monotonic reports whether values only rise or only fall.
func monotonic(values []float64) bool {
	rises, falls := false, false
	for i := 1; i < len(values); i++ {
		rises = rises || values[i] > values[i-1]
		falls = falls || values[i] < values[i-1]
	}
	return rises != falls
}

// quoted returns a field of a file in quotes, shortened, with control characters escaped.
func quoted(field string) string {
	const most = 40
	if len(field) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(field[cut]) {
			cut--
		}
		field = field[:cut] + "..."
	}
	return strconv.Quote(field)
}

// number formats a number with the fewest digits that represent it, at most 6.
func number(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}
