package circuit

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A file of borders has a line of names. Each name has the side and the coordinate:
//
//	left_border_x,left_border_y,right_border_x,right_border_y
//	27.00,0.00,33.00,0.00
//
// The sides are left and right, or inner and outer.

// borderSides lists the words for the sides of a road, in pairs of opposite sides.
var borderSides = [][2][]string{
	{{"left", "l"}, {"right", "r"}},
	{{"inner", "inside", "interior"}, {"outer", "outside", "exterior"}},
}

// borderColumns holds the columns of the borders in a file: x and y of the first, x and y of the second.
type borderColumns struct {
	at    [4]int
	scale [4]float64 // metres of one unit of each, by the unit that its name ends in
	sides [2]string  // "left", "right" or "inner", "outer"
	other []string   // names of the other columns
}

// namesBorders returns the columns of a line of names, or false if the names are not those of two borders.
func namesBorders(names []string) (borderColumns, bool) {
	for _, pair := range borderSides {
		columns := borderColumns{at: [4]int{-1, -1, -1, -1}, sides: [2]string{pair[0][0], pair[1][0]}}
		found := 0
		for i, name := range names {
			if at := borderColumn(wordsOf(name), pair); at >= 0 && columns.at[at] < 0 {
				columns.at[at], columns.scale[at] = i, unitOf(name)
				found++
			} else if strings.TrimSpace(name) != "" {
				columns.other = append(columns.other, strings.TrimSpace(name))
			}
		}
		if found == len(columns.at) {
			return columns, true
		}
	}
	return borderColumns{}, false
}

// borderColumn returns the index of the column that the words of a name describe, from 0 to 3, or -1 if none.
func borderColumn(words []string, pair [2][]string) int {
	side, axis := -1, -1
	if len(words) > 0 && len(words[0]) == 2 && strings.ContainsAny(words[0], "lr") { // lx or xl
		words = append(strings.Split(words[0], ""), words[1:]...)
	}
	for _, word := range words {
		switch word {
		case "x":
			axis = 0
		case "y":
			axis = 1
		}
		for k, names := range pair {
			for _, name := range names {
				if word == name {
					side = k
				}
			}
		}
	}
	if side < 0 || axis < 0 {
		return -1
	}
	return 2*side + axis
}

// isBorders reports whether the first line of a file, or a comment there, names the columns of two borders.
func isBorders(head []byte) bool {
	_, _, found := borderHeader(head)
	return found
}

// borderHeader finds the line of names of a file of borders, and returns the lines after it.
func borderHeader(data []byte) (borderColumns, csvLines, bool) {
	lines := csvLines{rest: data}
	for lines.next() {
		text := bytes.TrimSpace(bytes.TrimLeft(bytes.TrimSpace(lines.text), "#"))
		if len(text) == 0 {
			continue
		}
		if columns, found := namesBorders(split(text, separatorOf(text))); found {
			return columns, lines, true
		}
		if !bytes.HasPrefix(bytes.TrimSpace(lines.text), []byte("#")) {
			break
		}
	}
	return borderColumns{}, csvLines{}, false
}

// csvLines iterates over the lines of a file.
type csvLines struct {
	rest   []byte
	text   []byte // the current line, without its end
	number int    // of the current line, from 1
}

func (l *csvLines) next() bool {
	if len(l.rest) == 0 {
		return false
	}
	advance, token, _ := splitLine(l.rest, true)
	l.text, l.rest = token, l.rest[advance:]
	l.number++
	return true
}

// fields returns the columns of the current line without its comment, nil for an empty line.
func (l *csvLines) fields() []string {
	text, _, _ := bytes.Cut(l.text, []byte("#"))
	if text = bytes.TrimSpace(text); len(text) == 0 {
		return nil
	}
	return split(text, separatorOf(text))
}

// readBorders reads a CSV file of two borders.
func readBorders(name string, data []byte, options Options) ([]*File, error) {
	columns, lines, _ := borderHeader(data)
	var borders [2][]vector
	for lines.next() {
		fields := lines.fields()
		if fields == nil {
			continue
		}
		for k := range borders {
			p, found, err := borderPoint(name, &lines, fields, columns, k)
			if err != nil {
				return nil, err
			}
			if found {
				borders[k] = append(borders[k], p)
			}
			if len(borders[k]) > MaxPoints {
				return nil, &Error{File: name, Line: lines.number, Name: "the number of points",
					Value: fmt.Sprintf("more than %d", MaxPoints), Want: "at most that"}
			}
		}
	}
	c, err := fromBorders(name, columns.sides, borders, options)
	if err != nil {
		return nil, err
	}
	if len(columns.other) > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("columns that are no border are left out: %s", list(columns.other)))
	}
	return []*File{c}, nil
}

// borderPoint reads the point of border k on a line. It returns false if the fields are empty, because the other border
// has more points.
func borderPoint(file string, lines *csvLines, fields []string, columns borderColumns, k int) (vector, bool, error) {
	var p [2]float64
	var missing [2]bool
	for axis := range p {
		i := columns.at[2*k+axis]
		if i >= len(fields) {
			missing[axis] = true
			continue
		}
		field := fields[i]
		if field == "" || strings.EqualFold(field, "nan") {
			missing[axis] = true
			continue
		}
		v, want := coordinate(field)
		v *= columns.scale[2*k+axis]
		if want != "" {
			return vector{}, false, &Error{File: file, Line: lines.number, Column: i + 1,
				Name:  fmt.Sprintf("%s of the %s border", [2]string{"x", "y"}[axis], columns.sides[k]),
				Value: quoted(field), Want: want}
		}
		p[axis] = v
	}
	if missing[0] != missing[1] {
		return vector{}, false, &Error{File: file, Line: lines.number, Name: "a point of the " + columns.sides[k] + " border",
			Value: "half missing", Want: "x and y, or neither if the border has no more points"}
	}
	return vector{p[0], p[1]}, !missing[0], nil
}

