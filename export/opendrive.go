package export

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
)

// WriteOpenDRIVE writes a road as an OpenDRIVE 1.8 file (.xodr): a ring of at least three roads, each of which is the
// predecessor of the next. They are cut at points of the centreline and have about the same length. A road that would
// cross itself, on a bridge, is cut once more. name is the name of each road and of the file.
//
// The reference line is the centreline, with one paramPoly3 from each point to the next. It passes exactly through the
// points, and its tangent and curvature are continuous. Lane -1 extends from the left border to the centreline and lane
// -2 from there to the right border, so that both are driven in the direction of travel; the laneOffset is the width to
// the left border. A constant width is one record; a width that varies is linear between the points.
//
// Heights other than zero are an elevation profile, and the bank angles of borders at different heights a lateral
// profile, the superelevation, > 0 where the left border is higher. Both have one cubic from each point to the next,
// with the values at the points and a continuous derivative. Widths of banked roads are those along the tilted road, as
// the format wants them. Env, seed and epoch are user data of each road.
//
// If the centreline repeats a point or turns back on itself, it has no direction there, and the error matches
// ErrNoRoad.
func WriteOpenDRIVE(w io.Writer, r *Road, name string) error {
	pieces, err := r.referenceLine()
	if err != nil {
		return err
	}
	low, high := r.bounds()
	var out bytes.Buffer
	fmt.Fprintf(&out, `<?xml version="1.0" encoding="UTF-8"?>
<OpenDRIVE>
  <header revMajor="1" revMinor="8" name="%s" version="1" north="%s" south="%s" east="%s" west="%s" vendor="TrackGen"/>
`, escape(printable(name)), exact(high.Y), exact(low.Y), exact(high.X), exact(low.X))
	lap := newLap(r, pieces, name)
	cuts := r.cuts(pieces)
	for k, first := range cuts {
		end := len(pieces)
		if k+1 < len(cuts) {
			end = cuts[k+1]
		}
		lap.writeRoad(&out, ringRoad{
			id: k + 1, before: (k+len(cuts)-1)%len(cuts) + 1, after: (k+1)%len(cuts) + 1, first: first, end: end,
		})
	}
	out.WriteString("</OpenDRIVE>\n")
	_, err = out.WriteTo(w)
	return err
}

// lap holds what the roads of a ring have in common.
type lap struct {
	road          *Road
	name          string
	pieces        []cubic
	right, left   profile
	heights, bank smoothProfile
	banked        bool
}

// profile is a quantity at each point of a lap, linear between the points.
type profile struct {
	values   []float64
	constant bool // all values are the same but for rounding
	mean     float64
	rounding float64 // values closer than this are the same
}

// ringRoad is a part of a lap: the pieces from first to end-1, and the numbers of this road and of its neighbours.
type ringRoad struct{ id, before, after, first, end int }

func newLap(r *Road, pieces []cubic, name string) *lap {
	n := len(r.Center)
	right, left, heights, bank := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	banked := false
	for i, p := range r.Center {
		right[i], left[i] = r.Widths(i)
		heights[i], bank[i] = p.Z, r.Bank(i)
		if bank[i] != 0 {
			banked = true
			right[i], left[i] = right[i]/math.Cos(bank[i]), left[i]/math.Cos(bank[i])
		}
	}
	return &lap{
		road: r, name: escape(printable(name)), pieces: pieces, right: newProfile(right), left: newProfile(left),
		heights: newSmoothProfile(heights, pieces), bank: newSmoothProfile(bank, pieces), banked: banked,
	}
}

func newProfile(values []float64) profile {
	const noise, rounding = 1e-5, 3e-6 // relative; measured widths of a constant road differ by 2e-6
	low, high, sum := values[0], values[0], 0.0
	for _, v := range values {
		low, high, sum = min(low, v), max(high, v), sum+v
	}
	mean := sum / float64(len(values))
	return profile{values, high-low <= noise*max(mean, -mean), mean, rounding * max(high, -low)}
}

