package circuit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// geoLine is a line of a file of geometries: GeoJSON, KML or GPX.
type geoLine struct {
	name        string
	kind        string      // the property "kind" of files that TrackGen wrote: "centerline" or "road"
	origin      *Projection // projection of such a file in degrees
	right, left []float64   // widths of a centreline of such a file, in metres
	points      []vector
	heights     heights    // of the points, one for each
	holes       [][]vector // of a polygon; points is its exterior ring
	area        bool       // a polygon
	pieces      int        // number of lines that were joined, including this one
}

// geoFile holds the lines of a file of geometries.
type geoFile struct {
	file    string
	degrees bool
	lines   []geoLine
	skipped int // geometries that are not lines
	points  int // of all lines
	notes   []string
}

const maxGeoLines = 1 << 16

// add adds a line, or returns an error if there are too many.
func (g *geoFile) add(line geoLine) error {
	g.points += len(line.points)
	for _, hole := range line.holes {
		g.points += len(hole)
	}
	if g.points > MaxPoints || len(g.lines) >= maxGeoLines {
		return &Error{File: g.file, Name: "the number of points and lines",
			Value: fmt.Sprintf("more than %d points, or more than %d lines", MaxPoints, maxGeoLines), Want: "at most that"}
	}
	g.lines = append(g.lines, line)
	return nil
}

// circuits returns the circuits of the file.
func (g *geoFile) circuits(options Options) ([]*File, error) {
	var out []*File
	var err error
	switch {
	case slices.ContainsFunc(g.lines, func(l geoLine) bool { return l.kind == "centerline" && !l.area }):
		out, err = g.tracks()
	case len(g.lines) == 0:
		found := "0"
		if g.skipped > 0 {
			found = fmt.Sprintf("0, beside %d other geometries", g.skipped)
		}
		return nil, &Error{File: g.file, Name: "the number of lines", Value: found,
			Want: "at least 1: a line string, or a polygon"}
	default:
		out, err = g.roads(options)
	}
	if err != nil {
		return nil, err
	}
	if len(out) > 0 {
		out[0].Notes = append(out[0].Notes, g.notes...)
	}
	return out, nil
}

// plane returns the lines of one circuit in metres. The projection is nil if they were in metres already.
func (g *geoFile) plane(lines ...[]vector) ([][]vector, *Projection, error) {
	if !g.degrees {
		return lines, nil, nil
	}
	return project(g.file, lines, nil)
}

// tracks returns the circuits of a file that TrackGen wrote: centrelines with their widths.
func (g *geoFile) tracks() ([]*File, error) {
	var out []*File
	for _, line := range g.lines {
		if line.kind != "centerline" || line.area {
			continue
		}
		lines, projection := [][]vector{line.points}, (*Projection)(nil)
		if g.degrees {
			var err error
			if lines, projection, err = project(g.file, lines, line.origin); err != nil {
				return nil, err
			}
		}
		c := newFile(line.name, lines[0], line.heights)
		c.Projection = projection
		if n := len(c.X); n > 0 && len(line.right) == n && len(line.left) == n {
			c.Right, c.Left = line.right, line.left
		}
		out = append(out, c)
	}
	return out, nil
}

// newFile returns a circuit with a centreline and the heights of its points, or nil.
func newFile(name string, points []vector, z heights) *File {
	c := &File{}
	c.Name = name
	places := make([]int, len(points))
	for i := range places {
		places[i] = i
	}
	kept := distinctBy(places, func(i, j int) bool { return points[i] == points[j] })
	c.Repeated = len(points) - len(kept)
	keptHeights := make(heights, 0, len(kept))
	for _, i := range kept {
		c.X, c.Y = append(c.X, points[i].x), append(c.Y, points[i].y)
		if z != nil {
			keptHeights = append(keptHeights, z[i])
		}
	}
	c.setHeights(keptHeights)
	return c
}

