package export

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// feature is a feature of a file that NewGeoJSON writes.
type feature struct {
	Type       string
	Properties struct {
		Kind                    string
		Env, Seed, Epoch, Count int
		Candidate, Component    int
		Valid                   *bool
		Reasons                 []string
		Crossings               *int
		Length, Winding         *float64
		WidthRight              []float64 `json:"width_right"`
		WidthLeft               []float64 `json:"width_left"`
		Bank                    []float64
		OriginLatitude          *float64 `json:"origin_latitude"`
		OriginLongitude         *float64 `json:"origin_longitude"`
	}
	Geometry *struct {
		Type        string
		Coordinates json.RawMessage
	}
}

type featureCollection struct {
	Type string
	CRS  *struct {
		Type       string
		Properties struct{ Name string }
	}
	CoordinateSpace struct {
		Type, Unit, Description string
		Axes                    []string
	} `json:"coordinate_space"`
	MadeBy   Metadata `json:"made_by"`
	Features []feature
}

func geoJSONOf(t *testing.T, b *track.Batch, style GeoJSON, options ...EncoderOption) featureCollection {
	t.Helper()
	return geoJSONWith(t, b, sampleMetadata(), style, options...)
}

func geoJSONWith(t *testing.T, b *track.Batch, metadata Metadata, style GeoJSON,
	options ...EncoderOption) featureCollection {
	t.Helper()
	text := encode(t, b, func(w io.Writer) (Encoder, error) {
		return NewGeoJSON(w, ShapeOf(b), metadata, style, options...)
	})
	require.NotContains(t, string(text), "NaN")
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var got featureCollection
	require.NoError(t, decoder.Decode(&got))
	require.Equal(t, "FeatureCollection", got.Type)
	for _, f := range got.Features {
		requireValidSurface(t, f)
	}
	return got
}

// requireRing checks a linear ring as RFC 7946 section 3.1.6 defines it, and returns its signed area.
func requireRing(t *testing.T, ring [][]float64, dimensions int) float64 {
	t.Helper()
	require.GreaterOrEqual(t, len(ring), 4)
	require.Equal(t, ring[0], ring[len(ring)-1], "closed")
	area := 0.0
	for i, p := range ring[:len(ring)-1] {
		require.Len(t, p, dimensions)
		q := ring[i+1]
		require.NotEqual(t, p, q)
		area += (p[0]*q[1] - q[0]*p[1]) / 2
	}
	return area
}

func TestGeoJSON(t *testing.T) {
	b := unequalBatch()
	got := geoJSONOf(t, b, GeoJSON{Scale: 10}, Numbered([]int{7, 300}))
	require.Equal(t, 2, got.MadeBy.Config.NumEnvs)
	require.Len(t, got.Features, 4)
	for k, f := range got.Features {
		e := k / 2
		require.Equal(t, "Feature", f.Type)
		require.Equal(t, []int{7, 300}[e], f.Properties.Env)
		require.Equal(t, 50+e, f.Properties.Seed)
		require.Equal(t, 3, f.Properties.Epoch)
		require.True(t, *f.Properties.Valid)
		require.Empty(t, f.Properties.Reasons)
		require.Equal(t, int(b.Count[e]), f.Properties.Count)
		require.InEpsilon(t, 10*float64(b.Length[e]), *f.Properties.Length, 1e-6)
		require.Equal(t, float64(b.Winding[e]), *f.Properties.Winding)
		if k%2 == 0 {
			require.Equal(t, []string{"road", "Polygon"}, []string{f.Properties.Kind, f.Geometry.Type})
			var rings [][][]float64
			require.NoError(t, json.Unmarshal(f.Geometry.Coordinates, &rings))
			require.Len(t, rings, 2)
			exterior, hole := requireRing(t, rings[0], 3), requireRing(t, rings[1], 3)
			require.Positive(t, exterior, "exterior rings run counter-clockwise")
			require.Negative(t, hole, "holes run clockwise")
			// The area of the road is its width times the length of its centreline.
			require.InEpsilon(t, 10*float64(b.Length[e])*2.25, exterior+hole, 0.05)
			continue
		}
		require.Equal(t, []string{"centerline", "LineString"}, []string{f.Properties.Kind, f.Geometry.Type})
		var line [][]float64
		require.NoError(t, json.Unmarshal(f.Geometry.Coordinates, &line))
		require.Len(t, line, int(b.Count[e])+1)
		require.Equal(t, math.Copysign(1, requireRing(t, line, 3)), float64(b.Winding[e]), "in the direction of travel")
		first := b.Center[e*b.NMax]
		require.InDelta(t, 10*first.X, line[0][0], 1e-5)
		require.InDelta(t, 20, line[0][2], 1e-9)
	}
}

