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

// GeoJSON holds the options of NewGeoJSON. The zero value is ready for use.
type GeoJSON struct {
	Scale   float64 // metres per track unit; 0: 1
	Invalid bool    // also write invalid tracks, marked as invalid
}

// coordinateSpace tells readers of the file that the coordinates are not degrees. RFC 7946, section 4, allows parties
// to agree on other coordinates; section 6.1 allows additional members in a file.
const coordinateSpace = `{"type": "planar", "axes": ["x", "y"], "unit": "metre", ` +
	`"description": "Cartesian metres on a plane, x to the right and y upward, not degrees of longitude and latitude (RFC 7946 section 4, prior arrangement)"}`

type geoJSON struct {
	sequence
	textBuffer
	style  GeoJSON
	road   Road   // of the current track
	before string // separator before the next feature
}

// NewGeoJSON writes a FeatureCollection (RFC 7946) with two features for each track: the road and the centreline. The
// road is a Polygon with the outer border as its exterior ring (counter-clockwise) and the inner border as its hole
// (clockwise). For a circuit that crosses itself on a bridge, it is a MultiPolygon with one piece from each point to
// the next. The centreline is a closed LineString in the direction of travel.
//
// Coordinates are planar metres, as the member coordinate_space says. A track that is not entirely at height zero has
// the height as third coordinate. The properties of both features are kind ("road" or "centerline"), env, and the
// columns of docs/results.md that have one value per env, in the form that NewTracksJSON writes, with lengths in
// metres. The member made_by holds Metadata. An invalid track that cannot become a road (ErrNoRoad) has null as its
// geometry.
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

// appendTrack appends the two features of a track, one per line.
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

// appendRoadSurface appends the surface of a road. Its rings follow the right-hand rule of RFC 7946.
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
			r.Left[i]} // counter-clockwise, except where a bend folds the piece
		dst = append(dst, '[')
		dst = append(appendClosed(dst, piece[:], signedArea(piece[:]) < 0, flat), ']')
	}
	return append(dst, `]}`...)
}

// appendClosed appends the positions of a closed line, forward or backward. The first position is repeated at the end.
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
