package export

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
)

// gateGeoJSON writes gate courses as GeoJSON.
type gateGeoJSON struct {
	features
	line  []Point // positions of the gates of the current course
	left  []Point // positions of its left posts
	right []Point // positions of its right posts
}

// NewGatesGeoJSON writes a FeatureCollection (RFC 7946): for each course, the closed line through its gates in the
// order of flight, a LineString, and then each gate, a Point. All positions have three numbers; coordinates are those
// of NewGeoJSON.
//
// Both kinds of features have the properties kind ("course" or "gate") and env. A course also has the columns of
// docs/gates.md with one value per env, in the form that NewCoursesJSON writes; in degrees, also origin_latitude and
// origin_longitude. A gate has its index (gate) and the columns of gates but position: left and right are positions in
// the coordinates of the file, half_size is in metres, and tangent, forward and orientation are of the plane of the
// batch. The member made_by holds GateMetadata. A course or a gate of a course that is not valid has null as its
// geometry if one of its numbers is not finite.
func NewGatesGeoJSON(w io.Writer, shape Shape, metadata GateMetadata, style GeoJSON, options ...EncoderOption) (
	GateEncoder, error) {
	out, err := newFeatures(w, shape, metadata.forShape(shape), Metadata{}, style, options)
	if err != nil {
		return nil, err
	}
	return &gateGeoJSON{features: out}, nil
}

// Append implements EncoderOf.
func (g *gateGeoJSON) Append(ctx context.Context, chunk *gate.Batch) error {
	first, err := g.takeGates(chunk)
	if err != nil {
		return err
	}
	columns := gateTable(chunk)
	for e := range chunk.Envs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if chunk.Valid[e] == 0 && !g.style.Invalid {
			continue
		}
		if err := g.appendCourse(columns, chunk, e, g.number(first+e)); err != nil {
			return err
		}
		if err := g.flush(); err != nil {
			return err
		}
	}
	return nil
}

// appendCourse appends the features of a course, one per line.
func (g *gateGeoJSON) appendCourse(columns []column.Host, b *gate.Batch, e, env int) error {
	at, err := g.positions.of(env)
	if err != nil {
		return errNoCourse(env, "its origin: %v", err)
	}
	reason := g.place(b, e, at)
	if reason != "" && b.Valid[e] != 0 {
		return errNoCourse(env, "%s", reason)
	}
	there := reason == ""
	g.begin("course", env)
	reasons := func(e int) []string { return GateReasonNames(b, e) }
	for _, c := range columns {
		if c.Per == column.Env {
			g.text = appendValueJSON(appendKeyJSON(g.text, c), c, reasons, e, g.style.Scale)
		}
	}
	g.text = at.appendOrigin(g.text)
	g.text = append(g.text, `}, "geometry": `...)
	if there {
		g.text = append(g.text, `{"type": "LineString", "coordinates": `...)
		g.text = append(appendClosed(g.text, g.line, false), `}}`...)
	} else {
		g.text = append(g.text, `null}`...)
	}
	for i := range int(b.Count[e]) {
		g.appendGate(columns, b, e, i, env, there)
	}
	return nil
}

// place computes the positions of the gates of a course and of their posts. It returns why there are none, or "".
func (g *gateGeoJSON) place(b *gate.Batch, e int, at placement) string {
	const least = 2 // positions of a line
	if b.Count[e] < least {
		return fmt.Sprintf("it has %d gates, expected at least %d", b.Count[e], least)
	}
	for _, line := range [...]struct {
		name  string
		array []kernel.Vec3
		to    *[]Point
	}{{"position", b.Position, &g.line}, {"left", b.Left, &g.left}, {"right", b.Right, &g.right}} {
		var points []Point
		for i, p := range b.Gates(line.array, e) {
			point := scaled(p, g.style.Scale)
			if !finitePoint(point) {
				return fmt.Sprintf("%s of gate %d is (%v, %v, %v), %v m a unit; expected numbers that are finite as float32",
					line.name, i, p.X, p.Y, p.Z, g.style.Scale)
			}
			points = append(points, point)
		}
		var err error
		if *line.to, err = at.line((*line.to)[:0], points); err != nil {
			return err.Error()
		}
	}
	return ""
}

// appendGate appends the feature of a gate. there says that the positions of the course are known.
func (g *gateGeoJSON) appendGate(columns []column.Host, b *gate.Batch, e, i, env int, there bool) {
	g.begin("gate", env)
	g.text = appendInt(append(g.text, `, "gate": `...), i)
	k := e*b.MaxGates + i
	for _, c := range columns {
		switch {
		case c.Per == column.Env || c.Name == "position":
			continue
		case c.Name == "left" && there:
			g.text = appendPosition(appendKeyJSON(g.text, c), g.left[i], false)
		case c.Name == "right" && there:
			g.text = appendPosition(appendKeyJSON(g.text, c), g.right[i], false)
		case c.Unit == column.Length && c.Type == kernel.TypeVec3:
			g.text = append(appendKeyJSON(g.text, c), "null"...)
		case c.Unit == column.Length:
			g.text = appendNumberOrNull(appendKeyJSON(g.text, c), float32(float64(c.Numbers()[k])*g.style.Scale))
		default:
			g.text = appendElementJSON(appendKeyJSON(g.text, c), c, k)
		}
	}
	g.text = append(g.text, `}, "geometry": `...)
	if !there {
		g.text = append(g.text, `null}`...)
		return
	}
	g.text = append(g.text, `{"type": "Point", "coordinates": `...)
	g.text = append(appendPosition(g.text, g.line[i], false), `}}`...)
}

// appendOrigin appends the properties for the place of (0, 0) if positions are in degrees.
func (at placement) appendOrigin(dst []byte) []byte {
	if at.plane == nil {
		return dst
	}
	dst = strconv.AppendFloat(append(dst, `, "origin_latitude": `...), at.plane.Latitude, 'f', -1, 64)
	return strconv.AppendFloat(append(dst, `, "origin_longitude": `...), at.plane.Longitude, 'f', -1, 64)
}