func TestGeoJSONOfTracksThatAreNotValid(t *testing.T) {
	b := sampleBatch()
	envs := func(c featureCollection) (list []int) {
		for _, f := range c.Features {
			list = append(list, f.Properties.Env)
		}
		return list
	}
	require.Equal(t, []int{0, 0, 1, 1, 5, 5}, envs(geoJSONOf(t, b, GeoJSON{})))

	all := geoJSONOf(t, b, GeoJSON{Invalid: true})
	require.Equal(t, []int{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6}, envs(all))
	for _, f := range all.Features {
		e := f.Properties.Env
		require.Equal(t, b.Valid[e] == 1, *f.Properties.Valid)
		require.Equal(t, e == 3 || e == 4, f.Geometry == nil, "null where points are not finite")
		require.Equal(t, b.Valid[e] == 1, len(f.Properties.Reasons) == 0)
	}
	require.Nil(t, all.Features[8].Properties.Length, "-Inf")

	// A file may mark any track as valid.
	b.Valid[4] = 1
	e, err := NewGeoJSON(io.Discard, ShapeOf(b), Metadata{}, GeoJSON{})
	require.NoError(t, err)
	require.ErrorIs(t, e.Append(context.Background(), b), ErrNoRoad)
	_, err = NewGeoJSON(io.Discard, ShapeOf(b), Metadata{}, GeoJSON{}, Numbered([]int{1}))
	require.ErrorContains(t, err, "1 numbers of envs: expected 7")
	_, err = NewGeoJSON(io.Discard, ShapeOf(b), Metadata{}, GeoJSON{Scale: -1})
	require.ErrorContains(t, err, "scale is -1")
}

// polygonsOf returns the polygons of a feature: a list of rings each.
func polygonsOf(t *testing.T, f feature) (polygons [][][][]float64) {
	t.Helper()
	switch {
	case f.Geometry == nil:
	case f.Geometry.Type == "Polygon":
		polygons = make([][][][]float64, 1)
		require.NoError(t, json.Unmarshal(f.Geometry.Coordinates, &polygons[0]))
	case f.Geometry.Type == "MultiPolygon":
		require.NoError(t, json.Unmarshal(f.Geometry.Coordinates, &polygons))
		require.Greater(t, len(polygons), 1)
	}
	return polygons
}

// requireValidSurface checks the rules of OGC Simple Features: exteriors run counter-clockwise and holes clockwise,
// rings do not visit a place twice, and no two edges share more than one end. The arithmetic is exact.
func requireValidSurface(t *testing.T, f feature) {
	t.Helper()
	type edge struct{ a, b [2]float64 }
	var edges []edge
	for _, polygon := range polygonsOf(t, f) {
		for k, ring := range polygon {
			counterClockwise := requireRing(t, ring, len(ring[0])) > 0
			require.Equal(t, k == 0, counterClockwise, "env %d: ring %d", f.Properties.Env, k)
			seen := map[[2]float64]bool{}
			for i, p := range ring[1:] {
				a, b := [2]float64(ring[i][:2]), [2]float64(p[:2])
				require.False(t, seen[b], "env %d: a ring visits %v twice", f.Properties.Env, b)
				seen[b] = true
				edges = append(edges, edge{a, b})
			}
		}
	}
	side := func(a, b, p [2]float64) int {
		number := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
		product := func(a, b, c, d float64) *big.Rat {
			return new(big.Rat).Mul(new(big.Rat).Sub(number(a), number(b)), new(big.Rat).Sub(number(c), number(d)))
		}
		return product(b[0], a[0], p[1], a[1]).Cmp(product(b[1], a[1], p[0], a[0]))
	}
	for i, e := range edges {
		for _, f := range edges[:i] {
			if min(e.a[0], e.b[0]) > max(f.a[0], f.b[0]) || min(f.a[0], f.b[0]) > max(e.a[0], e.b[0]) ||
				min(e.a[1], e.b[1]) > max(f.a[1], f.b[1]) || min(f.a[1], f.b[1]) > max(e.a[1], e.b[1]) {
				continue
			}
			ends := 0
			for _, p := range [][2]float64{f.a, f.b} {
				if p == e.a || p == e.b {
					ends++
				}
			}
			sides := side(e.a, e.b, f.a)*side(e.a, e.b, f.b) + side(f.a, f.b, e.a)*side(f.a, f.b, e.b)
			if ends == 1 { // the other ends may lie on one line, but not on the other edge
				other := func(e edge, p [2]float64) [2]float64 {
					if e.a == p {
						return e.b
					}
					return e.a
				}
				shared := e.a
				if e.b == f.a || e.b == f.b {
					shared = e.b
				}
				p, q := other(e, shared), other(f, shared)
				ahead := (p[0]-shared[0])*(q[0]-shared[0])+(p[1]-shared[1])*(q[1]-shared[1]) > 0
				require.False(t, side(shared, p, q) == 0 && ahead, "%v lies on %v", e, f)
				continue
			}
			separate := side(e.a, e.b, f.a)*side(e.a, e.b, f.b) > 0 || side(f.a, f.b, e.a)*side(f.a, f.b, e.b) > 0
			require.True(t, ends == 0 && (separate || sides == 0 && !meetOnALine(e.a, e.b, f.a, f.b)), "%v meets %v", e, f)
		}
	}
}

