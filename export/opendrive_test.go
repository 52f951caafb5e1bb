package export

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/kernel"
)

// The elements of an OpenDRIVE file that describe one road, with every attribute that the schema requires.
type (
	xodrFile struct {
		XMLName xml.Name `xml:"OpenDRIVE"`
		Header  struct {
			Major int     `xml:"revMajor,attr"`
			Minor int     `xml:"revMinor,attr"`
			North float64 `xml:"north,attr"`
			South float64 `xml:"south,attr"`
			East  float64 `xml:"east,attr"`
			West  float64 `xml:"west,attr"`
		} `xml:"header"`
		Roads []xodrRoad `xml:"road"`
	}
	xodrRoad struct {
		Name        string         `xml:"name,attr"`
		Length      float64        `xml:"length,attr"`
		ID          string         `xml:"id,attr"`
		Junction    string         `xml:"junction,attr"`
		Predecessor xodrLink       `xml:"link>predecessor"`
		Successor   xodrLink       `xml:"link>successor"`
		Geometry    []xodrGeometry `xml:"planView>geometry"`
		Elevation   []xodrRecord   `xml:"elevationProfile>elevation"`
		Sections    []struct {
			S      float64    `xml:"s,attr"`
			Left   []xodrLane `xml:"left>lane"`
			Center []xodrLane `xml:"center>lane"`
			Right  []xodrLane `xml:"right>lane"`
		} `xml:"lanes>laneSection"`
		UserData []struct {
			Code  string `xml:"code,attr"`
			Value string `xml:"value,attr"`
		} `xml:"userData"`
	}
	xodrLink struct {
		Type    string `xml:"elementType,attr"`
		ID      string `xml:"elementId,attr"`
		Contact string `xml:"contactPoint,attr"`
	}
	xodrGeometry struct {
		S       float64    `xml:"s,attr"`
		X       float64    `xml:"x,attr"`
		Y       float64    `xml:"y,attr"`
		Heading float64    `xml:"hdg,attr"`
		Length  float64    `xml:"length,attr"`
		Cubic   *xodrCubic `xml:"paramPoly3"`
	}
	xodrCubic struct {
		AU    float64 `xml:"aU,attr"`
		BU    float64 `xml:"bU,attr"`
		CU    float64 `xml:"cU,attr"`
		DU    float64 `xml:"dU,attr"`
		AV    float64 `xml:"aV,attr"`
		BV    float64 `xml:"bV,attr"`
		CV    float64 `xml:"cV,attr"`
		DV    float64 `xml:"dV,attr"`
		Range string  `xml:"pRange,attr"`
	}
	xodrLane struct {
		ID        int    `xml:"id,attr"`
		Type      string `xml:"type,attr"`
		Direction string `xml:"direction,attr"`
		Before    *struct {
			ID int `xml:"id,attr"`
		} `xml:"link>predecessor"`
		After *struct {
			ID int `xml:"id,attr"`
		} `xml:"link>successor"`
		Width []xodrRecord `xml:"width"`
		Marks []struct {
			Offset float64 `xml:"sOffset,attr"`
			Type   string  `xml:"type,attr"`
			Color  string  `xml:"color,attr"`
		} `xml:"roadMark"`
	}
	xodrRecord struct {
		S      float64 `xml:"s,attr"`
		Offset float64 `xml:"sOffset,attr"`
		A      float64 `xml:"a,attr"`
		B      float64 `xml:"b,attr"`
		C      float64 `xml:"c,attr"`
		D      float64 `xml:"d,attr"`
	}
)

// at evaluates a geometry as the standard defines it. It returns the position and heading at the fraction p of the
// parameter range.
func (g xodrGeometry) at(p float64) (x, y, heading float64) {
	c := g.Cubic
	u, v := c.AU+p*(c.BU+p*(c.CU+p*c.DU)), c.AV+p*(c.BV+p*(c.CV+p*c.DV))
	du, dv := c.BU+p*(2*c.CU+p*3*c.DU), c.BV+p*(2*c.CV+p*3*c.DV)
	sin, cos := math.Sincos(g.Heading)
	return g.X + u*cos - v*sin, g.Y + u*sin + v*cos, g.Heading + math.Atan2(dv, du)
}

