package circuit

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// header collects what the lines before the first point say about the columns.
type header struct {
	text     *names         // the last line of names that is not a comment
	comments map[int]*names // comments that name the coordinates, perhaps in prose, by their number of names
	sided    *names         // the last of these comments that names a side
	first    Content        // the side that is mentioned first, outside of names
	left     int            // the line that mentions right after left was mentioned first; 0 if there is none
	title    int            // the first line of text with a number in it, perhaps a point; 0 if there is none
}

// names are the names of the columns on one line.
type names struct {
	line      int
	separator byte
	fields    []string
	x, y      int    // the columns of the coordinates; -1 if there are none
	unknown   int    // number of unknown names
	contrary  *names // an earlier comment that contradicts these names; nil if there is none
}

// newNames finds the coordinates among the fields of a line.
func newNames(line int, separator byte, fields []string) *names {
	n := &names{line: line, separator: separator, fields: fields, x: -1, y: -1}
	at := make(map[Content]int)
	for i, field := range fields {
		content := columnNamed(field).Content
		at[content] = i + 1
		if content == contentUnknown {
			n.unknown++
		}
	}
	for _, pair := range [][2]Content{{ContentX, ContentY}, {ContentLongitude, ContentLatitude}} {
		if x, y := at[pair[0]], at[pair[1]]; x > 0 && y > 0 && !n.hasPoint() {
			n.x, n.y = x-1, y-1
		}
	}
	return n
}

// hasPoint reports whether the names say which columns are the coordinates.
func (n *names) hasPoint() bool { return n.x >= 0 && n.y >= 0 }

// hasSide reports whether a name says right or left.
func (n *names) hasSide() bool { return n.has(ContentRight, ContentLeft) }

// hasWidths reports whether a name is that of a width.
func (n *names) hasWidths() bool { return n.has(ContentRight, ContentLeft, ContentWidth, ContentHalf) }

// has reports whether a column has one of these contents.
func (n *names) has(contents ...Content) bool {
	return slices.ContainsFunc(n.fields, func(field string) bool {
		return slices.Contains(contents, columnNamed(field).Content)
	})
}

// isPoint reports whether the fields of a line are a point, and not names or a title. If names came before, the field
// of x or of y is a number. Otherwise at least half of the fields are numbers, or more than half if blanks separate
// them.
func (h *header) isPoint(fields []string, separator byte) bool {
	if h.text != nil && h.text.hasPoint() && len(h.text.fields) == len(fields) {
		return countNumbers([]string{fields[h.text.x], fields[h.text.y]}) > 0
	}
	n := countNumbers(fields)
	if separator == blank {
		return 2*n > len(fields)
	}
	return n > 0 && 2*n >= len(fields)
}

// addText stores a line of text before the first point: names, the units of the names before it, or a title.
func (h *header) addText(line int, text []byte, hasNumber bool) {
	if hasNumber && h.title == 0 {
		h.title = line
	}
	separator := separatorOf(text)
	n := newNames(line, separator, split(text, separator))
	switch {
	case h.text != nil && len(h.text.fields) == len(n.fields) && n.unitsOnly():
		for i, unit := range n.fields {
			h.text.fields[i] += " " + unit
		}
	case h.text == nil || n.hasPoint() || !h.text.hasPoint():
		h.text = n
	}
	if !n.hasPoint() {
		h.addSides(line, text)
	}
}

// namesLast reports whether a line of n names, perhaps in a comment, has a name for the last column. Then an empty last
// field is that of a point, and not what follows a separator at the end of the line.
func (h *header) namesLast(n int) bool {
	for _, names := range []*names{h.text, h.comments[n]} {
		if names != nil && len(names.fields) == n && names.fields[n-1] != "" {
			return true
		}
	}
	return false
}

// unitsOnly reports whether all fields are units, at least one of them a unit of length.
func (n *names) unitsOnly() bool {
	length := false
	for _, field := range n.fields {
		unit := strings.ToLower(strings.Trim(field, "[]()"))
		length = length || units[unit] != 0
		if units[unit] == 0 && !slices.Contains(otherUnits, unit) {
			return false
		}
	}
	return length
}

var otherUnits = strings.Fields("- 1 rad deg ° s ms m/s km/h kmh kph mph m/s2 m/s^2 m/s² 1/m rad/m g % none")

// addComment stores a comment before the first point, without the character that starts it.
func (h *header) addComment(line int, text []byte) {
	for _, part := range parts(text) {
		separator := separatorOf(part)
		fields := split(part, separator)
		for i, field := range fields {
			fields[i] = strings.Trim(field, `[](){}"' `)
		}
		if n := newNames(line, separator, fields); n.hasPoint() {
			h.addNames(n)
			return
		}
	}
	h.addSides(line, text)
}

// addNames stores a comment that names the coordinates, perhaps in prose. Of several comments with the same number of
// names, it keeps the one with the fewest unknown names; ties go to the last.
func (h *header) addNames(n *names) {
	if n.hasSide() {
		h.sided = n
	}
	before := h.comments[len(n.fields)]
	if before != nil {
		if n.contrary = before.contrary; n.contrary == nil && before.disagrees(n) {
			n.contrary = before
		}
	}
	if before == nil || n.unknown <= before.unknown {
		if h.comments == nil {
			h.comments = make(map[int]*names)
		}
		h.comments[len(n.fields)] = n
	}
}