// meetOnALine reports whether the intervals of two edges on one line overlap.
func meetOnALine(a, b, c, d [2]float64) bool {
	overlap := func(axis int) bool {
		return max(a[axis], b[axis]) >= min(c[axis], d[axis]) && max(c[axis], d[axis]) >= min(a[axis], b[axis])
	}
	return overlap(0) && overlap(1)
}

// surfaceArea returns the area of the polygons of a feature.
func surfaceArea(t *testing.T, f feature) (sum float64) {
	t.Helper()
	for _, polygon := range polygonsOf(t, f) {
		for _, ring := range polygon {
			sum += requireRing(t, ring, len(ring[0]))
		}
	}
	return sum
}

// difficult holds roads whose two borders make no valid polygon.
func difficult() *track.Batch {
	b := newBatch(7, 200)
	setTrack(b, 0, 96, 0.05, lemniscate(1)) // a bridge
	setTrack(b, 1, 96, 0.3, lemniscate(1))  // whose ends overlap the bridge
	setTrack(b, 2, 96, 0.4, wavy(1, 0.35, 5, 0.4))
	setTrack(b, 3, 60, 0.6, circle(0.5)) // the inner border runs beyond the centre
	setTrack(b, 4, 180, 0.05, func(u float64) (float64, float64) {
		return math.Cos(4*math.Pi*u) * (1 + 0.02*math.Sin(2*math.Pi*u)), math.Sin(4 * math.Pi * u) // two laps
	})
	setTrack(b, 5, 199, 0.02, func(u float64) (float64, float64) { // 24 crossings
		return math.Sin(10 * math.Pi * u), math.Cos(6*math.Pi*u + 0.3)
	})
	setTrack(b, 6, 40, 0.1, circle(0.05))
	return b
}

// A bridge has one surface, seen from above: the place of the crossing counts once.
func TestGeoJSONOfABridge(t *testing.T) {
	b := newBatch(1, 96)
	setTrack(b, 0, 96, 0.05, lemniscate(1))
	r := mustRoad(t, b, 0, 10)
	road := geoJSONOf(t, b, GeoJSON{Scale: 10}).Features[0]
	require.Equal(t, "Polygon", road.Geometry.Type)
	require.Len(t, polygonsOf(t, road)[0], 3, "the exterior and two infields")
	// Both roads are a metre wide. At the crossing, they lie in the directions (1, 1.4) and (1, -1.4).
	angle := 2 * math.Atan(1.4)
	require.InEpsilon(t, r.Length-1/math.Sin(angle), surfaceArea(t, road), 0.015)

	// Env 3 of the difficult roads covers a whole disc, and env 4 the ring between its borders once.
	got := geoJSONOf(t, difficult(), GeoJSON{})
	require.Len(t, got.Features, 14)
	require.InEpsilon(t, math.Pi*1.1*1.1, surfaceArea(t, got.Features[6]), 0.01)
	require.Len(t, polygonsOf(t, got.Features[6])[0], 1)
	require.InEpsilon(t, math.Pi*(1.06*1.06-0.94*0.94), surfaceArea(t, got.Features[8]), 0.1)
}