// valueAt evaluates the records of a lane width at s, with the last record that begins at or before s.
func valueAt(records []xodrRecord, s float64) float64 {
	last := records[0]
	for _, r := range records {
		if r.Offset <= s {
			last = r
		}
	}
	d := s - last.Offset
	return last.A + d*(last.B+d*(last.C+d*last.D))
}

func readOpenDRIVE(t require.TestingT, r *Road, name string) xodrRoad {
	var out bytes.Buffer
	require.NoError(t, WriteOpenDRIVE(&out, r, name))
	var file xodrFile
	require.NoError(t, xml.Unmarshal(out.Bytes(), &file))
	require.Equal(t, 1, file.Header.Major)
	require.GreaterOrEqual(t, file.Header.Minor, 6)
	low, high := r.bounds()
	require.Equal(t, []float64{low.X, high.X, low.Y, high.Y},
		[]float64{file.Header.West, file.Header.East, file.Header.South, file.Header.North})
	require.Len(t, file.Roads, 1)
	return file.Roads[0]
}

// requireOpenDRIVE checks the rules of the standard for one closed road, and that the road has the position and shape
// of r.
func requireOpenDRIVE(t require.TestingT, r *Road, road xodrRoad) {
	const tolerance = 1e-6 // metres and radians, for continuity
	require.Equal(t, "-1", road.Junction)
	require.Equal(t, xodrLink{"road", road.ID, "end"}, road.Predecessor)
	require.Equal(t, xodrLink{"road", road.ID, "start"}, road.Successor)

	// The plan view is ascending, without gaps in s, position or heading, and closed.
	require.Len(t, road.Geometry, len(r.Center))
	s := 0.0
	scale := math.Max(1, road.Length)
	for i, g := range road.Geometry {
		require.Greater(t, g.Length, 0.0)
		require.InDelta(t, s, g.S, tolerance*scale)
		require.NotNil(t, g.Cubic)
		require.Equal(t, "normalized", g.Cubic.Range)
		require.Zero(t, g.Cubic.AU)
		require.Zero(t, g.Cubic.AV)
		require.Zero(t, g.Cubic.BV)
		require.Greater(t, g.Cubic.BU, 0.0)
		// Integrate the curve over many short chords, to compute the arc length differently from the writer.
		length, turned := 0.0, 0.0
		x0, y0, h0 := g.at(0)
		const steps = 2000
		for k := 1; k <= steps; k++ {
			x, y, h := g.at(float64(k) / steps)
			length += math.Hypot(x-x0, y-y0)
			turned += math.Abs(math.Remainder(h-h0, 2*math.Pi))
			x0, y0, h0 = x, y, h
		}
		require.InEpsilon(t, length, g.Length, 1e-6)
		require.Less(t, turned, math.Pi, "a piece between neighbours is no loop")
		next := road.Geometry[(i+1)%len(road.Geometry)]
		require.InDelta(t, next.X, x0, tolerance*scale)
		require.InDelta(t, next.Y, y0, tolerance*scale)
		require.InDelta(t, 0, math.Remainder(next.Heading-h0, 2*math.Pi), tolerance)
		require.InDelta(t, r.Center[i].X, g.X, 1e-3)
		require.InDelta(t, r.Center[i].Y, g.Y, 1e-3)
		s += g.Length
	}
	require.InEpsilon(t, s, road.Length, 1e-9)

	// There is one lane section with a centre lane without width and a lane on each side that continues into itself.
	require.Len(t, road.Sections, 1)
	section := road.Sections[0]
	require.Zero(t, section.S)
	require.Len(t, section.Center, 1)
	require.Zero(t, section.Center[0].ID)
	require.Empty(t, section.Center[0].Width)
	require.Len(t, section.Left, 1)
	require.Len(t, section.Right, 1)
	left, right := section.Left[0], section.Right[0]
	require.Equal(t, []int{1, -1}, []int{left.ID, right.ID})
	require.Equal(t, "reversed", left.Direction, "left lanes are driven against the road otherwise")
	for _, lane := range []xodrLane{left, right} {
		require.Equal(t, "driving", lane.Type)
		require.Equal(t, lane.ID, lane.Before.ID)
		require.Equal(t, lane.ID, lane.After.ID)
		require.NotEmpty(t, lane.Width)
		require.Zero(t, lane.Width[0].Offset)
		for k := 1; k < len(lane.Width); k++ {
			require.Greater(t, lane.Width[k].Offset, lane.Width[k-1].Offset)
		}
		require.NotEmpty(t, lane.Marks)
	}
	for i, g := range road.Geometry {
		wr, wl := r.Widths(i)
		require.InDelta(t, wr, valueAt(right.Width, g.S), 1e-3)
		require.InDelta(t, wl, valueAt(left.Width, g.S), 1e-3)
		// The border of the lane is the border of the track where the normal is the one that the border was computed
		// with.
		sin, cos := math.Sincos(g.Heading)
		x, y := g.X-wl*sin, g.Y+wl*cos
		require.Less(t, math.Hypot(x-r.Left[i].X, y-r.Left[i].Y), 0.02*wl)
	}
}

