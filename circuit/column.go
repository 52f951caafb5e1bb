package circuit

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Content is the quantity that a column of a file holds.
type Content string

// The contents of columns. Options.Columns has the same names.
const (
	ContentNone  Content = "-" // not used, such as a station, a heading or a speed
	ContentX     Content = "x"
	ContentY     Content = "y"
	ContentZ     Content = "z"           // the height
	ContentRight Content = "width_right" // from the point to the right border, in the direction of travel
	ContentLeft  Content = "width_left"
	ContentWidth Content = "width"      // from border to border; the point is in the middle
	ContentHalf  Content = "half_width" // from the point to either border

	ContentLatitude  Content = "latitude" // in degrees, instead of x and y
	ContentLongitude Content = "longitude"

	// Contents that cannot be used.
	contentUnknown Content = "unknown"
	contentInner   Content = "inner or outer"
)

// contents lists the contents that Options.Columns may name.
var contents = []Content{ContentX, ContentY, ContentZ, ContentRight, ContentLeft, ContentWidth, ContentHalf,
	ContentLatitude, ContentLongitude, ContentNone}

// Column is a column of a file.
type Column struct {
	Name    string  // in the file; empty if it has no names
	Content Content // ContentNone if it is not used
	Scale   float64 // metres per unit of the column, from the unit at the end of its name; 1 without one
}

// Used reports whether the numbers of the column become part of the circuit.
func (c Column) Used() bool { return c.Content != ContentNone }

// units maps the units of length at the end of a name to metres.
var units = map[string]float64{
	"m": 1, "meter": 1, "meters": 1, "metre": 1, "metres": 1, "mtr": 1,
	"km": 1000, "dm": 0.1, "cm": 0.01, "mm": 0.001, "ft": 0.3048, "feet": 0.3048, "foot": 0.3048,
}

// unitOf returns the metres per unit for the unit at the end of a name; 1 without a unit.
func unitOf(name string) float64 {
	if words := wordsOf(name); len(words) > 1 && units[words[len(words)-1]] != 0 {
		return units[words[len(words)-1]]
	}
	return 1
}

// angles lists the units of angle at the end of a name. Columns in radians are not used.
var angles = wordSet("deg degree degrees wgs84")

// Column names consist of these words. A word in no list makes a name unknown.
var (
	// meanings are the words that say what a column holds.
	meanings = map[string]Content{
		"x": ContentX, "easting": ContentX, "east": ContentX,
		"y": ContentY, "northing": ContentY, "north": ContentY,
		"z": ContentZ, "height": ContentZ, "altitude": ContentZ, "alt": ContentZ, "elevation": ContentZ, "elev": ContentZ,
		"ele": ContentZ, "höhe": ContentZ, "hoehe": ContentZ, "hauteur": ContentZ, "altura": ContentZ, "altitud": ContentZ,
		"quota": ContentZ,
		"right": ContentRight, "r": ContentRight, "rhs": ContentRight,
		"left": ContentLeft, "l": ContentLeft, "lhs": ContentLeft,
		"width": ContentWidth, "widths": ContentWidth, "w": ContentWidth,
		"half": ContentHalf, "halfwidth": ContentHalf,
		"inner": contentInner, "outer": contentInner, "inside": contentInner, "outside": contentInner, "in": contentInner,
		"out": contentInner,
		"lat": ContentLatitude, "latitude": ContentLatitude, "lon": ContentLongitude, "long": ContentLongitude,
		"lng": ContentLongitude, "longitude": ContentLongitude,
	}
	// neutral lists the words that do not change the meaning of a name.
	neutral = wordSet(`axis border bound boundary center centerline centre centreline circuit cl clearance coord
		coordinate coordinates curb d dist distance edge free from full global gps kerb limit line local map mid middle of
		overall p path pos position point pt ref reference road side the to total tr track utm wall waypoint wp world wtr`)
	// withSide lists the words that are neutral in names with a side, and make other names unknown.
	withSide = wordSet("hw lane margin offset")
	// besideRoad lists the neutral words of things whose heights are not those of the road.
	besideRoad = wordSet("border bound boundary clearance curb edge kerb limit side wall")
	// others lists the words of columns that a circuit does not need.
	others = wordSet(`a acc accel acceleration alpha angle apex arc arclength ax ay az bank banking brake c camber chainage
		clutch color colour corner cross ct curv curvature d delta direction dist distance drs dt e flag flags friction g gas gear
		grade gradient grip h heading id idx index j k kappa kp lap length mu n name no normal normvec nr num number nx ny nz
		phi pitch psi q qw qx qy qz radius roll rpm s scale sec section sector seg segment slip slope spacing speed station
		steer steering surface t tag theta throttle tilt time timestamp torque turn tx ty tz type u v vel velocity vmax vx vy
		vz wx wy wz yaw`)
	// beforeSide and aroundCoordinate list prefixes and suffixes within one word: wl, dright, leftw; posx, xref.
	beforeSide       = wordSet("w width d dist distance halfwidth hw tw trackwidth wtr")
	aroundCoordinate = wordSet("c center centre cl coord map mid p pos position ref track utm world")
)