// A road of one height has it in every position, and a bridge of several heights has none.
func TestHeightsOfABridge(t *testing.T) {
	b := newBatch(2, 96)
	for e := range b.Envs {
		setTrack(b, e, 96, 0.05, lemniscate(1))
		for i := range int(b.Count[e]) {
			for _, line := range [][]kernel.Vec3{b.Center, b.Outer, b.Inner} {
				line[e*b.NMax+i].Z = 3
			}
		}
	}
	b.Center[b.NMax].Z = 4
	b.Outer[b.NMax].Z = 4
	b.Inner[b.NMax].Z = 4
	got := geoJSONOf(t, b, GeoJSON{})
	for _, ring := range polygonsOf(t, got.Features[0])[0] {
		for _, p := range ring {
			require.Len(t, p, 3)
			require.Equal(t, 3.0, p[2])
		}
	}
	require.Len(t, polygonsOf(t, got.Features[2])[0][0][0], 2)
	var line [][]float64
	require.NoError(t, json.Unmarshal(got.Features[3].Geometry.Coordinates, &line))
	require.Equal(t, 4.0, line[0][2])
}

func TestGeoJSONWidths(t *testing.T) {
	b := measuredBatch(2)
	got := geoJSONOf(t, b, GeoJSON{Scale: 2})
	for e := range 2 {
		road, line := got.Features[2*e].Properties, got.Features[2*e+1].Properties
		assert.Empty(t, road.WidthRight)
		require.Len(t, line.WidthRight, 30+e)
		for i, right := range line.WidthRight {
			assert.InDelta(t, 2*b.WidthRight[e*b.NMax+i], right, 1e-6)
			assert.InDelta(t, 10.0, line.WidthLeft[i], 1e-6)
		}
		assert.Equal(t, int(b.Crossings[e]), *line.Crossings)
	}
}

// The file says what its coordinates are: metres on a plane, metres on a map, or degrees.
func TestCoordinatesOfGeoJSON(t *testing.T) {
	b := newBatch(1, 40)
	setTrack(b, 0, 40, 5, circle(1000))
	first := func(c featureCollection) []float64 {
		var line [][]float64
		require.NoError(t, json.Unmarshal(c.Features[1].Geometry.Coordinates, &line))
		return line[0]
	}
	plane := geoJSONOf(t, b, GeoJSON{})
	require.Equal(t, []float64{1000, 0}, first(plane))
	require.Equal(t, `LOCAL_CS["plane",UNIT["metre",1],AXIS["x",EAST],AXIS["y",NORTH]]`, plane.CRS.Properties.Name)
	require.Equal(t, "planar", plane.CoordinateSpace.Type)
	require.Equal(t, []string{"x", "y"}, plane.CoordinateSpace.Axes)
	require.Equal(t, "metre", plane.CoordinateSpace.Unit)

	projected := geoJSONOf(t, b, GeoJSON{CRS: "EPSG:32632"})
	require.Equal(t, []float64{1000, 0}, first(projected))
	require.Equal(t, "urn:ogc:def:crs:EPSG::32632", projected.CRS.Properties.Name)
	require.Equal(t, "projected", projected.CoordinateSpace.Type)

	// A kilometre east of 60 degrees north is 1000 m / (N cos 60°) with the radius N = a / sqrt(1 - e² sin² 60°).
	degrees := geoJSONOf(t, b, GeoJSON{Origin: &Projection{Latitude: 60, Longitude: 24}})
	require.Nil(t, degrees.CRS, "RFC 7946")
	require.Equal(t, "geographic", degrees.CoordinateSpace.Type)
	require.Equal(t, "degree", degrees.CoordinateSpace.Unit)
	radius := 6378137 / math.Sqrt(1-0.00669437999014*0.75)
	require.InDelta(t, 24+1000/(radius*0.5)*180/math.Pi, first(degrees)[0], 2e-9)
	require.InDelta(t, 60, first(degrees)[1], 1e-4)
	require.Equal(t, 60.0, *degrees.Features[0].Properties.OriginLatitude)
	require.Equal(t, 24.0, *degrees.Features[1].Properties.OriginLongitude)
	require.InEpsilon(t, float64(b.Length[0]), *degrees.Features[0].Properties.Length, 1e-6, "metres")
}