// parts returns the parts of a comment that may be names: the whole comment, and the text after the last colon or
// equals sign, without brackets around it.
func parts(text []byte) [][]byte {
	all := [][]byte{text}
	for _, mark := range []byte(":=") {
		if at := bytes.LastIndexByte(text, mark); at >= 0 {
			all = append(all, text[at+1:])
		}
	}
	for i, part := range all {
		all[i] = bytes.Trim(part, " \t#%/")
		if n := len(all[i]); n > 1 && bytes.IndexByte([]byte("[({"), all[i][0]) >= 0 {
			all[i] = bytes.TrimRight(all[i][1:], "])};, ")
		}
	}
	return all
}

// addSides stores the sides that a line mentions. Single letters are ignored.
func (h *header) addSides(line int, text []byte) {
	between := func(r rune) bool { return strings.ContainsRune(" \t,;:=()[]{}<>|", r) }
	for word := range strings.FieldsFuncSeq(string(text), between) {
		if len(word) < 2 {
			continue
		}
		switch side := columnNamed(word).Content; {
		case side != ContentLeft && side != ContentRight:
		case h.first == "":
			h.first = side
		case h.left == 0 && h.first == ContentLeft && side == ContentRight:
			h.left = line
		}
	}
}

// columns returns the contents of n columns, from the options, the names, or the number of columns. It also returns
// notes about them. line and separator are those of the first point.
func (h *header) columns(file string, line, n int, separator byte, options Options) ([]Column, []string, error) {
	comment := h.comments[n]
	if comment == nil {
		comment = h.sided // resolve refuses its number of names
	}
	switch {
	case options.Columns != nil:
		columns, err := h.given(file, line, n, options)
		return columns, nil, err
	case h.text != nil && h.text.hasPoint():
		if comment != nil && h.text.disagrees(comment) {
			return nil, nil, contradiction(file, h.text, comment)
		}
		columns, err := h.text.resolve(file, line, n)
		return columns, nil, err
	case comment != nil:
		if comment.contrary != nil {
			return nil, nil, contradiction(file, comment.contrary, comment)
		}
		columns, err := comment.resolve(file, line, n)
		return columns, nil, err
	case h.text != nil && h.text.separator == separator && len(h.text.fields) == n:
		columns, err := h.text.resolve(file, line, n)
		return columns, nil, err
	case h.left != 0 && n >= 4:
		return nil, nil, &Error{File: file, Line: h.left, Name: "the order of the widths",
			Value: "not known: the text mentions left before right, and has no line of names",
			Want:  "given by names such as x,y,width_left,width_right", Option: "Columns"}
	}
	return unnamed(file, line, n) // a line of text with another number of columns is a title
}

// contradiction returns the error for two lines of names that give a column different contents.
func contradiction(file string, n, other *names) *Error {
	return &Error{File: file, Line: max(n.line, other.line), Name: "the order of the columns",
		Value: fmt.Sprintf("another one than on line %d", min(n.line, other.line)), Want: "the same on both",
		Option: "Columns"}
}

// disagrees reports whether two lines of names give a column different contents. Lines with unknown names are prose and
// do not count.
func (n *names) disagrees(other *names) bool {
	if n.unknown > 0 || other.unknown > 0 {
		return false
	}
	for i := range min(len(n.fields), len(other.fields)) {
		content, otherContent := columnNamed(n.fields[i]).Content, columnNamed(other.fields[i]).Content
		if content != otherContent && content != ContentNone && otherContent != ContentNone {
			return true
		}
	}
	return false
}

// given returns the columns from the options, with the names in the file.
func (h *header) given(file string, line, n int, options Options) ([]Column, error) {
	columns, _ := columnsGiven(options.Columns) // Check has validated them
	if len(columns) > n {
		return nil, &Error{File: file, Line: line, Name: "the number of columns", Value: strconv.Itoa(n),
			Want: fmt.Sprintf("at least %d, as the given columns", len(columns)), Option: "Columns"}
	}
	for len(columns) < n {
		columns = append(columns, Column{Content: ContentNone, Scale: 1})
	}
	for _, names := range []*names{h.text, h.comments[n]} {
		if names != nil && len(names.fields) == n {
			for i := range columns {
				columns[i].Name = names.fields[i]
			}
			break
		}
	}
	return columns, nil
}