// fromBorders returns the circuit between two borders. sides is left and right, or inner and outer. The direction of
// travel is the order of the points.
func fromBorders(file string, sides [2]string, borders [2][]vector, options Options) (*File, error) {
	var notes []string
	for k := range borders {
		line := newFile("", distinct(borders[k]), nil)
		line.dropOverlap()
		if err := checkBorder(file, sides[k]+" border", line, options); err != nil {
			return nil, err
		}
		line.noteOpen(options)
		for _, note := range line.Notes {
			notes = append(notes, fmt.Sprintf("%s border: %s", sides[k], note))
		}
		borders[k] = line.points()
	}
	c, err := newCorridor(file, sides[0]+" border", sides[1]+" border", borders[0], borders[1])
	if err != nil {
		return nil, err
	}
	if c.opposite {
		notes = append(notes, fmt.Sprintf("the points of the borders run in opposite directions; those of the %s border "+
			"give the direction of travel", sides[0]))
	}
	if sides[0] == "left" && !c.left {
		switch {
		case c.opposite:
			c.reverse()
			notes[len(notes)-1] = "the points of the borders run in opposite directions; the left border is on the left"
		case !options.Reverse:
			return nil, &Error{File: file, Name: "the left border", Value: "on the right of the direction of its points",
				Want: "on the left: are the borders swapped, or is the circuit driven the other way?", Option: "Reverse"}
		}
	}
	out, err := c.circuit(file)
	if err != nil {
		return nil, err
	}
	first := fmt.Sprintf("the centreline is in the middle between the %s border, of %d points, and the %s border, of %d",
		sides[0], len(distinct(borders[0])), sides[1], len(distinct(borders[1])))
	out.Notes = append(append([]string{first}, out.Notes...), notes...)
	return out, nil
}

// checkBorder refuses a border that is not a closed line.
func checkBorder(file, what string, f *File, options Options) error {
	err := f.checkLength(file)
	if err == nil {
		err = f.checkGaps(file, options)
	}
	var format *Error
	if errors.As(err, &format) {
		format.Name = fmt.Sprintf("in the %s, %s", what, format.Name)
	}
	return err
}

// ReadBorders reads the circuit between two borders. Each border is in a file of its own, of any kind that ReadFiles
// reads. The borders may have different numbers of points, starts and directions. The left border is on the left of the
// direction of travel. SHA256 is the hash of the SHA-256 of the left file followed by that of the right file.
func ReadBorders(left, right string, options Options) (*File, error) {
	paths := [2]string{left, right}
	var files [2]*File
	for k, path := range paths {
		var err error
		if files[k], err = readBorder(path, options); err != nil {
			return nil, err
		}
	}
	both := left + " and " + right
	if files[0].Projection == nil != (files[1].Projection == nil) {
		return nil, &Error{File: both, Name: "the unit of the coordinates",
			Value: "degrees in one file and metres in the other", Want: "the same in both"}
	}
	var borders [2][]vector
	for k, file := range files {
		for i := range file.X {
			p := vector{file.X[i], file.Y[i]}
			if k == 1 && file.Projection != nil {
				p.x, p.y = files[0].Projection.Forward(file.Projection.Inverse(p.x, p.y))
			}
			borders[k] = append(borders[k], p)
		}
	}
	c, err := fromBorders(both, [2]string{"left", "right"}, borders, options)
	if err != nil {
		return nil, err
	}
	c.Kind, c.Projection = "borders in two files", files[0].Projection
	c.Name = commonName(left, right)
	c.Notes = append(append(c.Notes, prefixed(left, files[0].Notes)...), prefixed(right, files[1].Notes)...)
	hash := sha256.New()
	hash.Write(files[0].SHA256[:])
	hash.Write(files[1].SHA256[:])
	hash.Sum(c.SHA256[:0])
	if err := c.finish(both, options); err != nil {
		return nil, err
	}
	if err := options.direct(both, c); err != nil {
		return nil, err
	}
	return c, nil
}

// readBorder reads the line of a file. A border may have sharp corners and reversals, which the line of a circuit may
// not.
func readBorder(path string, options Options) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading a border: %w", err)
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading a border: %w", err)
	}
	if len(data) > maxFile {
		return nil, tooLarge(path)
	}
	files, err := readKind(path, bytes.NewReader(data), options)
	c, err := only(path, files, err)
	if err != nil {
		return nil, err
	}
	c.SHA256 = sha256.Sum256(data)
	return c, c.checkValues(path)
}

// prefixed returns notes with the path of their file in front.
func prefixed(path string, notes []string) []string {
	var out []string
	for _, note := range notes {
		out = append(out, filepath.Base(path)+": "+note)
	}
	return out
}

// commonName returns the common start of the names of two files: Monza for Monza_left.csv and Monza_right.csv.
func commonName(left, right string) string {
	a, b := filepath.Base(left), filepath.Base(right)
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if name := strings.Trim(strings.ToValidUTF8(a[:n], ""), " ._-"); name != "" {
		return name
	}
	return strings.TrimSuffix(a, filepath.Ext(a))
}

// list joins names of a file with commas, at most eight of them.
func list(names []string) string {
	const most = 8
	more := ""
	if len(names) > most {
		names, more = names[:most], fmt.Sprintf(" and %d more", len(names)-most)
	}
	var out []string
	for _, name := range names {
		out = append(out, quoted(name))
	}
	return strings.Join(out, ", ") + more
}