// Circuits that were moved return to their place on the map, and circuits from degrees return to degrees.
func TestPlacesOfImportedCircuits(t *testing.T) {
	b := newBatch(2, 40)
	setTrack(b, 0, 40, 5, circle(1000))
	setTrack(b, 1, 40, 5, circle(1000))
	moved := Metadata{Import: &Import{Circuits: []ImportedCircuit{
		{File: "a.csv", Origin: &[2]float64{432000.25, 5400000}}, {File: "b.csv", Origin: &[2]float64{-1, 2}},
	}}}
	first := func(metadata Metadata, style GeoJSON, options ...EncoderOption) (places [][]float64) {
		got := geoJSONWith(t, b, metadata, style, options...)
		for _, k := range []int{1, 3} {
			var line [][]float64
			require.NoError(t, json.Unmarshal(got.Features[k].Geometry.Coordinates, &line))
			places = append(places, line[0])
		}
		return places
	}
	assert.Equal(t, [][]float64{{1000, 0}, {1000, 0}}, first(moved, GeoJSON{}))
	assert.Equal(t, [][]float64{{433000.25, 5400000}, {999, 2}}, first(moved, GeoJSON{CRS: "EPSG:32632"}))
	assert.Equal(t, [][]float64{{999, 2}, {433000.25, 5400000}},
		first(moved, GeoJSON{CRS: "EPSG:32632"}, Numbered([]int{1, 0})))

	degrees := Metadata{Import: &Import{Circuits: []ImportedCircuit{
		{File: "a.geojson", Projection: &Projection{Latitude: 0, Longitude: 10}},
		{File: "b.geojson", Projection: &Projection{Latitude: 0, Longitude: -20}},
	}}}
	east := 1000.0 / 6378137 * 180 / math.Pi // of a kilometre on the equator
	got := first(degrees, GeoJSON{})
	assert.InDeltaSlice(t, []float64{10 + east, 0}, got[0], 2e-9)
	assert.InDeltaSlice(t, []float64{-20 + east, 0}, got[1], 2e-9)
	assert.Equal(t, [][]float64{{1000, 0}, {1000, 0}}, first(degrees, GeoJSON{CRS: LocalCRS}))
	assert.InDelta(t, 50+east, first(degrees, GeoJSON{Origin: &Projection{Latitude: 0, Longitude: 50}})[1][0], 2e-9)
	degrees.Import.Circuits[1].Projection = nil
	assert.Equal(t, [][]float64{{1000, 0}, {1000, 0}}, first(degrees, GeoJSON{}), "not all are from degrees")
}

func TestGeoJSONRefusesPlaces(t *testing.T) {
	b := newBatch(1, 40)
	setTrack(b, 0, 40, 5, circle(1000))
	for message, style := range map[string]GeoJSON{
		`CRS is "EPSG:4326", which has degrees, but tracks have metres`: {CRS: "EPSG:4326"},
		`CRS is "utm 32": must be "local" or an authority and a code`:   {CRS: "utm 32"},
		`a CRS ("EPSG:32632") or an origin in degrees, not both`:        {CRS: "EPSG:32632", Origin: new(Projection)},
		`the latitude of the origin is 91: must be a number of degrees`: {Origin: &Projection{Latitude: 91, Longitude: 0}},
		`the longitude of the origin is NaN`:                            {Origin: &Projection{Longitude: math.NaN()}},
	} {
		_, err := NewGeoJSON(io.Discard, ShapeOf(b), Metadata{}, style)
		assert.ErrorContains(t, err, message)
	}
	for message, style := range map[string]GeoJSON{
		"it crosses the antimeridian": {Origin: &Projection{Latitude: 10, Longitude: 180}},
		"more than 1000 km from":      {Origin: &Projection{Latitude: 10, Longitude: 20}, Scale: 2000},
	} {
		e, err := NewGeoJSON(io.Discard, ShapeOf(b), Metadata{}, style)
		require.NoError(t, err)
		err = e.Append(context.Background(), b)
		assert.ErrorIs(t, err, ErrNoRoad)
		assert.ErrorContains(t, err, message)
	}
}

func TestClosedLinesKeepTheFirstPoint(t *testing.T) {
	square := []Point{{X: 0}, {X: 1}, {X: 1, Y: 1}, {Y: 1}}
	turn(square, 1)
	require.Equal(t, "[[0,0],[1,0],[1,1],[0,1],[0,0]]", string(appendClosed(nil, square, true)))
	turn(square, -1)
	require.Equal(t, "[[0,0,0],[0,1,0],[1,1,0],[1,0,0],[0,0,0]]", string(appendClosed(nil, square, false)))
}

