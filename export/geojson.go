package export

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// GeoJSON holds the options of NewGeoJSON. The zero value is ready for use.
type GeoJSON struct {
	Scale   float64 // metres per track unit; 0: 1
	Invalid bool    // also write invalid tracks, marked as invalid

	// CRS names the coordinate reference system of the metres in the file: an authority and a code, such as
	// "EPSG:32632", or LocalCRS for the plane of the batch, which is the default. It converts no coordinates, but
	// circuits that were moved to the origin (ImportedCircuit.Origin) return to their place, unless it is LocalCRS.
	CRS string
	// Origin is the place of (0, 0) of the batch. If it is set, the file is in degrees and CRS must be empty. Circuits
	// that were imported from degrees (ImportedCircuit.Projection) return to degrees without it.
	Origin *Projection
}

// features writes a FeatureCollection.
type features struct {
	sequence
	textBuffer
	style     GeoJSON
	positions positions
	before    string // separator before the next feature
}

type geoJSON struct {
	features
	road    Road // of the current track
	right   []Point
	left    []Point
	center  []Point
	surface surface
}

// NewGeoJSON writes a FeatureCollection (RFC 7946) with two features for each track: the road and the centreline. The
// road is the surface seen from above, a geometry that is valid in the sense of OGC Simple Features. It is a Polygon
// with the outer border as its exterior ring (counter-clockwise) and the inner border as its hole (clockwise). Where
// the road crosses itself on a bridge, and where a border folds in a tight bend, it is the union of all parts of the
// road: a Polygon with more holes, or a MultiPolygon. The centreline is a closed LineString in the direction of travel.
//
// Coordinates are metres on a plane, or degrees, as the members crs and coordinate_space say. A track that is not
// entirely at height zero has the height as third coordinate; a road of several heights that crosses itself has none.
// The properties of both features are kind ("road" or "centerline"), env, name if the track has one, and the columns of
// docs/results.md that have one value per env, in the form that NewTracksJSON writes, with lengths in metres. The
// centreline also has the columns width_right and width_left, as lists in metres, and bank, with an element for each
// point; the last position, which repeats the first, has none. In degrees, both features have the origin of the plane
// on which the track was, origin_latitude and origin_longitude. The member made_by holds Metadata. An invalid track
// that cannot become a road (ErrNoRoad) has null as its geometry. So has the road of a track without an area, and of an
// invalid track whose borders cross too often.
func NewGeoJSON(w io.Writer, shape Shape, metadata Metadata, style GeoJSON, options ...EncoderOption) (Encoder, error) {
	out, err := newFeatures(w, shape, metadata.forShape(shape), metadata, style, options)
	if err != nil {
		return nil, err
	}
	return &geoJSON{features: out}, nil
}

// newFeatures starts a file. madeBy is its metadata; tracks are those that say where circuits were, or none.
func newFeatures(w io.Writer, shape Shape, madeBy json.Marshaler, tracks Metadata, style GeoJSON,
	options []EncoderOption) (features, error) {
	sequence, err := newSequence(shape, options...)
	if err != nil {
		return features{}, err
	}
	if style.Scale == 0 {
		style.Scale = 1
	}
	if err := checkScale(style.Scale); err != nil {
		return features{}, err
	}
	out := features{sequence: sequence, textBuffer: textBuffer{w: w}, style: style, before: "\n"}
	if out.positions, err = newPositions(style, tracks, sequence.numbers, shape.Envs); err != nil {
		return out, err
	}
	text, err := json.Marshal(madeBy)
	if err != nil {
		return out, err
	}
	out.text = append(append(out.text, "{\"type\": \"FeatureCollection\",\n"...), out.positions.members()...)
	out.text = append(append(out.text, ",\n\"made_by\": "...), text...)
	out.text = append(out.text, ",\n\"features\": ["...)
	return out, nil
}

// begin appends the beginning of a feature: its properties kind and env.
func (f *features) begin(kind string, env int) {
	f.text = append(append(f.text, f.before...), `{"type": "Feature", "properties": {"kind": "`...)
	f.before = ",\n"
	f.text = appendInt(append(append(f.text, kind...), `", "env": `...), env)
}

// Append implements Encoder.
func (g *geoJSON) Append(ctx context.Context, chunk *track.Batch) error {
	first, err := g.take(chunk)
	if err != nil {
		return err
	}
	columns := written(Table(chunk))
	for e := range chunk.Envs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if chunk.Valid[e] == 0 && !g.style.Invalid {
			continue
		}
		if err := g.appendTrack(columns, chunk, e, g.number(first+e)); err != nil {
			return err
		}
		if err := g.flush(); err != nil {
			return err
		}
	}
	return nil
}