func (l *lap) writeRoad(out *bytes.Buffer, road ringRoad) {
	pieces := l.pieces[road.first:road.end]
	start, last := pieces[0].s, pieces[len(pieces)-1]
	fmt.Fprintf(out, `  <road name="%s" length="%s" id="%d" junction="-1" rule="RHT">
    <link>
      <predecessor elementType="road" elementId="%d" contactPoint="end"/>
      <successor elementType="road" elementId="%d" contactPoint="start"/>
    </link>
    <planView>
`, l.name, exact(last.s+last.length-start), road.id, road.before, road.after)
	for _, piece := range pieces {
		fmt.Fprintf(out,
			`      <geometry s="%s" x="%s" y="%s" hdg="%s" length="%s"><paramPoly3 aU="0" bU="%s" cU="%s" dU="%s" aV="0" bV="0" cV="%s" dV="%s" pRange="normalized"/></geometry>`+"\n",
			exact(piece.s-start), exact(piece.x), exact(piece.y), exact(piece.heading), exact(piece.length),
			exact(piece.bU), exact(piece.cU), exact(piece.dU), exact(piece.cV), exact(piece.dV))
	}
	out.WriteString("    </planView>\n")
	l.writeProfiles(out, road)
	out.WriteString("    <lanes>\n")
	l.writeRecords(out, `      <laneOffset s="%s" a="%s" b="%s" c="0" d="0"/>`+"\n", road, l.left)
	out.WriteString(`      <laneSection s="0">
        <center>
          <lane id="0" type="none" level="false">
            <roadMark sOffset="0" type="solid" color="white" laneChange="none"/>
          </lane>
        </center>
        <right>
`)
	l.writeLane(out, road, -1, l.left, `type="none" color="white" laneChange="both"`)
	l.writeLane(out, road, -2, l.right, `type="solid" color="white" laneChange="none"`)
	fmt.Fprintf(out, `        </right>
      </laneSection>
    </lanes>
    <userData code="trackgen.env" value="%d"/>
    <userData code="trackgen.seed" value="%d"/>
    <userData code="trackgen.epoch" value="%d"/>
  </road>
`, l.road.Env, l.road.Seed, l.road.Epoch)
}

// writeLane writes a lane that continues under the same number in the roads before and after. mark is the line on its
// right.
func (l *lap) writeLane(out *bytes.Buffer, road ringRoad, id int, width profile, mark string) {
	fmt.Fprintf(out, `          <lane id="%[1]d" type="driving" level="false">
            <link>
              <predecessor id="%[1]d"/>
              <successor id="%[1]d"/>
            </link>
`, id)
	l.writeRecords(out, `            <width sOffset="%s" a="%s" b="%s" c="0" d="0"/>`+"\n", road, width)
	fmt.Fprintf(out, "            <roadMark sOffset=\"0\" %s/>\n          </lane>\n", mark)
}

// writeRecords writes the part of a profile on one road as records of s, value and slope: one record if the profile is
// constant over the whole lap, otherwise one for each piece on which the profile leaves the line of the record before.
func (l *lap) writeRecords(out *bytes.Buffer, format string, road ringRoad, p profile) {
	if p.constant {
		fmt.Fprintf(out, format, "0", strconv.FormatFloat(p.mean, 'g', 6, 64), "0")
		return
	}
	start := l.pieces[road.first].s
	var recordS, recordValue, recordSlope float64
	for i := road.first; i < road.end; i++ {
		s, value, next := l.pieces[i].s-start, p.values[i], p.values[(i+1)%len(p.values)]
		end := recordValue + float64(recordSlope*(s+l.pieces[i].length-recordS))
		if i > road.first && math.Abs(end-next) <= p.rounding {
			continue
		}
		recordS, recordValue, recordSlope = s, value, 0
		if math.Abs(next-value) > p.rounding {
			recordSlope = (next - value) / l.pieces[i].length
		}
		fmt.Fprintf(out, format, exact(recordS), exact(recordValue), exact(recordSlope))
	}
}

// exact formats a float64 so that it parses to the same value.
func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