func wordSet(text string) map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// columnNamed returns the column with this name. Upper and lower case are equal, and the name may end in a unit, also
// in brackets. Capitals and all characters except letters and digits separate words.
func columnNamed(name string) Column {
	words := wordsOf(name)
	column := Column{Name: name, Content: ContentNone, Scale: unitOf(name)}
	if n := len(words); n > 1 && units[words[n-1]] != 0 {
		words = words[:n-1]
	} else if n > 1 && angles[words[n-1]] {
		words = words[:n-1]
	}
	if len(words) == 0 {
		return column // a column of indices has no name
	}
	found := make(map[Content]bool)
	known := true
	for _, word := range words {
		if meaning := meaningOf(word); meaning != "" {
			found[meaning] = true
		} else if !neutral[word] && !withSide[word] {
			known = false
		}
	}
	side := found[ContentRight] || found[ContentLeft]
	if !side && slices.ContainsFunc(words, func(word string) bool { return withSide[word] }) {
		known = false // such as lane_width, which is not the width of the road
	}
	column.Content = combine(found)
	if column.Content == ContentZ && slices.ContainsFunc(words, func(word string) bool { return besideRoad[word] }) {
		column.Content = ContentNone // such as kerb_height
	}
	if len(found) > 0 && known {
		return column
	}
	column.Content = contentUnknown
	if side && len(words) == 2 {
		return column // such as n_left: this may be a width
	}
	if slices.ContainsFunc(words, func(word string) bool { return others[word] }) {
		column.Content = ContentNone
	}
	return column
}

// combine returns the content of a column whose words have these meanings.
func combine(found map[Content]bool) Content {
	has := func(allowed ...Content) bool {
		for content := range found {
			if !slices.Contains(allowed, content) {
				return false
			}
		}
		return true
	}
	for _, content := range []Content{ContentX, ContentY, ContentZ, ContentLatitude, ContentLongitude} {
		if found[content] && has(content) {
			return content
		}
	}
	for _, content := range []Content{contentInner, ContentRight, ContentLeft} {
		if found[content] && has(content, ContentWidth, ContentHalf) {
			return content
		}
	}
	switch {
	case found[ContentHalf] && has(ContentHalf, ContentWidth):
		return ContentHalf
	case found[ContentWidth] && has(ContentWidth):
		return ContentWidth
	}
	return contentUnknown
}

// meaningOf returns the meaning of a word, including words such as wl and posx, or "" if it has none.
func meaningOf(word string) Content {
	if meaning := meanings[word]; meaning != "" {
		return meaning
	}
	for _, side := range []string{"right", "left", "r", "l"} {
		if rest, ok := strings.CutSuffix(word, side); ok && beforeSide[rest] {
			return meanings[side]
		}
		if rest, ok := strings.CutPrefix(word, side); ok && (rest == "w" || rest == "width") {
			return meanings[side]
		}
	}
	for _, coordinate := range []string{"x", "y", "z"} {
		if rest, ok := strings.CutSuffix(word, coordinate); ok && aroundCoordinate[rest] {
			return meanings[coordinate]
		}
		if rest, ok := strings.CutPrefix(word, coordinate); ok && aroundCoordinate[rest] {
			return meanings[coordinate]
		}
	}
	return ""
}

// wordsOf splits a name into words in lower case: at everything but letters and digits, and before capitals.
func wordsOf(name string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			end()
			continue
		}
		if unicode.IsUpper(r) && i > 0 {
			after := unicode.IsLower(runes[i-1])
			begins := unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if after || begins {
				end()
			}
		}
		word = append(word, r)
	}
	end()
	return words
}

// mayBeHeight reports whether a name that is not understood may be that of the height of the road: it speaks of a
// height among other words, such as ground_elevation. A letter z alone may be that of any vector.
func mayBeHeight(name string) bool {
	words := wordsOf(name)
	speaksOfHeight := func(word string) bool { return word != "z" && meanings[word] == ContentZ }
	return slices.ContainsFunc(words, speaksOfHeight) &&
		!slices.ContainsFunc(words, func(word string) bool { return besideRoad[word] })
}

// columnsGiven returns the columns for the names in Options.Columns.
func columnsGiven(names []string) ([]Column, *Error) {
	var columns []Column
	for i, name := range names {
		column := columnNamed(name)
		column.Name = ""
		switch strings.TrimSpace(name) {
		case "-":
			column.Content = ContentNone
		case "":
			column.Content = contentUnknown
		}
		if !slices.Contains(contents, column.Content) {
			return nil, &Error{Name: fmt.Sprintf("column %d of the list", i+1), Value: quoted(name),
				Want: "one of " + listed(contents)}
		}
		columns = append(columns, column)
	}
	return columns, nil
}

// listed joins values with commas.
func listed[T ~string](values []T) string {
	var text []string
	for _, v := range values {
		text = append(text, string(v))
	}
	return strings.Join(text, ", ")
}
