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
	"github.com/trackgen-go/trackgen/track"
)

// The elements of an OpenDRIVE file that describe one road, with every attribute that the schema requires.
type (
	xodrFile struct {
		XMLName xml.Name `xml:"OpenDRIVE"`
		Header  struct {
			Name  string  `xml:"name,attr"`
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
		Bank        []xodrRecord   `xml:"lateralProfile>superelevation"`
		Offset      []xodrRecord   `xml:"lanes>laneOffset"`
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

// curvature returns the curvature at the fraction p of the parameter range.
func (g xodrGeometry) curvature(p float64) float64 {
	c := g.Cubic
	du, dv := c.BU+p*(2*c.CU+p*3*c.DU), c.BV+p*(2*c.CV+p*3*c.DV)
	ddu, ddv := 2*c.CU+p*6*c.DU, 2*c.CV+p*6*c.DV
	return (du*ddv - dv*ddu) / math.Pow(math.Hypot(du, dv), 3)
}

// slopeAt evaluates the derivative of records at s.
func slopeAt(records []xodrRecord, s float64) float64 {
	const step = 1e-5
	return (valueAt(records, s+step) - valueAt(records, s)) / step
}

// valueAt evaluates records at s, with the last record that begins at or before s. Those of a road have s, those of a
// lane have sOffset.
func valueAt(records []xodrRecord, s float64) float64 {
	last := records[0]
	for _, r := range records {
		if r.S+r.Offset <= s {
			last = r
		}
	}
	d := s - last.S - last.Offset
	return last.A + d*(last.B+d*(last.C+d*last.D))
}

func readOpenDRIVE(t require.TestingT, r *Road, name string) []xodrRoad {
	var out bytes.Buffer
	require.NoError(t, WriteOpenDRIVE(&out, r, name))
	require.NotContains(t, out.String(), "NaN")
	var file xodrFile
	require.NoError(t, xml.Unmarshal(out.Bytes(), &file))
	require.Equal(t, 1, file.Header.Major)
	require.GreaterOrEqual(t, file.Header.Minor, 6)
	require.Equal(t, name, file.Header.Name)
	low, high := r.bounds()
	require.Equal(t, []float64{low.X, high.X, low.Y, high.Y},
		[]float64{file.Header.West, file.Header.East, file.Header.South, file.Header.North})
	for _, road := range file.Roads {
		require.Equal(t, name, road.Name)
	}
	return file.Roads
}

// lapOf returns the geometries of all roads, and the length of the lap.
func lapOf(roads []xodrRoad) (lap []xodrGeometry, length float64) {
	for _, road := range roads {
		lap, length = append(lap, road.Geometry...), length+road.Length
	}
	return lap, length
}

// requireOpenDRIVE checks the rules of the standard, that the roads are a closed ring, and that they have the position
// and the shape of r.
func requireOpenDRIVE(t require.TestingT, r *Road, roads []xodrRoad) {
	const tolerance = 1e-6 // metres and radians, for continuity
	lap, total := lapOf(roads)
	scale := math.Max(1, total)

	// The plan view has no gaps in position, heading or curvature, neither between roads nor at the start.
	require.Len(t, lap, len(r.Center))
	for i, g := range lap {
		require.Greater(t, g.Length, 0.0)
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
		next := lap[(i+1)%len(lap)]
		require.InDelta(t, next.X, x0, tolerance*scale)
		require.InDelta(t, next.Y, y0, tolerance*scale)
		require.InDelta(t, 0, math.Remainder(next.Heading-h0, 2*math.Pi), tolerance)
		require.InDelta(t, next.curvature(0)*scale, g.curvature(1)*scale, 1e-6)
		require.InDelta(t, r.Center[i].X, g.X, 1e-3)
		require.InDelta(t, r.Center[i].Y, g.Y, 1e-3)
	}
	i := 0
	for _, road := range roads {
		requireRoad(t, road)
		for _, g := range road.Geometry {
			wr, wl := r.Widths(i)
			left, right := road.Sections[0].Right[0], road.Sections[0].Right[1]
			require.InDelta(t, wl, valueAt(road.Offset, g.S), 1e-3)
			require.InDelta(t, wl, valueAt(left.Width, g.S), 1e-3)
			require.InDelta(t, wr, valueAt(right.Width, g.S), 1e-3)
			// The borders of the lanes match those of the track, which were computed with slightly different normals.
			sin, cos := math.Sincos(g.Heading)
			require.Less(t, distanceToLine(r.Left, i, Point{X: g.X - wl*sin, Y: g.Y + wl*cos}), 0.02*wl)
			require.Less(t, distanceToLine(r.Right, i, Point{X: g.X + wr*sin, Y: g.Y - wr*cos}), 0.02*wr)
			i++
		}
	}
	for _, lane := range []int{-1, -2} {
		requireLap(t, roads, lane)
	}
}

// RequireOpenDRIVE writes a road and checks the file. It returns the number of roads in it.
func RequireOpenDRIVE(t require.TestingT, r *Road, name string) int {
	roads := readOpenDRIVE(t, r, name)
	requireOpenDRIVE(t, r, roads)
	requireNoRoadCrossesItself(t, roads)
	return len(roads)
}

// distanceToLine returns the distance of p to the nearest of the edges around point i of a closed line.
func distanceToLine(line []Point, i int, p Point) float64 {
	nearest, n := math.Inf(1), len(line)
	for k := i - 3; k < i+3; k++ {
		a, b := line[(k+n)%n], line[(k+1+n)%n]
		dx, dy := b.X-a.X, b.Y-a.Y
		along := ((p.X-a.X)*dx + (p.Y-a.Y)*dy) / (dx*dx + dy*dy)
		along = min(1, max(0, along))
		nearest = min(nearest, math.Hypot(p.X-a.X-along*dx, p.Y-a.Y-along*dy))
	}
	return nearest
}

// requireRoad checks the elements of one road.
func requireRoad(t require.TestingT, road xodrRoad) {
	require.Equal(t, "-1", road.Junction)
	s := 0.0
	for _, g := range road.Geometry {
		require.InDelta(t, s, g.S, 1e-9*math.Max(1, road.Length))
		s += g.Length
	}
	require.InEpsilon(t, s, road.Length, 1e-9)
	require.Len(t, road.UserData, 3)

	// There is one lane section: a centre lane without width, and two lanes on its right, both driven forward.
	require.Len(t, road.Sections, 1)
	section := road.Sections[0]
	require.Zero(t, section.S)
	require.Empty(t, section.Left, "readers take lanes on the left for oncoming ones")
	require.Len(t, section.Center, 1)
	require.Zero(t, section.Center[0].ID)
	require.Empty(t, section.Center[0].Width)
	require.Equal(t, "solid", section.Center[0].Marks[0].Type, "the left border")
	require.Len(t, section.Right, 2)
	require.Equal(t, []int{-1, -2}, []int{section.Right[0].ID, section.Right[1].ID})
	require.Equal(t, "none", section.Right[0].Marks[0].Type, "cars may change lanes")
	require.Equal(t, "solid", section.Right[1].Marks[0].Type, "the right border")
	for _, lane := range section.Right {
		require.Equal(t, "driving", lane.Type)
		require.Empty(t, lane.Direction)
		require.Len(t, lane.Marks, 1)
		require.NotEmpty(t, lane.Width)
		require.Zero(t, lane.Width[0].Offset)
		for k := 1; k < len(lane.Width); k++ {
			require.Greater(t, lane.Width[k].Offset, lane.Width[k-1].Offset)
		}
		require.Less(t, lane.Width[len(lane.Width)-1].Offset, road.Length)
	}
	require.Zero(t, road.Offset[0].S)
}

// requireLap follows a lane over the links of roads and lanes, as CARLA does: at the end of a lane with a negative
// number to the lane's successor in the road's successor, which must not be the previous road. It visits every road
// once and ends where it began.
func requireLap(t require.TestingT, roads []xodrRoad, lane int) {
	require.GreaterOrEqual(t, len(roads), 3)
	byID := map[string]xodrRoad{}
	for _, road := range roads {
		require.NotContains(t, byID, road.ID)
		byID[road.ID] = road
	}
	laneOf := func(road xodrRoad, id int) xodrLane {
		for _, lane := range road.Sections[0].Right {
			if lane.ID == id {
				return lane
			}
		}
		require.Fail(t, "no lane", "road %s has no lane %d", road.ID, id)
		return xodrLane{}
	}
	seen := map[string]bool{}
	road := roads[0]
	for range roads {
		require.False(t, seen[road.ID], "the lap comes to road %s too early", road.ID)
		seen[road.ID] = true
		here := laneOf(road, lane)
		require.NotNil(t, here.After)
		require.Equal(t, []string{"road", "start"}, []string{road.Successor.Type, road.Successor.Contact})
		next, ok := byID[road.Successor.ID]
		require.True(t, ok, "road %s has the successor %q", road.ID, road.Successor.ID)
		require.NotEqual(t, road.Predecessor.ID, next.ID)
		require.Equal(t, xodrLink{"road", road.ID, "end"}, next.Predecessor)
		there := laneOf(next, here.After.ID)
		require.NotNil(t, there.Before)
		require.Equal(t, lane, there.Before.ID)

		// The lane continues: place, heading, offset and width at the end are those of the start of the next road.
		x, y, heading := road.Geometry[len(road.Geometry)-1].at(1)
		start := next.Geometry[0]
		require.InDelta(t, start.X, x, 1e-6*math.Max(1, math.Abs(x)))
		require.InDelta(t, start.Y, y, 1e-6*math.Max(1, math.Abs(y)))
		require.InDelta(t, 0, math.Remainder(start.Heading-heading, 2*math.Pi), 1e-6)
		width := valueAt(there.Width, 0)
		require.InDelta(t, valueAt(next.Offset, 0), valueAt(road.Offset, road.Length), 1e-5*width)
		require.InDelta(t, width, valueAt(here.Width, road.Length), 1e-5*width)
		road, lane = next, here.After.ID
	}
	require.Equal(t, roads[0].ID, road.ID)
}

func TestOpenDRIVE(t *testing.T) {
	b := unequalBatch()
	for e := range b.Envs {
		r := mustRoad(t, b, e, 50)
		roads := readOpenDRIVE(t, r, `left & "right"`)
		requireOpenDRIVE(t, r, roads)
		require.Len(t, roads, 3)
		for _, road := range roads {
			lanes := road.Sections[0].Right
			require.Len(t, lanes[0].Width, 1, "a constant width is one record")
			require.Equal(t, 7.5, lanes[0].Width[0].A)
			require.Equal(t, []xodrRecord{{A: 7.5}}, road.Offset)
			require.Len(t, lanes[1].Width, len(road.Geometry))
			require.Equal(t, []xodrRecord{{A: 100}}, road.Elevation)
			require.Equal(t, "trackgen.seed", road.UserData[1].Code)
			require.Equal(t, []string{"50", "51"}[e], road.UserData[1].Value)
		}
		_, length := lapOf(roads)
		require.InEpsilon(t, r.Length, length, 1e-2)
		for _, road := range roads {
			require.InEpsilon(t, length/3, road.Length, 0.05)
		}
	}
}

// A circle stays a circle: the pieces between the points bulge like the arc.
func TestOpenDRIVECircle(t *testing.T) {
	const radius = 25.0
	b := newBatch(1, 96)
	setTrack(b, 0, 64, 0.1, circle(0.5))
	r := mustRoad(t, b, 0, 2*radius)
	roads := readOpenDRIVE(t, r, "circle")
	requireOpenDRIVE(t, r, roads)
	require.Empty(t, roads[0].Elevation)
	lap, length := lapOf(roads)
	require.InEpsilon(t, 2*math.Pi*radius, length, 1e-6)
	for _, g := range lap {
		for _, p := range []float64{0, 0.1, 0.5, 0.9} {
			x, y, _ := g.at(p)
			require.InDelta(t, radius, math.Hypot(x, y), 1e-4)
			require.InEpsilon(t, 1/radius, g.curvature(p), 1e-2)
		}
	}
	require.Equal(t, []int{21, 22, 21}, []int{len(roads[0].Geometry), len(roads[1].Geometry), len(roads[2].Geometry)})
}

// A width that is constant or linear for a while is one record there.
func TestOpenDRIVELeavesOutRecordsThatContinue(t *testing.T) {
	b := newBatch(1, 96)
	setTrack(b, 0, 90, 0.2, circle(1))
	for i := range 90 { // points 40 to 49 are in the second road, which begins at 30
		width := 0.2
		if i >= 40 && i < 50 {
			width = 0.2 + 0.01*float64(min(i-39, 50-i)) // up to 0.25 twice, and down
		}
		c := b.Center[i]
		b.Outer[i] = kernel.V3(c.X*float32(1+width), c.Y*float32(1+width), 0)
	}
	roads := readOpenDRIVE(t, mustRoad(t, b, 0, 10), "")
	widths := func(road, lane int) []xodrRecord { return roads[road].Sections[0].Right[lane].Width }
	for _, road := range []int{0, 1, 2} {
		require.Len(t, widths(road, 0), 1)
	}
	require.Len(t, widths(0, 1), 1)
	require.Len(t, widths(2, 1), 1)
	starts := []float64{}
	for _, record := range widths(1, 1) {
		starts = append(starts, math.Round(10*record.Offset/roads[1].Geometry[0].Length)/10)
	}
	require.Equal(t, []float64{0, 9, 14, 15, 20}, starts, "constant, up, constant, down, constant")
	for k, g := range roads[1].Geometry {
		want := 2.0
		if k >= 10 && k < 20 {
			want += 0.1 * float64(min(k-9, 20-k))
		}
		require.InDelta(t, want, valueAt(widths(1, 1), g.S), 1e-5)
	}
}

// Scenic searches a piece for the place where the arc length is s, and fails if the piece ends before it.
func TestOpenDRIVEPiecesEndWithinTheirCurve(t *testing.T) {
	b := newBatch(1, 96)
	setTrack(b, 0, 96, 0.05, wavy(0.6, 0.2, 5, 1))
	for _, scale := range []float64{0.01, 1, 50, 3000} {
		lap, _ := lapOf(readOpenDRIVE(t, mustRoad(t, b, 0, scale), ""))
		for _, g := range lap {
			// Simpson's rule, with an error below 1e-11 here.
			const parts = 512
			sum := 0.0
			for k := range 2*parts + 1 {
				p, weight := float64(k)/(2*parts), float64(2+2*(k%2))
				if k == 0 || k == 2*parts {
					weight = 1
				}
				c := g.Cubic
				sum += weight * math.Hypot(c.BU+p*(2*c.CU+p*3*c.DU), p*(2*c.CV+p*3*c.DV))
			}
			length := sum / (6 * parts)
			require.Less(t, g.Length, length*(1-1e-11))
			require.InEpsilon(t, length, g.Length, 1e-8)
		}
	}
}

// bankedRoad returns a circle of radius 5 m with a hill of 2 m, whose road of 2 m is tilted by up to 0.3.
func bankedRoad(t *testing.T) (r *Road, height, angle func(u float64) float64) {
	b, height, angle := bankedBatch()
	return mustRoad(t, b, 0, 10), height, angle
}

// bankedBatch returns a batch whose track is the road of bankedRoad, ten times as small.
func bankedBatch() (b *track.Batch, height, angle func(u float64) float64) {
	height = func(u float64) float64 { return 2 * math.Sin(2*math.Pi*u) }
	angle = func(u float64) float64 { return 0.1 + 0.2*math.Cos(2*math.Pi*2*u) }
	b = newBatch(1, 96)
	setTrack(b, 0, 64, 0.1, circle(0.5))
	b.Bank = make([]float32, 96)
	for i := range 64 {
		u := float64(i) / 64
		b.Bank[i] = float32(angle(u))
		z := float32(height(u) / 10)
		tilt := float32(0.1 * math.Tan(angle(u)))
		// The circle runs to the left: inner is the left border.
		b.Center[i].Z, b.Inner[i].Z, b.Outer[i].Z = z, z+tilt, z-tilt
	}
	return b, height, angle
}

// Heights and bank angles read back as they are at the points, to the rounding of float32, and their derivatives are
// continuous. Between the points they are within 1e-4 m and 1e-4 of the smooth functions.
func TestOpenDRIVEElevationAndBanking(t *testing.T) {
	r, height, angle := bankedRoad(t)
	roads := readOpenDRIVE(t, r, "")
	i := 0
	grade, change := math.NaN(), math.NaN()
	for _, road := range roads {
		for _, g := range road.Geometry {
			require.InDelta(t, r.Center[i].Z, valueAt(road.Elevation, g.S), redundant)
			require.InDelta(t, angle(float64(i)/64), valueAt(road.Bank, g.S), 1e-6)
			if i > 0 {
				require.InDelta(t, grade, slopeAt(road.Elevation, g.S), 1e-4, "continuous grade")
				require.InDelta(t, change, slopeAt(road.Bank, g.S), 1e-4)
			}
			for _, part := range []float64{0.2, 0.5, 0.7} {
				u := (float64(i) + part) / 64
				require.InDelta(t, height(u), valueAt(road.Elevation, g.S+part*g.Length), 1e-4)
				require.InDelta(t, angle(u), valueAt(road.Bank, g.S+part*g.Length), 1e-4)
			}
			// The borders that the file describes are those of the road.
			bank, across := valueAt(road.Bank, g.S), valueAt(road.Offset, g.S)
			require.InDelta(t, r.Left[i].Z, r.Center[i].Z+across*math.Sin(bank), 2e-5)
			_, left := r.Widths(i)
			require.InDelta(t, left, across*math.Cos(bank), 2e-5)
			across = valueAt(road.Sections[0].Right[1].Width, g.S)
			require.InDelta(t, r.Right[i].Z, r.Center[i].Z-across*math.Sin(bank), 2e-5)
			i++
			end := g.S + g.Length*(1-1e-9)
			require.InDelta(t, r.Center[i%64].Z, valueAt(road.Elevation, end), 1e-6, "continuous, also over the start")
			require.InDelta(t, angle(float64(i)/64), valueAt(road.Bank, end), 1e-6)
			grade, change = slopeAt(road.Elevation, end-2e-5), slopeAt(road.Bank, end-2e-5)
		}
	}
	require.Equal(t, 64, i)
	require.InDelta(t, slopeAt(roads[0].Elevation, 0), grade, 1e-4)
	// A road of one height and no tilt has one record, and no lateral profile.
	for _, road := range readOpenDRIVE(t, mustRoad(t, unequalBatch(), 0, 1), "") {
		require.Len(t, road.Elevation, 1)
		require.Empty(t, road.Bank)
	}
}

// Where a profile goes on as a cubic, it has one record, as the standard wants (performance.avoid_redundant_info): on
// straights, bank angles are rounding errors.
func TestOpenDRIVELeavesOutRedundantProfiles(t *testing.T) {
	pieces, values := make([]cubic, 40), make([]float64, 40)
	for i := range pieces {
		pieces[i] = cubic{s: 5 * float64(i), length: 5}
		if values[i] = 1e-8 * float64(i%3); i >= 10 && i < 20 {
			values[i] = 0.1 * math.Sin(math.Pi*float64(i-10)/10)
		}
	}
	p := newSmoothProfile(values, pieces)
	l := &lap{pieces: pieces}
	var out bytes.Buffer
	l.writeSmooth(&out, "superelevation", ringRoad{first: 0, end: 40}, p)
	var list struct {
		Records []xodrRecord `xml:"superelevation"`
	}
	require.NoError(t, xml.Unmarshal([]byte("<list>"+out.String()+"</list>"), &list))
	require.Less(t, len(list.Records), 32)
	require.Greater(t, len(list.Records), 12)
	for i, want := range values {
		require.InDelta(t, want, valueAt(list.Records, pieces[i].s), redundant)
	}
}

// Every kind of road becomes a closed ring: in both directions, small ones, models, and those with bridges.
func TestOpenDRIVERings(t *testing.T) {
	clockwise := func(at curve) curve { return func(u float64) (float64, float64) { return at(1 - u) } }
	for name, c := range map[string]struct {
		points    int
		halfWidth float64
		scale     float64
		at        curve
		roads     int
	}{
		"counter-clockwise": {60, 0.1, 50, circle(1), 3},
		"clockwise":         {60, 0.1, 50, clockwise(circle(1)), 3},
		"smallest":          {3, 0.01, 1, circle(1), 3},
		"small":             {5, 0.01, 1, circle(1), 3},
		"model":             {90, 0.1, 0.1, wavy(12, 0.1, 3, 1), 3},
		"figure of eight":   {90, 0.05, 50, lemniscate(1), 3},
		"reversed eight":    {90, 0.05, 50, clockwise(lemniscate(1)), 3},
		"small loop":        {90, 0.02, 50, loop(0.35), 4},
		"four loops":        {96, 0.01, 50, loops, 5},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBatch(1, 96)
			setTrack(b, 0, c.points, c.halfWidth, c.at)
			r := mustRoad(t, b, 0, c.scale)
			roads := readOpenDRIVE(t, r, name)
			require.Equal(t, c.roads, len(roads))
			if c.points > 5 {
				requireOpenDRIVE(t, r, roads)
			}
			for _, lane := range []int{-1, -2} {
				requireLap(t, roads, lane)
			}
			requireNoRoadCrossesItself(t, roads)
		})
	}
}

// loop returns a circle with a small loop inside: a limaçon. share is the distance of the loop from the centre.
func loop(share float64) curve {
	return func(u float64) (float64, float64) {
		angle := 2 * math.Pi * u
		r := share + math.Cos(angle)
		return r * math.Cos(angle), r * math.Sin(angle)
	}
}

// loops is a curve with a small loop in each corner. Two of them are cut by the thirds of the lap, the others by a cut
// of their own.
func loops(u float64) (x, y float64) {
	angle := 2 * math.Pi * (u + 0.05)
	return math.Cos(angle) + 0.6*math.Cos(3*angle), math.Sin(angle) - 0.6*math.Sin(3*angle)
}

// requireNoRoadCrossesItself compares all pieces of each road, as chords.
func requireNoRoadCrossesItself(t require.TestingT, roads []xodrRoad) {
	for _, road := range roads {
		for i, g := range road.Geometry {
			x, y, _ := g.at(1)
			a, b := Point{X: g.X, Y: g.Y}, Point{X: x, Y: y}
			for j := i + 2; j < len(road.Geometry); j++ {
				h := road.Geometry[j]
				x, y, _ := h.at(1)
				p, q := Point{X: h.X, Y: h.Y}, Point{X: x, Y: y}
				area := func(a, b, c Point) float64 { return signedArea([]Point{a, b, c}) }
				crosses := area(a, b, p)*area(a, b, q) < 0 && area(p, q, a)*area(p, q, b) < 0
				require.False(t, crosses, "pieces %d and %d of road %s", i, j, road.ID)
			}
		}
	}
}

// Cuts keep away from bridges: a third of the lap that ends on one ends beside it instead.
func TestOpenDRIVECutsBesideBridges(t *testing.T) {
	const n = 96
	b := newBatch(1, n)
	eight := lemniscate(1)
	for _, start := range []float64{1. / 12, 1./12 + 1./6, 0.6} { // the curve crosses itself at 1/4 and 3/4
		setTrack(b, 0, n, 0.03, func(u float64) (float64, float64) { return eight(u + start) })
		r := mustRoad(t, b, 0, 10)
		pieces, err := r.referenceLine()
		require.NoError(t, err)
		for _, cut := range r.cuts(pieces)[1:] {
			p := r.Center[cut]
			require.Greater(t, math.Hypot(p.X, p.Y), 2*0.6, "two widths from the bridge, at 0, 0")
		}
		roads := readOpenDRIVE(t, r, "")
		require.Len(t, roads, 3)
		requireNoRoadCrossesItself(t, roads)
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

// Every loop of distinct points with bends of less than a right angle becomes a ring that meets the rules.
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
		roads := readOpenDRIVE(t, r, "any")
		lap, length := lapOf(roads)
		require.Len(t, lap, n)
		scale := math.Max(1, length)
		for i, g := range lap {
			x, y, heading := g.at(1)
			next := lap[(i+1)%n]
			require.InDelta(t, next.X, x, 1e-9*scale)
			require.InDelta(t, next.Y, y, 1e-9*scale)
			require.InDelta(t, 0, math.Remainder(next.Heading-heading, 2*math.Pi), 1e-9)
			require.InEpsilon(t, 1+scale*next.curvature(0), 1+scale*g.curvature(1), 1e-6)
			require.Positive(t, g.Cubic.BU)
		}
		for _, road := range roads {
			requireRoad(t, road)
		}
		for _, lane := range []int{-1, -2} {
			requireLap(t, roads, lane)
		}
	})
}

// A schema would also check the order of the elements in a road and a lane.
func TestOpenDRIVEElementOrder(t *testing.T) {
	var out bytes.Buffer
	r, _, _ := bankedRoad(t)
	require.NoError(t, WriteOpenDRIVE(&out, r, "order"))
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
	// The elements of the three roads follow each other.
	repeat := func(text string) string { return strings.TrimSpace(strings.Repeat(text+" ", 3)) }
	require.Equal(t, repeat("link planView elevationProfile lateralProfile lanes userData"),
		strings.Join(children["road"], " "))
	require.Equal(t, repeat("laneOffset laneSection"), strings.Join(children["lanes"], " "))
	require.Equal(t, repeat("center right"), strings.Join(children["laneSection"], " "))
	require.Equal(t, "roadMark "+strings.TrimSpace(strings.Repeat("link width roadMark ", 6)),
		strings.Join(children["lane"], " "))
}
