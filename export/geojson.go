package export

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/track"
)

// GeoJSON says how tracks become GeoJSON. The zero value is ready for use.
type GeoJSON struct {
	Scale   float64 // metres of a track unit; 0: 1
	Invalid bool    // write tracks that are not valid too, marked as such, instead of leaving them out
}

// coordinateSpace tells readers of the file what the numbers are, since they are no degrees. RFC 7946, section 4, lets
// parties agree on other coordinates; section 6.1 lets files say so in a member of their own.
const coordinateSpace = `{"type": "planar", "axes": ["x", "y"], "unit": "metre", ` +
	`"description": "Cartesian metres on a plane, x to the right and y upward, not degrees of longitude and latitude (RFC 7946 section 4, prior arrangement)"}`

type geoJSON struct {
	sequence
	textBuffer
	style  GeoJSON
	road   Road   // that is being written
	before string // what separates the next feature from the last
}

// NewGeoJSON writes a FeatureCollection (RFC 7946) with two features for each track: the road, a Polygon with the outer
// border as its exterior ring (counter-clockwise) and the inner one as its hole (clockwise), and the centreline, a
// closed LineString in the direction of travel. The road of a circuit that crosses itself on a bridge is a MultiPolygon
// of one piece from each point to the next. Coordinates are planar metres, as the member coordinate_space says; a track
// that does not lie at height zero has the height as the third. The properties of both features are kind ("road" or
// "centerline"), env, and the columns of docs/results.md that have one value per env, as NewTracksJSON writes them,
// with lengths in metres. The member made_by holds Metadata. A track without finite points, which is not valid, has
// null for a geometry.
func NewGeoJSON(w io.Writer, shape Shape, metadata Metadata, style GeoJSON, options ...EncoderOption) (Encoder, error) {
	sequence, err := newSequence(shape, options...)
	if err != nil {
		return nil, err
	}
	if style.Scale == 0 {
		style.Scale = 1
	}
	if err := checkScale(style.Scale); err != nil {
		return nil, err
	}
	madeBy, err := json.Marshal(metadata.forShape(shape))
	if err != nil {
		return nil, err
	}
	out := &geoJSON{sequence: sequence, textBuffer: textBuffer{w: w}, style: style, before: "\n"}
	out.text = append(
		append(out.text, "{\"type\": \"FeatureCollection\",\n\"coordinate_space\": "+coordinateSpace+",\n\"made_by\": "...),
		madeBy...)
	out.text = append(out.text, ",\n\"features\": ["...)
	return out, nil
}

// Append implements Encoder.
func (g *geoJSON) Append(ctx context.Context, chunk *track.Batch) error {
	first, err := g.take(chunk)
	if err != nil {
		return err
	}
	properties := slices.DeleteFunc(written(Table(chunk)), func(c column.Host) bool { return c.Per != column.Env })
	for e := range chunk.Envs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if chunk.Valid[e] == 0 && !g.style.Invalid {
			continue
		}
		if err := g.appendTrack(properties, chunk, e, g.number(first+e)); err != nil {
			return err
		}
		if err := g.flush(); err != nil {
			return err
		}
	}
	return nil
}

// appendTrack appends the two features of a track, each on a line.
func (g *geoJSON) appendTrack(properties []column.Host, b *track.Batch, e, env int) error {
	road := &g.road
	if err := road.set(b, e, g.style.Scale); err != nil {
		var none *RoadError
		if !errors.As(err, &none) {
			return err
		}
		if b.Valid[e] != 0 {
			none.Env = env
			return err
		}
		road = nil
	}
	for _, kind := range [...]string{"road", "centerline"} {
		g.text = append(append(g.text, g.before...), `{"type": "Feature", "properties": {"kind": "`...)
		g.before = ",\n"
		g.text = append(append(g.text, kind...), '"')
		g.text = appendInt(append(g.text, `, "env": `...), env)
		for _, c := range properties {
			g.text = appendValueJSON(appendKeyJSON(g.text, c), c, b, e, g.style.Scale)
		}
		g.text = append(g.text, `}, "geometry": `...)
		switch {
		case road == nil:
			g.text = append(g.text, `null}`...)
		case kind == "road":
			g.text = append(appendRoadSurface(g.text, road), '}')
		default:
			g.text = append(g.text, `{"type": "LineString", "coordinates": `...)
			g.text = append(appendClosed(g.text, road.Center, false, road.flat()), `}}`...)
		}
	}
	return nil
}

// appendRoadSurface appends the surface of a road, with rings by the right-hand rule of RFC 7946.
func appendRoadSurface(dst []byte, r *Road) []byte {
	flat := r.flat()
	if !r.crossesItself() {
		exterior, hole := r.outerInner()
		dst = append(dst, `{"type": "Polygon", "coordinates": [`...)
		dst = appendClosed(dst, exterior, signedArea(exterior) < 0, flat)
		dst = append(dst, `, `...)
		dst = appendClosed(dst, hole, signedArea(hole) > 0, flat)
		return append(dst, `]}`...)
	}
	dst = append(dst, `{"type": "MultiPolygon", "coordinates": [`...)
	n := len(r.Center)
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		next := (i + 1) % n
		piece := [...]Point{r.Right[i], r.Right[next], r.Left[next],
			r.Left[i]} // counter-clockwise, but where a bend folds it
		dst = append(dst, '[')
		dst = append(appendClosed(dst, piece[:], signedArea(piece[:]) < 0, flat), ']')
	}
	return append(dst, `]}`...)
}

// appendClosed appends the positions of a closed line, its first one at both ends, in its direction or backward.
func appendClosed(dst []byte, line []Point, backward, flat bool) []byte {
	n := len(line)
	for i := range n + 1 {
		separator := byte(',')
		if i == 0 {
			separator = '['
		}
		p := line[i%n]
		if backward {
			p = line[(n-i)%n]
		}
		dst = append(dst, separator, '[')
		dst = appendCoordinate(dst, p.X)
		dst = appendCoordinate(append(dst, ','), p.Y)
		if !flat {
			dst = appendCoordinate(append(dst, ','), p.Z)
		}
		dst = append(dst, ']')
	}
	return append(dst, ']')
}

// Finish implements Encoder.
func (g *geoJSON) Finish() error {
	if err := g.finish(); err != nil {
		return err
	}
	g.text = append(g.text, "\n]}\n"...)
	return g.flushAll()
}
