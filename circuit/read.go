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

// readCSV reads the centreline of a circuit. The memory it needs is proportional to the number of points, at most
// MaxPoints.
func readCSV(name string, r io.Reader, options Options) (*File, error) {
	p := &parser{file: name, circuit: &File{Kind: "CSV"}}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, maxLine+4), maxLine+4) // a line, its end, and one character more
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
	return p.circuit, nil
}

// splitLine is a bufio.SplitFunc for lines that end with LF, CR LF, CR or the file.
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

// The columns of a circuit.
const (
	columnX = iota
	columnY
	columnRight
	columnLeft
	numColumns
)

var columnNames = [numColumns]string{"x", "y", "right width", "left width"}

// parser reads the lines of a file.
type parser struct {
	file    string
	line    int
	circuit *File

	separator byte  // ',', ';', '\t' or ' ', in the line of names and then in the points
	columns   []int // the content of each column; nil before the first point
	named     []int // columns according to the last line of names; nil if there is none
	header    bool  // a line of names that is not a comment has been read
	binding   bool  // named is from that line, so the points must have as many columns
}

func (p *parser) fail(column int, name, value, want string) *Error {
	return &Error{File: p.file, Line: p.line, Column: column, Name: name, Value: value, Want: want}
}

func (p *parser) failLength() *Error {
	return p.fail(0, "the line", fmt.Sprintf("longer than %d bytes", maxLine),
		fmt.Sprintf("at most %d bytes long", maxLine))
}

// take parses one line without its end.
func (p *parser) take(text []byte) error {
	if p.line == 1 {
		if bytes.HasPrefix(text, []byte{0xff, 0xfe}) || bytes.HasPrefix(text, []byte{0xfe, 0xff}) {
			return p.fail(0, "the file", "in UTF-16", "in UTF-8")
		}
	}
	if at := bytes.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }); at >= 0 {
		return p.fail(0, fmt.Sprintf("byte %d", at+1), fmt.Sprintf("%#02x", text[at]), "text: this is not a CSV file")
	}
	data, comment, commented := bytes.Cut(text, []byte("#"))
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		if commented && p.columns == nil {
			if named := columnsNamed(split(comment, separatorOf(comment))); named != nil {
				p.named = named
			}
		}
		return nil
	}
	if p.columns == nil {
		p.separator = separatorOf(data)
	}
	fields := split(data, p.separator)
	if p.columns == nil {
		if !p.header && !anyNumber(fields) {
			return p.takeHeader(string(data), fields)
		}
		if err := p.choose(len(fields)); err != nil {
			return err
		}
	}
	return p.takePoint(fields)
}

// takeHeader parses a line of column names. A line without known names is a title. A line with only some known names is
// an error if these show that the columns are not in the usual order.
func (p *parser) takeHeader(line string, fields []string) error {
	p.header = true
	if named := columnsNamed(fields); named != nil {
		p.named, p.binding = named, true
		return nil
	}
	var at [numColumns][]int
	for i, field := range fields {
		if column := columnNamed(field); column >= 0 {
			at[column] = append(at[column], i)
		} else if isDegrees(field) {
			return p.fail(i+1, "the name of the column", quoted(field),
				"that of a coordinate in metres: project latitude and longitude to a plane first")
		}
	}
	elsewhere := func(column int) bool {
		return len(at[column]) > 1 || len(at[column]) == 1 && at[column][0] != column
	}
	widths := len(at[columnRight]) > 0 && len(at[columnLeft]) > 0
	if elsewhere(columnX) || elsewhere(columnY) || widths && (elsewhere(columnRight) || elsewhere(columnLeft)) {
		return p.fail(0, "the line of names", quoted(line), "x, y, right and left, or x and y, in any order")
	}
	return nil
}

// choose determines the content of each of n columns, at the first point.
func (p *parser) choose(n int) error {
	if n != 2 && n != numColumns {
		return p.fail(0, "the number of columns", strconv.Itoa(n),
			"2 (x, y) or 4 (x, y, right width, left width), separated by commas, semicolons, tabs or blanks")
	}
	if p.binding && len(p.named) != n {
		return p.fail(0, "the number of columns", strconv.Itoa(n), fmt.Sprintf("%d, as in the line of names", len(p.named)))
	}
	p.columns = []int{columnX, columnY, columnRight, columnLeft}[:n]
	if len(p.named) == n {
		p.columns = p.named
	}
	return nil
}

