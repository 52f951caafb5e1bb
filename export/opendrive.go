package export

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// WriteOpenDRIVE writes a road as an OpenDRIVE 1.8 file (.xodr): one closed road that is its own predecessor and
// successor. The reference line is the centreline, with one paramPoly3 from each point to the next. It passes exactly
// through the points and has a continuous tangent. There is one lane on each side, 1 on the left and -1 on the right,
// which extends to the border. A constant width is one record; a width that varies is linear between the points. Both
// lanes are driven in the direction of travel. Heights other than zero are an elevation profile, linear between the
// points. Env, seed and epoch are user data of the road. name is the name of the road.
//
// If the centreline repeats a point or turns back on itself, it has no direction there, and the error matches
// ErrNoRoad.
func WriteOpenDRIVE(w io.Writer, r *Road, name string) error {
	pieces, err := r.referenceLine()
	if err != nil {
		return err
	}
	last := pieces[len(pieces)-1]
	length := last.s + last.length
	low, high := r.bounds()
	var out bytes.Buffer
	fmt.Fprintf(&out, `<?xml version="1.0" encoding="UTF-8"?>
<OpenDRIVE>
  <header revMajor="1" revMinor="8" name="%[1]s" version="1" north="%[2]s" south="%[3]s" east="%[4]s" west="%[5]s" vendor="TrackGen"/>
  <road name="%[1]s" length="%[6]s" id="1" junction="-1" rule="RHT">
    <link>
      <predecessor elementType="road" elementId="1" contactPoint="end"/>
      <successor elementType="road" elementId="1" contactPoint="start"/>
    </link>
    <planView>
`, escape(printable(name)), exact(high.Y), exact(low.Y), exact(high.X), exact(low.X), exact(length))
	for _, piece := range pieces {
		fmt.Fprintf(&out,
			`      <geometry s="%s" x="%s" y="%s" hdg="%s" length="%s"><paramPoly3 aU="0" bU="%s" cU="%s" dU="%s" aV="0" bV="0" cV="%s" dV="%s" pRange="normalized"/></geometry>`+"\n",
			exact(piece.s), exact(piece.x), exact(piece.y), exact(piece.heading), exact(piece.length),
			exact(piece.bU), exact(piece.cU), exact(piece.dU), exact(piece.cV), exact(piece.dV))
	}
	out.WriteString("    </planView>\n")
	if !r.flat() {
		heights := make([]float64, len(r.Center))
		for i, p := range r.Center {
			heights[i] = p.Z
		}
		out.WriteString("    <elevationProfile>\n")
		writeRecords(&out, `      <elevation s="%s" a="%s" b="%s" c="0" d="0"/>`+"\n", pieces, heights)
		out.WriteString("    </elevationProfile>\n")
	}
	right, left := make([]float64, len(r.Center)), make([]float64, len(r.Center))
	for i := range r.Center {
		right[i], left[i] = r.Widths(i)
	}
	out.WriteString("    <lanes>\n      <laneSection s=\"0\">\n        <left>\n")
	writeLane(&out, 1, ` direction="reversed"`, pieces, left)
	out.WriteString(
		"        </left>\n        <center>\n          <lane id=\"0\" type=\"none\" level=\"false\"/>\n        </center>\n " +
			"       <right>\n")
	writeLane(&out, -1, "", pieces, right)
	fmt.Fprintf(&out, `        </right>
      </laneSection>
    </lanes>
    <userData code="trackgen.env" value="%d"/>
    <userData code="trackgen.seed" value="%d"/>
    <userData code="trackgen.epoch" value="%d"/>
  </road>
</OpenDRIVE>
`, r.Env, r.Seed, r.Epoch)
	_, err = out.WriteTo(w)
	return err
}

// writeLane writes a lane that is its own predecessor and successor.
func writeLane(out *bytes.Buffer, id int, attributes string, pieces []cubic, width []float64) {
	fmt.Fprintf(out, `          <lane id="%[1]d" type="driving" level="false"%[2]s>
            <link>
              <predecessor id="%[1]d"/>
              <successor id="%[1]d"/>
            </link>
`, id, attributes)
	writeRecords(out, `            <width sOffset="%s" a="%s" b="%s" c="0" d="0"/>`+"\n", pieces, width)
	out.WriteString(`            <roadMark sOffset="0" type="solid" color="white" laneChange="none"/>
          </lane>
`)
}

// writeRecords writes values at the points as records of s, value and slope. If the values differ only by the rounding
// of the coordinates that they were computed from, it writes one record, otherwise one for each piece.
func writeRecords(out *bytes.Buffer, format string, pieces []cubic, values []float64) {
	const noise = 1e-5 // relative; measured widths of a constant road differ by 2e-6
	low, high, sum := values[0], values[0], 0.0
	for _, v := range values {
		low, high, sum = min(low, v), max(high, v), sum+v
	}
	mean := sum / float64(len(values))
	if high-low <= noise*max(mean, -mean) {
		fmt.Fprintf(out, format, "0", strconv.FormatFloat(mean, 'g', 6, 64), "0")
		return
	}
	for i, piece := range pieces {
		slope := (values[(i+1)%len(values)] - values[i]) / piece.length
		fmt.Fprintf(out, format, exact(piece.s), exact(values[i]), exact(slope))
	}
}

// exact formats a float64 so that it parses to the same value.
func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