// unnamed returns the columns of a file without names.
func unnamed(file string, line, n int) ([]Column, []string, error) {
	orders := map[int][]Content{
		2: {ContentX, ContentY},
		3: {ContentX, ContentY, ContentWidth},
		4: {ContentX, ContentY, ContentRight, ContentLeft},
	}
	order := orders[n]
	if order == nil {
		return nil, nil, &Error{File: file, Line: line, Name: "the number of columns", Value: strconv.Itoa(n) +
			", without names", Want: "2 (x, y), 3 (x, y, width) or 4 (x, y, width_right, width_left), separated by commas, " +
			"semicolons, tabs or blanks, or have a line of names before the first point", Option: "Columns"}
	}
	columns := make([]Column, n)
	for i := range columns {
		columns[i] = Column{Content: order[i], Scale: 1}
	}
	note := fmt.Sprintf("the file names no columns: %s are taken for granted", listed(order))
	if n == 4 {
		note += ", as in the files of the TUM racetrack database"
	}
	return columns, []string{note}, nil
}

// resolve returns the columns from their names. line is that of the first point, which has count columns.
func (n *names) resolve(file string, line, count int) ([]Column, error) {
	fields := n.fields
	if len(fields) == count+1 && fields[count] == "" {
		fields = fields[:count] // a separator at the end of the line
	}
	if len(fields) != count {
		return nil, &Error{File: file, Line: line, Name: "the number of columns", Value: strconv.Itoa(count),
			Want: fmt.Sprintf("%d, as in the line of names, line %d", len(fields), n.line), Option: "Columns"}
	}
	columns := make([]Column, count)
	at := make(map[Content][]int)
	for i, field := range fields {
		columns[i] = columnNamed(field)
		at[columns[i].Content] = append(at[columns[i].Content], i)
	}
	unused, fault := n.unusedPlaces(at)
	if fault == nil {
		fault = n.faultOfWidths(at)
	}
	if fault != nil {
		return nil, &Error{File: file, Line: n.line, Name: "the meaning of " + n.describe(fault.columns),
			Value: fault.value, Want: fault.want, Option: "Columns"}
	}
	if len(at[ContentRight]) == 1 {
		unused = append(unused, ContentWidth, ContentHalf)
	}
	return without(columns, append(unused, contentUnknown, contentInner)...), nil
}

// fault describes columns whose contents are wrong.
type fault struct {
	columns     []int
	value, want string
}

// unusedPlaces returns the coordinates that are not used because the file has others.
func (n *names) unusedPlaces(at map[Content][]int) ([]Content, *fault) {
	plane, degrees := []Content{ContentX, ContentY}, []Content{ContentLatitude, ContentLongitude}
	used, unused := plane, degrees
	has := func(pair []Content) bool { return len(at[pair[0]]) > 0 && len(at[pair[1]]) > 0 }
	if !has(plane) && has(degrees) {
		used, unused = degrees, plane
	}
	for _, content := range append(used, ContentZ) {
		if len(at[content]) > 1 {
			return nil, &fault{at[content], fmt.Sprintf("%s each time", content), "different"}
		}
	}
	if !has(used) {
		others := slices.Concat(at[contentUnknown], at[ContentNone], at[contentInner])
		return nil, &fault{others, "unknown, and x or y is missing", wantNames}
	}
	return unused, nil
}

// faultOfWidths returns the fault in the names of the widths, or nil.
func (n *names) faultOfWidths(at map[Content][]int) *fault {
	right, left := at[ContentRight], at[ContentLeft]
	whole, unknown := slices.Concat(at[ContentWidth], at[ContentHalf]), at[contentUnknown]
	switch {
	case len(right) > 1:
		return &fault{right, "width_right each time", "different"}
	case len(left) > 1:
		return &fault{left, "width_left each time", "different"}
	case len(right)+len(left) == 2:
		return nil
	case len(right)+len(left) == 1:
		return &fault{slices.Concat(right, left), "the width to one side", "given for both sides"}
	case len(whole) == 1:
		return nil
	case len(whole) > 1:
		return &fault{whole, "a width each time", "different"}
	case len(at[contentInner]) > 0:
		return &fault{at[contentInner], "open: the inner border is the left one if the circuit is driven " +
			"counter-clockwise, else the right one", wantNames}
	}
	mayBeWidth := func(i int) bool {
		return i < numWidthColumns && !mayBeHeight(n.fields[i]) || strings.Contains(strings.ToLower(n.fields[i]), "width")
	}
	if slices.ContainsFunc(unknown, mayBeWidth) {
		return &fault{unknown, "unknown", wantNames}
	}
	return nil
}

// numWidthColumns is the number of columns among which an unknown name may be that of a width.
const numWidthColumns = 4

const wantNames = "said by names such as x,y,width_right,width_left"

// describe returns a list of columns with their names.
func (n *names) describe(columns []int) string {
	const most = 8
	slices.Sort(columns)
	var text []string
	for _, i := range columns[:min(len(columns), most)] {
		text = append(text, fmt.Sprintf("%d %s", i+1, quoted(n.fields[i])))
	}
	if len(columns) > most {
		text = append(text, "...")
	}
	noun := "column "
	if len(columns) > 1 {
		noun = "columns "
	}
	return noun + strings.Join(text, ", ")
}

// without sets columns with the given contents to ContentNone.
func without(columns []Column, unused ...Content) []Column {
	for i := range columns {
		if slices.Contains(unused, columns[i].Content) {
			columns[i].Content = ContentNone
		}
	}
	return columns
}
