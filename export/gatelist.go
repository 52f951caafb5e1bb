package export

import (
	"fmt"
	"io"
	"strings"
)

// gateListHeader names the columns of WriteGateList.
const gateListHeader = "x,y,z,yaw,qx,qy,qz,qw,width,height\n"

// WriteGateList writes a course as CSV, one row for each gate in the order of flight: the place of the middle of the
// opening, the direction of flight seen from above (yaw, an angle from the x axis, counter-clockwise), the orientation
// as a quaternion, and the size of the opening, which is square. Lengths are in metres and angles in radians.
func WriteGateList(w io.Writer, c *Course) error {
	text := textBuffer{w, []byte(gateListHeader)}
	for _, g := range c.Gates {
		_, _, yaw := g.Angles()
		for i, v := range [...]float64{g.Position.X, g.Position.Y, g.Position.Z, yaw, g.Orientation[0], g.Orientation[1],
			g.Orientation[2], g.Orientation[3]} {
			if i > 0 {
				text.text = append(text.text, ',')
			}
			text.text = appendCoordinate(text.text, v+0)
		}
		text.text = appendWidth(append(text.text, ','), g.Width)
		text.text = append(appendWidth(append(text.text, ','), g.Width), '\n')
		if err := text.flush(); err != nil {
			return err
		}
	}
	return text.flushAll()
}

// The simulator lsy_drone_racing reads a course from the section env.track of its level files: gates with the middle of
// the opening (pos) and roll, pitch and yaw (rpy), the order in which they are flown (gate_order, from 1), and the
// start of each drone. A gate is flown along its x axis. Lengths are in metres and angles in radians. A course has
// nothing to say about the obstacles and the limits of the room, which stand there too: it is put over the section of
// another level file, which has them. Level files are TOML today and were YAML in earlier versions. Sources:
// config/level0.toml, and load_track, load_gate_order and gate_passed in lsy_drone_racing/envs/utils.py of
// https://github.com/learnsyslab/lsy_drone_racing.

// WriteGatesTOML writes a course as the section env.track of a level file of lsy_drone_racing, without obstacles and
// limits. It has one drone, at rest at Course.Start.
func WriteGatesTOML(w io.Writer, c *Course) error {
	out := []byte(gatesComment(c))
	out = append(out, "[env.track]\nrandomize = false\ngate_order = "...)
	out = append(appendGateOrder(out, len(c.Gates)), '\n')
	for _, g := range c.Gates {
		roll, pitch, yaw := g.Angles()
		out = append(out, "\n[[env.track.gates]]\npos = "...)
		out = append(appendTriple(out, g.Position), "\nrpy = "...)
		out = append(appendTriple(out, Point{roll, pitch, yaw}), '\n')
	}
	at, yaw := c.Start()
	out = append(out, "\n[[env.track.drones]]\npos = "...)
	out = append(appendTriple(out, at), "\nrpy = "...)
	out = append(appendTriple(out, Point{Z: yaw}), "\nvel = "...)
	out = append(appendTriple(out, Point{}), "\nang_vel = "...)
	_, err := w.Write(append(appendTriple(out, Point{}), '\n'))
	return err
}

// WriteGatesYAML writes what WriteGatesTOML writes, as YAML.
func WriteGatesYAML(w io.Writer, c *Course) error {
	out := []byte(gatesComment(c))
	out = append(out, "env:\n  track:\n    randomize: false\n    gate_order: "...)
	out = append(appendGateOrder(out, len(c.Gates)), "\n    gates:\n"...)
	for _, g := range c.Gates {
		roll, pitch, yaw := g.Angles()
		out = appendTriple(append(out, "      - pos: "...), g.Position)
		out = append(appendTriple(append(out, "\n        rpy: "...), Point{roll, pitch, yaw}), '\n')
	}
	at, yaw := c.Start()
	out = appendTriple(append(out, "    drones:\n      - pos: "...), at)
	out = appendTriple(append(out, "\n        rpy: "...), Point{Z: yaw})
	out = appendTriple(append(out, "\n        vel: "...), Point{})
	_, err := w.Write(append(appendTriple(append(out, "\n        ang_vel: "...), Point{}), '\n'))
	return err
}

// gatesComment returns a comment for what the formats of the simulator have no place for.
func gatesComment(c *Course) string {
	narrowest, widest := c.Gates[0].Width, c.Gates[0].Width
	for _, g := range c.Gates {
		narrowest, widest = min(narrowest, g.Width), max(widest, g.Width)
	}
	widths := string(appendWidth(nil, narrowest))
	if widest > narrowest {
		widths += " to " + string(appendWidth(nil, widest))
	}
	valid := ""
	if !c.Valid {
		valid = ", not valid"
	}
	return fmt.Sprintf("# Gate course of TrackGen: seed %d, epoch %d, %d gates, openings of %s m%s\n", c.Seed, c.Epoch,
		len(c.Gates), widths, valid)
}

// appendGateOrder appends the list of the numbers of n gates, from 1.
func appendGateOrder(dst []byte, n int) []byte {
	dst = append(dst, '[')
	for i := range n {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendInt(dst, i+1)
	}
	return append(dst, ']')
}

// appendTriple appends three numbers as a list. Each has a decimal point, because readers of TOML take a list of whole
// and other numbers for an error.
func appendTriple(dst []byte, p Point) []byte {
	dst = append(dst, '[')
	for i, v := range [...]float64{p.X, p.Y, p.Z} {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		digits := string(appendCoordinate(nil, v+0))
		if !strings.Contains(digits, ".") {
			digits += ".0"
		}
		dst = append(dst, digits...)
	}
	return append(dst, ']')
}
