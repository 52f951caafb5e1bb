package circuit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Check returns an *Error for the first option that is not valid.
func (o *Options) Check() error {
	if !(o.MaxGap >= 0) || math.IsInf(o.MaxGap, 1) {
		return &Error{Name: "MaxGap", Value: number(o.MaxGap), Want: "a number of metres >= 0"}
	}
	if o.Columns == nil {
		return nil
	}
	columns, wrong := columnsGiven(o.Columns)
	if wrong != nil {
		return wrong
	}
	count := func(content Content) (n int) {
		for _, column := range columns {
			if column.Content == content {
				n++
			}
		}
		return n
	}
	right, left := count(ContentRight), count(ContentLeft)
	x, y, latitude, longitude := count(ContentX), count(ContentY), count(ContentLatitude), count(ContentLongitude)
	plane := x == 1 && y == 1 && latitude+longitude == 0
	degrees := x+y == 0 && latitude == 1 && longitude == 1
	if !plane && !degrees || right != left || right+count(ContentWidth)+count(ContentHalf) > 1 {
		return &Error{Name: "the list of columns", Value: strings.Join(o.Columns, ","), Want: "x and y once, or " +
			"latitude and longitude, and one of width_right with width_left, width, half_width, or none of them"}
	}
	return nil
}

// finish removes a repeated first point at the end and an overlap at the seam, and checks the whole circuit.
func (c *File) finish(file string, options Options) error {
	if n := len(c.X); n > 1 && c.X[0] == c.X[n-1] && c.Y[0] == c.Y[n-1] {
		c.drop(n - 1)
		c.Repeated++
	}
	c.settleHeights()
	if err := c.checkValues(file); err != nil {
		return err
	}
	c.dropOverlap()
	c.dropLastNearFirst()
	if err := c.checkLength(file); err != nil {
		return err
	}
	if err := c.checkGaps(file, options); err != nil {
		return err
	}
	c.noteSteepSeam()
	if c.Projection != nil {
		c.Notes = append(c.Notes, describe(c.Projection))
	}
	return c.checkTurns(file, options)
}

// checkLength refuses a line of fewer than 3 points, and one that is too short or too long.
func (c *File) checkLength(file string) error {
	if n := len(c.X); n < 3 {
		return &Error{File: file, Name: "the number of different points", Value: strconv.Itoa(n), Want: "at least 3"}
	}
	length := c.PolygonLength()
	if !(length >= MinLength && length <= MaxLength) {
		return &Error{File: file, Name: "the length of the closed line", Value: number(length) + " m",
			Want: fmt.Sprintf("%s to %s m; are the numbers metres?", number(MinLength), number(MaxLength))}
	}
	return nil
}

// checkValues refuses numbers beyond the limits. The reader of CSV files does so earlier, to name the line.
func (c *File) checkValues(file string) error {
	if len(c.X) > MaxPoints {
		return &Error{File: file, Name: "the number of points", Value: strconv.Itoa(len(c.X)),
			Want: fmt.Sprintf("at most %d", MaxPoints)}
	}
	for k, values := range [][]float64{c.X, c.Y, c.Z, c.Right, c.Left} {
		content := []Content{ContentX, ContentY, ContentZ, ContentRight, ContentLeft}[k]
		for i, v := range values {
			if want := wantValue(content, v); want != "" {
				return &Error{File: file, Name: fmt.Sprintf("%s of point %d", content, i+1), Value: number(v), Want: want}
			}
		}
	}
	return nil
}

// wantValue returns the allowed range of a value, in metres or degrees, or "" if v is in it.
func wantValue(content Content, v float64) string {
	limit := MaxWidth
	switch content {
	case ContentX, ContentY:
		if math.Abs(v) <= MaxCoordinate {
			return ""
		}
		return fmt.Sprintf("a number of metres from -%s to %[1]s", number(MaxCoordinate))
	case ContentZ:
		switch {
		case v == noHeight:
			return "a height: this number stands for none in terrain models"
		case math.Abs(v) <= MaxHeight:
			return ""
		}
		return fmt.Sprintf("a height from -%s to %[1]s m", number(MaxHeight))
	case ContentLatitude, ContentLongitude:
		limit := 90.0
		if content == ContentLongitude {
			limit = 180
		}
		if math.Abs(v) <= limit {
			return ""
		}
		return fmt.Sprintf("a number of degrees from -%s to %[1]s", number(limit))
	case ContentWidth:
		limit = 2 * MaxWidth
	}
	if v > 0 && v <= limit {
		return ""
	}
	return fmt.Sprintf("a number of metres > 0 and <= %s", number(limit))
}

// drop removes point i.
func (c *File) drop(i int) {
	c.X, c.Y = slices.Delete(c.X, i, i+1), slices.Delete(c.Y, i, i+1)
	if c.Heights() {
		c.Z = slices.Delete(c.Z, i, i+1)
	}
	if c.Widths() {
		c.Right, c.Left = slices.Delete(c.Right, i, i+1), slices.Delete(c.Left, i, i+1)
	}
	if c.lines != nil {
		c.lines = slices.Delete(c.lines, i, i+1)
	}
}

// checkGaps refuses a circuit whose line has a gap.
func (c *File) checkGaps(file string, options Options) error {
	segments := make([]float64, len(c.X))
	longest := 0
	for i := range segments {
		segments[i] = c.segment(i)
		if segments[i] > segments[longest] {
			longest = i
		}
	}
	gap, limit := segments[longest], options.MaxGap
	allowed := "the given limit"
	if limit == 0 {
		slices.Sort(segments)
		limit = gapFactor * segments[len(segments)/2]
		allowed = fmt.Sprintf("%d times the median distance; is a piece missing?", gapFactor)
	}
	if gap <= limit {
		return nil
	}
	next := (longest + 1) % len(c.X)
	line, from, to := 0, fmt.Sprintf("point %d", longest+1), fmt.Sprintf("point %d", next+1)
	if c.lines != nil {
		line, from, to = c.lines[longest], "here", fmt.Sprintf("on line %d", c.lines[next])
	}
	where := fmt.Sprintf("the distance from %s to the next point, %s,", from, to)
	if next == 0 {
		where = fmt.Sprintf("the distance from %s to the first point, %s, which closes the circuit,", from, to)
	}
	return &Error{File: file, Line: line, Name: where, Value: number(gap) + " m",
		Want: fmt.Sprintf("at most %s m, %s", number(limit), allowed), Option: "MaxGap"}
}