// shapely runs a script with Shapely. Without it the test is skipped, except if TRACKGEN_SHAPELY names its folder.
func shapely(t *testing.T, script string, args ...string) {
	t.Helper()
	interpreter, required := os.LookupEnv("TRACKGEN_PYTHON")
	if !required {
		interpreter = "python3"
	}
	folder, required := os.LookupEnv("TRACKGEN_SHAPELY")
	run := func(script string, args ...string) ([]byte, error) {
		command := exec.Command(interpreter, append([]string{"-c", script}, args...)...)
		if required {
			command.Env = append(os.Environ(), "PYTHONPATH="+folder)
		}
		return command.CombinedOutput()
	}
	if out, err := run("import shapely"); err != nil {
		require.False(t, required, "TRACKGEN_SHAPELY=%s has no Shapely: %v\n%s", folder, err, out)
		t.Skip("python3 with Shapely is needed to check the files against it")
	}
	out, err := run(script, args...)
	require.NoError(t, err, "%s", out)
}

// TestShapelyReadsGeoJSON checks every geometry by the rules of GEOS, the library behind Shapely, GeoPandas and QGIS.
func TestShapelyReadsGeoJSON(t *testing.T) {
	const script = `
import json, sys
from shapely.geometry import box, shape
from shapely.validation import explain_validity
for path in sys.argv[1:]:
    for feature in json.load(open(path))["features"]:
        if feature["geometry"] is None:
            continue
        g = shape(feature["geometry"])
        env = feature["properties"]["env"]
        assert feature["properties"]["kind"] == "centerline" or g.is_valid, (path, env, explain_validity(g))
        x0, y0, x1, y1 = g.bounds
        half = box(x0, y0, (x0 + x1) / 2, y1)
        parts = g.intersection(half), g.difference(half)
        assert abs(sum(p.area for p in parts) - g.area) <= 1e-9 * max(g.area, 1), (path, env)
`
	args := []string{}
	for name, style := range map[string]GeoJSON{
		"plane": {Invalid: true}, "scaled": {Invalid: true, Scale: 47.11}, "small": {Invalid: true, Scale: 1e-6},
		"degrees": {Invalid: true, Scale: 100, Origin: &Projection{Latitude: -33.7, Longitude: 151.2}},
	} {
		for kind, b := range map[string]*track.Batch{
			"difficult": difficult(), "sample": sampleBatch(), "unequal": unequalBatch(), "measured": measuredBatch(3),
		} {
			path := filepath.Join(t.TempDir(), name+" "+kind+".geojson")
			require.NoError(t, os.WriteFile(path, encode(t, b, func(w io.Writer) (Encoder, error) {
				return NewGeoJSON(w, ShapeOf(b), sampleMetadata(), style)
			}), 0o600))
			args = append(args, path)
		}
	}
	shapely(t, script, args...)
}

// Whatever the borders are, the surface is valid: it meets the rules of requireValidSurface.
func TestSurfacesOfRandomRoads(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 7))
		b := newBatch(1, 30)
		n := 3 + random.IntN(25)
		setTrack(b, 0, n, 0.1, circle(1))
		steps := []float64{3, 16, 1e6}[seed%3] // on a coarse lattice, points and edges coincide
		place := func() float32 { return float32(math.Floor(random.Float64()*steps) / steps) }
		for i := range n {
			b.Outer[i], b.Inner[i] = kernel.V3(place(), place(), 0), kernel.V3(place(), place(), 0)
		}
		geoJSONOf(t, b, GeoJSON{Scale: 1 + random.Float64()})
	}
}

// A road that is too tangled for a surface has a null geometry, but a centreline. A valid track is never that tangled.
func TestGeoJSONOfATangle(t *testing.T) {
	b := newBatch(1, 20000)
	setTrack(b, 0, 20000, 0.1, circle(1))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range b.Outer {
		b.Outer[i], b.Inner[i] = kernel.V3(random.Float32(), random.Float32(), 0), kernel.V3(random.Float32(), 0, 0)
	}
	invalidate(b, 0, track.ReasonSeparation)
	got := geoJSONOf(t, b, GeoJSON{Invalid: true})
	require.Nil(t, got.Features[0].Geometry)
	require.Equal(t, "LineString", got.Features[1].Geometry.Type)
	b.Valid[0] = 1
	e, err := NewGeoJSON(io.Discard, ShapeOf(b), Metadata{}, GeoJSON{})
	require.NoError(t, err)
	err = e.Append(context.Background(), b)
	require.ErrorIs(t, err, ErrNoRoad)
	require.ErrorContains(t, err, "the edges meet too often")
}