// appendTrack appends the two features of a track, one per line.
func (g *geoJSON) appendTrack(columns []column.Host, b *track.Batch, e, env int) error {
	at, err := g.positions.of(env)
	if err != nil {
		return errNoRoad(env, "its origin: %v", err)
	}
	surface, err := g.place(b, e, at)
	there := err == nil
	if err != nil {
		var none *RoadError
		if !errors.As(err, &none) {
			return err
		}
		if b.Valid[e] != 0 {
			none.Env = env
			return err
		}
	}
	for _, kind := range [...]string{roadKind, centerlineKind} {
		g.begin(kind, env)
		g.text = appendNameJSON(g.text, b.Name(e))
		g.appendProperties(columns, b, e, kind)
		g.text = append(at.appendOrigin(g.text), `}, "geometry": `...)
		switch {
		case !there:
			g.text = append(g.text, `null}`...)
		case kind == roadKind:
			g.text = append(appendSurface(g.text, surface, g.road.flat()), '}')
		default:
			g.text = append(g.text, `{"type": "LineString", "coordinates": `...)
			g.text = append(appendClosed(g.text, g.center, g.road.flat()), `}}`...)
		}
	}
	return nil
}

// Kinds of features.
const (
	roadKind       = "road"
	centerlineKind = "centerline"
)

// place computes the positions of the centreline and of the surface of a track.
func (g *geoJSON) place(b *track.Batch, e int, at placement) (surface []polygon, err error) {
	if err := g.road.set(b, e, g.style.Scale); err != nil {
		return nil, err
	}
	for _, line := range [...]struct {
		from []Point
		to   *[]Point
	}{{g.road.Center, &g.center}, {g.road.Right, &g.right}, {g.road.Left, &g.left}} {
		if *line.to, err = at.line((*line.to)[:0], line.from); err != nil {
			return nil, errNoRoad(e, "%v", err)
		}
	}
	surface, err = g.surface.of(g.right, g.left)
	switch {
	case err == nil:
		return surface, nil
	case b.Valid[e] == 0: // the centreline is written anyway
		return nil, nil
	default:
		return nil, errNoRoad(e, "its borders: %v", err)
	}
}

// appendProperties appends the columns of a track that a feature of this kind has.
func (g *geoJSON) appendProperties(columns []column.Host, b *track.Batch, e int, kind string) {
	reasons := func(e int) []string { return ReasonNames(b, e) }
	for _, c := range columns {
		switch {
		case c.Per == column.Env:
			g.text = appendValueJSON(appendKeyJSON(g.text, c), c, reasons, e, g.style.Scale)
		case kind == centerlineKind && !leavesOut(geoJSONFile, c.Column) && c.Type == kernel.Float32:
			g.text = append(appendKeyJSON(g.text, c), '[')
			scale := 1.0
			if c.Unit == column.Length {
				scale = g.style.Scale
			}
			for i, v := range c.Numbers()[e*b.NMax : e*b.NMax+int(b.Count[e])] {
				if i > 0 {
					g.text = append(g.text, ',')
				}
				g.text = appendNumberOrNull(g.text, float32(float64(v)*scale))
			}
			g.text = append(g.text, ']')
		}
	}
}

// appendSurface appends the geometry of a road.
func appendSurface(dst []byte, surface []polygon, flat bool) []byte {
	if len(surface) == 0 {
		return append(dst, "null"...)
	}
	many := len(surface) > 1
	if many {
		dst = append(dst, `{"type": "MultiPolygon", "coordinates": [`...)
	} else {
		dst = append(dst, `{"type": "Polygon", "coordinates": `...)
	}
	for i, p := range surface {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendClosed(append(dst, '['), p.exterior, flat || p.flat)
		for _, hole := range p.holes {
			dst = appendClosed(append(dst, ", "...), hole, flat || p.flat)
		}
		dst = append(dst, ']')
	}
	if many {
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// appendClosed appends the positions of a closed line. The first position is repeated at the end.
func appendClosed(dst []byte, line []Point, flat bool) []byte {
	for i := range len(line) + 1 {
		separator := byte(',')
		if i == 0 {
			separator = '['
		}
		dst = appendPosition(append(dst, separator), line[i%len(line)], flat)
	}
	return append(dst, ']')
}

// appendPosition appends a position, without its height if flat is set.
func appendPosition(dst []byte, p Point, flat bool) []byte {
	dst = strconv.AppendFloat(append(dst, '['), p.X, 'f', -1, 64)
	dst = strconv.AppendFloat(append(dst, ','), p.Y, 'f', -1, 64)
	if !flat {
		dst = appendCoordinate(append(dst, ','), p.Z)
	}
	return append(dst, ']')
}

// Finish implements EncoderOf.
func (f *features) Finish() error {
	if err := f.finish(); err != nil {
		return err
	}
	f.text = append(f.text, "\n]}\n"...)
	return f.flushAll()
}