// takePoint parses a point.
func (p *parser) takePoint(fields []string) error {
	if len(fields) != len(p.columns) {
		return p.fail(0, "the number of columns", strconv.Itoa(len(fields)),
			fmt.Sprintf("%d, as on the lines before", len(p.columns)))
	}
	var values [numColumns]float64
	for i, field := range fields {
		column := p.columns[i]
		v, err := strconv.ParseFloat(field, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) || !isDecimal(field) {
			return p.fail(i+1, columnNames[column], quoted(field), "a number such as 12.5")
		}
		if want := wantValue(column, v); want != "" {
			return p.fail(i+1, columnNames[column], quoted(field), want)
		}
		values[column] = v
	}
	c := p.circuit
	if n := len(c.X); n > 0 && c.X[n-1] == values[columnX] && c.Y[n-1] == values[columnY] {
		c.Repeated++
		return nil
	}
	if len(c.X) >= MaxPoints {
		return p.fail(0, "the number of points", fmt.Sprintf("more than %d", MaxPoints), "at most that")
	}
	c.X, c.Y = append(c.X, values[columnX]), append(c.Y, values[columnY])
	if len(p.columns) == numColumns {
		c.Right, c.Left = append(c.Right, values[columnRight]), append(c.Left, values[columnLeft])
	}
	c.lines = append(c.lines, p.line)
	return nil
}

// separatorOf returns the separator of the columns of a line.
func separatorOf(line []byte) byte {
	for _, separator := range []byte{';', ',', '\t'} {
		if bytes.IndexByte(line, separator) >= 0 {
			return separator
		}
	}
	return ' '
}

// split splits a line into columns and removes surrounding blanks and quotation marks.
func split(line []byte, separator byte) []string {
	var fields []string
	if separator == ' ' || separator == '\t' {
		fields = strings.Fields(string(line))
	} else {
		fields = strings.Split(string(line), string(separator))
	}
	for i, field := range fields {
		field = strings.TrimSpace(field)
		if n := len(field); n >= 2 && field[0] == '"' && field[n-1] == '"' {
			field = strings.TrimSpace(field[1 : n-1])
		}
		fields[i] = field
	}
	return fields
}

// anyNumber reports whether a field looks like a number.
func anyNumber(fields []string) bool {
	return slices.ContainsFunc(fields, func(field string) bool {
		_, err := strconv.ParseFloat(field, 64)
		return err == nil || errors.Is(err, strconv.ErrRange) || field != "" &&
			strings.ContainsRune("0123456789+-.", rune(field[0]))
	})
}

// isDecimal reports whether a number is written in decimal digits, unlike other forms that Go parses: 0x1p-2, 1_000.
func isDecimal(field string) bool {
	return !strings.ContainsAny(field, "xX_")
}

// columnsNamed returns the content of each column by its name, or nil unless all names are known and different.
func columnsNamed(names []string) []int {
	if len(names) != 2 && len(names) != numColumns {
		return nil
	}
	var columns []int
	for _, name := range names {
		column := columnNamed(name)
		if column < 0 || slices.Contains(columns, column) || column >= len(names) {
			return nil
		}
		columns = append(columns, column)
	}
	return columns
}

// columnNamed returns the content of a column by its name, -1 if the name is unknown.
func columnNamed(name string) int {
	name = strings.ToLower(name)
	switch {
	case name == "x" || strings.HasPrefix(name, "x_") || strings.HasPrefix(name, "x "):
		return columnX
	case name == "y" || strings.HasPrefix(name, "y_") || strings.HasPrefix(name, "y "):
		return columnY
	case strings.Contains(name, "right"):
		return columnRight
	case strings.Contains(name, "left"):
		return columnLeft
	}
	return -1
}

// isDegrees reports whether a column with this name holds latitudes or longitudes.
func isDegrees(name string) bool {
	word, _, _ := strings.Cut(strings.NewReplacer("_", " ", "[", " ", "(", " ").Replace(strings.ToLower(name)), " ")
	return slices.Contains([]string{"lat", "latitude", "lon", "long", "lng", "longitude"}, word)
}

// quoted returns a field of a file, shortened and with every character visible.
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