// roads returns the circuits of a file that TrackGen did not write: polygons with a hole are roads, and closed lines
// are centrelines. Open lines that share their ends are joined.
func (g *geoFile) roads(options Options) ([]*File, error) {
	var out []*File
	var open []geoLine
	for _, line := range g.lines {
		switch {
		case line.area && len(line.holes) == 1:
			lines, projection, err := g.plane(line.points, line.holes[0])
			if err != nil {
				return nil, err
			}
			c, err := fromBorders(g.file, [2]string{"outer", "inner"}, [2][]vector{lines[0], lines[1]}, options)
			if err != nil {
				return nil, err
			}
			c.Name, c.Projection = line.name, projection
			if !line.heights.none() {
				c.Notes = append(c.Notes, "the heights of the borders are not used")
			}
			out = append(out, c)
		case line.area || len(line.points) > 2 && line.points[0] == line.points[len(line.points)-1]:
			c, err := g.centreline(line)
			if err != nil {
				return nil, err
			}
			out = append(out, c)
		case len(distinct(line.points)) > 1:
			open = append(open, line)
		}
	}
	chains, err := g.join(open)
	if err != nil {
		return nil, err
	}
	lone := len(out) == 0 && len(chains) == 1
	var left []float64
	for _, chain := range chains {
		c, err := g.centreline(chain)
		if err != nil {
			return nil, err
		}
		if gap, length := c.segment(len(c.X)-1), c.PolygonLength(); !lone && gap > 0.1*length {
			left = append(left, length-gap)
			continue
		}
		if chain.pieces > 1 {
			c.Notes = append(c.Notes, fmt.Sprintf("%d lines are joined at their ends", chain.pieces))
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		return nil, &Error{File: g.file, Name: "the number of lines that close",
			Value: fmt.Sprintf("0 of %d; the longest has %s m", len(left), number(slices.Max(append(left, 0)))),
			Want:  "at least 1, or lines that share their ends; leave only those of the circuit in the file"}
	}
	if len(left) > 0 {
		out[0].Notes = append(out[0].Notes, fmt.Sprintf("%d lines of the file that do not close are left out", len(left)))
	}
	return out, nil
}

// centreline returns the circuit whose centreline is a line.
func (g *geoFile) centreline(line geoLine) (*File, error) {
	lines, projection, err := g.plane(line.points)
	if err != nil {
		return nil, err
	}
	c := newFile(line.name, lines[0], line.heights)
	c.Projection = projection
	if len(line.holes) > 1 {
		c.Notes = append(c.Notes, fmt.Sprintf("%d holes of the polygon are left out", len(line.holes)))
	}
	return c, nil
}

// clone returns a copy of a line with points of its own.
func (l geoLine) clone() geoLine {
	l.points, l.heights = slices.Clone(l.points), slices.Clone(l.heights)
	return l
}

// reverse reverses the order of the points.
func (l *geoLine) reverse() {
	slices.Reverse(l.points)
	slices.Reverse(l.heights)
}

// append adds a line that starts where this one ends, or ends there if backward is true.
func (l *geoLine) append(next geoLine, backward bool) {
	if next = next.clone(); backward {
		next.reverse()
	}
	l.points = append(l.points, next.points[1:]...)
	l.heights = append(l.heights, next.heights[1:]...)
	l.pieces++
	if next.name != l.name {
		l.name = "" // the pieces have different names, such as those of bends
	}
}

// lineEnd is an end of a line: the first point or the last.
type lineEnd struct {
	line int
	last bool
}

// join joins lines that share an end, in the direction of the first of them. It returns the lines in descending order
// of their number of points.
func (g *geoFile) join(lines []geoLine) ([]geoLine, error) {
	ends := map[vector][]lineEnd{}
	for i, line := range lines {
		first, last := line.points[0], line.points[len(line.points)-1]
		ends[first] = append(ends[first], lineEnd{i, false})
		ends[last] = append(ends[last], lineEnd{i, true})
	}
	used := make([]bool, len(lines))
	// next returns the line that continues from a place.
	next := func(p vector) (lineEnd, bool, error) {
		var free []lineEnd
		for _, end := range ends[p] {
			if !used[end.line] {
				free = append(free, end)
			}
		}
		if len(free) > 1 {
			return lineEnd{}, false, &Error{File: g.file, Name: fmt.Sprintf("the number of lines that meet at (%s, %s)",
				number(p.x), number(p.y)), Value: strconv.Itoa(len(ends[p])),
				Want: "at most 2: leave only the lines of the circuit in the file"}
		}
		if len(free) == 0 {
			return lineEnd{}, false, nil
		}
		return free[0], true, nil
	}
	var chains []geoLine
	for i, line := range lines {
		if used[i] {
			continue
		}
		used[i] = true
		chain := line.clone()
		chain.pieces = 1
		for _, backward := range []bool{false, true} {
			if backward {
				chain.reverse()
			}
			for {
				end, found, err := next(chain.points[len(chain.points)-1])
				if err != nil {
					return nil, err
				}
				if !found {
					break
				}
				used[end.line] = true
				chain.append(lines[end.line], end.last)
			}
			if backward {
				chain.reverse()
			}
		}
		chains = append(chains, chain)
	}
	slices.SortStableFunc(chains, func(a, b geoLine) int { return cmp.Compare(len(b.points), len(a.points)) })
	return chains, nil
}