func TestOpenDRIVE(t *testing.T) {
	b := unequalBatch()
	for e := range b.Envs {
		r := mustRoad(t, b, e, 50)
		road := readOpenDRIVE(t, r, `left & "right"`)
		require.Equal(t, `left & "right"`, road.Name)
		requireOpenDRIVE(t, r, road)
		require.Len(t, road.Sections[0].Left[0].Width, 1, "a constant width is one record")
		require.Equal(t, 7.5, road.Sections[0].Left[0].Width[0].A)
		require.Len(t, road.Sections[0].Right[0].Width, len(r.Center))
		require.Equal(t, []xodrRecord{{A: 100}}, road.Elevation)
		require.Equal(t, "trackgen.seed", road.UserData[1].Code)
		require.Equal(t, []string{"50", "51"}[e], road.UserData[1].Value)
		require.InEpsilon(t, r.Length, road.Length, 1e-2)
	}
}

// A circle stays a circle: the pieces between the points bulge like the arc.
func TestOpenDRIVECircle(t *testing.T) {
	const radius = 25.0
	b := newBatch(1, 96)
	setTrack(b, 0, 64, 0.1, circle(0.5))
	r := mustRoad(t, b, 0, 2*radius)
	road := readOpenDRIVE(t, r, "circle")
	requireOpenDRIVE(t, r, road)
	require.Empty(t, road.Elevation)
	require.InEpsilon(t, 2*math.Pi*radius, road.Length, 1e-6)
	for _, g := range road.Geometry {
		for _, p := range []float64{0.1, 0.5, 0.9} {
			x, y, _ := g.at(p)
			require.InDelta(t, radius, math.Hypot(x, y), 1e-4)
		}
	}
}

func TestOpenDRIVEElevation(t *testing.T) {
	b := newBatch(1, 96)
	setTrack(b, 0, 64, 0.1, circle(0.5))
	for i := range 64 {
		b.Center[i].Z = float32(math.Sin(2 * math.Pi * float64(i) / 64))
	}
	r := mustRoad(t, b, 0, 10)
	road := readOpenDRIVE(t, r, "")
	require.Len(t, road.Elevation, 64)
	for i, record := range road.Elevation {
		require.InDelta(t, r.Center[i].Z, record.A, 1e-6)
		end := record.A + record.B*road.Geometry[i].Length
		require.InDelta(t, r.Center[(i+1)%64].Z, end, 1e-6, "continuous, also over the start")
	}
}

func TestOpenDRIVERefuses(t *testing.T) {
	b := newBatch(1, 96)
	setTrack(b, 0, 64, 0.1, circle(0.5))
	b.Center[7] = b.Center[6]
	require.ErrorContains(t, WriteOpenDRIVE(io.Discard, mustRoad(t, b, 0, 1), ""),
		"env 0 is no road: point 6 of the centreline lies on a neighbour")
	b.Center[5] = kernel.V3(0, 0, 0)
	b.Center[6] = kernel.V3(1, 0, 0)
	b.Center[7] = kernel.V3(0, 0, 0)
	require.ErrorContains(t, WriteOpenDRIVE(io.Discard, mustRoad(t, b, 0, 1), ""), "turns back on itself at point 6")
	setTrack(b, 0, 64, 0.1, circle(0.5))
	full := failAfter(10)
	require.ErrorIs(t, WriteOpenDRIVE(&full, mustRoad(t, b, 0, 1), ""), errFull)
}

// Every loop of distinct points with bends of less than a right angle becomes a road that follows the rules.
func TestOpenDRIVEOfAnyLoop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(12, 60).Draw(t, "points")
		b := newBatch(1, 96)
		at := wavy(rapid.Float64Range(0.3, 40).Draw(t, "radius"), rapid.Float64Range(0, 0.08).Draw(t, "depth"),
			rapid.IntRange(2, 3).Draw(t, "waves"), rapid.Float64Range(0, 6).Draw(t, "phase"))
		stretch := rapid.Float64Range(0, 0.5).Draw(t, "stretch") // spaces the points unevenly along the loop
		setTrack(b, 0, n, 0.05, func(u float64) (float64, float64) {
			return at(u + stretch*math.Sin(2*math.Pi*u)/(2*math.Pi))
		})
		r, err := RoadOf(b, 0, rapid.Float64Range(0.5, 50).Draw(t, "scale"))
		require.NoError(t, err)
		var out bytes.Buffer
		require.NoError(t, WriteOpenDRIVE(&out, r, "any"))
		require.NotContains(t, out.String(), "NaN")
		var file xodrFile
		require.NoError(t, xml.Unmarshal(out.Bytes(), &file))
		s, scale := 0.0, math.Max(1, file.Roads[0].Length)
		for i, g := range file.Roads[0].Geometry {
			x, y, heading := g.at(1)
			next := file.Roads[0].Geometry[(i+1)%n]
			require.InDelta(t, next.X, x, 1e-9*scale)
			require.InDelta(t, next.Y, y, 1e-9*scale)
			require.InDelta(t, 0, math.Remainder(next.Heading-heading, 2*math.Pi), 1e-9)
			require.Positive(t, g.Cubic.BU)
			s += g.Length
		}
		require.InEpsilon(t, s, file.Roads[0].Length, 1e-9)
	})
}

// A schema would also check the order of the elements in a road and a lane.
func TestOpenDRIVEElementOrder(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, WriteOpenDRIVE(&out, mustRoad(t, unequalBatch(), 0, 1), "order"))
	decoder := xml.NewDecoder(&out)
	children := map[string][]string{}
	var open []string
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch element := token.(type) {
		case xml.StartElement:
			if len(open) > 0 {
				parent := open[len(open)-1]
				if list := children[parent]; len(list) == 0 || list[len(list)-1] != element.Name.Local {
					children[parent] = append(list, element.Name.Local)
				}
			}
			open = append(open, element.Name.Local)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
	require.Equal(t, []string{"header", "road"}, children["OpenDRIVE"])
	require.Equal(t, []string{"link", "planView", "elevationProfile", "lanes", "userData"}, children["road"])
	require.Equal(t, []string{"left", "center", "right"}, children["laneSection"])
	require.Equal(t, "link width roadMark link width roadMark", strings.Join(children["lane"], " "))
}
