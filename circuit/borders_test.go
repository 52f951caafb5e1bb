package circuit_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/circuit"
)

// road is a road with a known, closed centreline, driven counter-clockwise.
type road struct {
	length      float64
	at          func(s float64) (x, y, heading float64)
	left, right func(s float64) float64 // widths
}

// stadium has two straights and two half circles; it starts in the middle of a straight.
func stadium(straight, radius float64, width func(s float64) (left, right float64)) road {
	bend := math.Pi * radius
	r := road{length: 2 * (straight + bend)}
	r.at = func(s float64) (x, y, heading float64) {
		s = math.Mod(math.Mod(s, r.length)+r.length, r.length)
		half := straight / 2
		switch {
		case s < half:
			return s, -radius, 0
		case s < half+bend:
			angle := (s-half)/radius - math.Pi/2
			return half + radius*math.Cos(angle), radius * math.Sin(angle), angle + math.Pi/2
		case s < half+bend+straight:
			return half - (s - half - bend), radius, math.Pi
		case s < half+2*bend+straight:
			angle := (s-half-bend-straight)/radius + math.Pi/2
			return -half + radius*math.Cos(angle), radius * math.Sin(angle), angle + math.Pi/2
		}
		return -half + s - (half + 2*bend + straight), -radius, 0
	}
	r.left = func(s float64) float64 { left, _ := width(s); return left }
	r.right = func(s float64) float64 { _, right := width(s); return right }
	return r
}

// piece is a straight or an arc of a road. The curvature is > 0 to the left.
type piece struct{ length, curvature float64 }

// serpentine has four straights side by side, with hairpins between them, and a bend around all of them.
func serpentine(straight, distance, half float64) road {
	bend := math.Pi * distance / 2
	return roadOf(half, piece{straight, 0}, piece{bend, 2 / distance}, piece{straight, 0}, piece{bend, -2 / distance},
		piece{straight, 0}, piece{bend, 2 / distance}, piece{straight, 0}, piece{3 * bend, 2 / (3 * distance)})
}

// eight crosses itself in the middle of its straights.
func eight(radius, half float64) road {
	bend := piece{1.5 * math.Pi * radius, 1 / radius}
	back := piece{bend.length, -bend.curvature}
	return roadOf(half, piece{radius, 0}, bend, piece{2 * radius, 0}, back, piece{radius, 0})
}

// roadOf returns the road of pieces, which must close.
func roadOf(half float64, pieces ...piece) road {
	r := road{}
	for _, p := range pieces {
		r.length += p.length
	}
	r.at = func(s float64) (x, y, heading float64) {
		s = math.Mod(math.Mod(s, r.length)+r.length, r.length)
		for _, p := range pieces {
			step := min(s, p.length)
			if p.curvature == 0 {
				x, y = x+step*math.Cos(heading), y+step*math.Sin(heading)
			} else {
				turned := heading + step*p.curvature
				x += (math.Sin(turned) - math.Sin(heading)) / p.curvature
				y -= (math.Cos(turned) - math.Cos(heading)) / p.curvature
				heading = turned
			}
			if s -= step; s <= 0 {
				break
			}
		}
		return x, y, heading
	}
	r.left = func(float64) float64 { return half }
	r.right = r.left
	return r
}

// border returns n points of a border: the left one at distances > 0, else the right one.
func (r road) border(n int, left bool) [][2]float64 {
	var points [][2]float64
	for i := range n {
		s := r.length * float64(i) / float64(n)
		x, y, heading := r.at(s)
		sin, cos := math.Sincos(heading)
		d := -r.right(s)
		if left {
			d = r.left(s)
		}
		points = append(points, [2]float64{x - d*sin, y + d*cos})
	}
	return points
}

// distance returns the distance from a point to a closed line.
func distance(p [2]float64, line [][2]float64) float64 {
	nearest := math.Inf(1)
	for i, a := range line {
		b := line[(i+1)%len(line)]
		dx, dy := b[0]-a[0], b[1]-a[1]
		f := max(0, min(1, ((p[0]-a[0])*dx+(p[1]-a[1])*dy)/(dx*dx+dy*dy)))
		nearest = min(nearest, math.Hypot(a[0]+f*dx-p[0], a[1]+f*dy-p[1]))
	}
	return nearest
}

// rebuilt returns the borders at the widths of a circuit, across its line.
func rebuilt(c *circuit.File) (left, right [][2]float64) {
	n := len(c.X)
	for i := range c.X {
		before, after := (i+n-1)%n, (i+1)%n
		dx, dy := c.X[after]-c.X[before], c.Y[after]-c.Y[before]
		length := math.Hypot(dx, dy)
		left = append(left, [2]float64{c.X[i] - c.Left[i]*dy/length, c.Y[i] + c.Left[i]*dx/length})
		right = append(right, [2]float64{c.X[i] + c.Right[i]*dy/length, c.Y[i] - c.Right[i]*dx/length})
	}
	return left, right
}

// requireBorders checks that the borders of a circuit lie on those of a road and cover them.
func requireBorders(t *testing.T, r road, c *circuit.File, tolerance float64) {
	t.Helper()
	left, right := rebuilt(c)
	for k, border := range [][][2]float64{left, right} {
		truth := r.border(1500, k == 0)
		worst, missed := 0.0, 0.0
		for _, p := range border {
			worst = max(worst, distance(p, truth))
		}
		for i := 0; i < len(truth); i += 7 {
			missed = max(missed, distance(truth[i], border))
		}
		t.Logf("border %d: %d stations, off by %.4f m, the other way %.4f m", k, len(c.X), worst, missed)
		require.LessOrEqual(t, worst, tolerance, "border %d", k)
		require.LessOrEqual(t, missed, 3*tolerance, "border %d", k)
	}
}

var columnsOfBorders = "left_border_x,left_border_y,right_border_x,right_border_y"

// borderFile writes two borders side by side. The shorter one ends early.
func borderFile(names string, first, second [][2]float64) string {
	var text strings.Builder
	text.WriteString(names + "\n")
	for i := range max(len(first), len(second)) {
		for k, border := range [][][2]float64{first, second} {
			if k == 1 {
				text.WriteString(",")
			}
			if i < len(border) {
				fmt.Fprintf(&text, "%.6f,%.6f", border[i][0], border[i][1])
			} else {
				text.WriteString(",")
			}
		}
		text.WriteString("\n")
	}
	return text.String()
}

func readAll(t *testing.T, name, text string, options circuit.Options) []*circuit.File {
	t.Helper()
	files, err := circuit.ReadAll(name, strings.NewReader(text), options)
	require.NoError(t, err)
	return files
}

func constant(left, right float64) func(float64) (float64, float64) {
	return func(float64) (float64, float64) { return left, right }
}

// roads returns roads with known borders: a circle, an oval with changing width, and a hairpin whose inner border has
// less than half of the radius of its centreline.
func roads() map[string]road {
	return map[string]road{
		"circle": stadium(0, 30, constant(3, 3)),
		"oval": stadium(120, 40, func(s float64) (float64, float64) {
			w := 5 + 1.5*math.Sin(2*math.Pi*s/(240+80*math.Pi))
			return w, w
		}),
		"hairpin": stadium(200, 9, constant(5.5, 5.5)),
		"eight":   eight(40, 4),
	}
}

// The borders that are built from the centreline and its widths lie on the given ones.
func TestBorders(t *testing.T) {
	t.Parallel()
	for name, r := range roads() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := int(r.length / 2)
			left, right := r.border(n, true), r.border(n, false)
			c := readAll(t, "ring.csv", borderFile(columnsOfBorders, left, right), circuit.Options{})[0]
			requireBorders(t, r, c, 0.02)
			for i := range c.X {
				require.InDelta(t, c.Left[i], c.Right[i], 0.07, "the line is in the middle at %d", i)
			}
			assert.Equal(t, "CSV of borders", c.Kind)
			assert.InDelta(t, r.length, c.PolygonLength(), 0.001*r.length)
		})
	}
}

// Borders that go on past their starts are cut there, and borders that look open get a note.
func TestBordersPastTheirStart(t *testing.T) {
	t.Parallel()
	rows := func(last int) string {
		text := columnsOfBorders + "\n"
		for k := range last {
			sin, cos := math.Sincos(float64(k) * math.Pi / 18)
			text += fmt.Sprintf("%.3f,%.3f,%.3f,%.3f\n", 19*cos, 19*sin, 21*cos, 21*sin)
		}
		return text
	}
	c := readAll(t, "ring.csv", rows(40), circuit.Options{})[0]
	for i := range c.X {
		require.InDelta(t, 20, math.Hypot(c.X[i], c.Y[i]), 0.01)
		require.InDelta(t, 1, c.Left[i], 0.01)
		require.InDelta(t, 1, c.Right[i], 0.01)
	}
	assert.Contains(t, c.Notes, "left border: left out the last 4 points: the line goes on for 9.94 m past its start")
	c = readAll(t, "ring.csv", rows(28), circuit.Options{})[0]
	assert.Contains(t, strings.Join(c.Notes, "; "), "left border: closed over 26.87 m")
}

// The names of columns of borders and cones may end in a unit, and the side may be one letter.
func TestUnitsOfBordersAndCones(t *testing.T) {
	t.Parallel()
	at := func(radius float64, k int) (x, y float64) {
		sin, cos := math.Sincos(float64(k) * math.Pi / 18)
		return radius * cos, radius * sin
	}
	borders, cones := "", "tag,x_ft,y_ft\n"
	for k := range 36 {
		leftX, leftY := at(900, k)
		rightX, rightY := at(1200, k)
		borders += fmt.Sprintf("%.3f,%.3f,%.3f,%.3f\n", leftX, leftY, rightX, rightY)
		cones += fmt.Sprintf("blue,%.5f,%.5f\nyellow,%.5f,%.5f\n", leftX/30.48, leftY/30.48, rightX/30.48, rightY/30.48)
	}
	for _, text := range []string{
		"left_x_cm,left_y_cm,right_x_cm,right_y_cm\n" + borders, "lx [cm],ly [cm],rx [cm],ry [cm]\n" + borders,
		"xl_cm,yl_cm,xr_cm,yr_cm\n" + borders, "x_l_cm,y_l_cm,x_r_cm,y_r_cm\n" + borders, cones,
	} {
		c := readAll(t, "ring.csv", text, circuit.Options{})[0]
		for i := range c.X {
			require.InDelta(t, 10.5, math.Hypot(c.X[i], c.Y[i]), 0.002, text[:40])
			require.InDelta(t, 1.5, c.Left[i], 0.002)
			require.InDelta(t, 1.5, c.Right[i], 0.002)
		}
	}
}

func turned(points [][2]float64, by int) [][2]float64 {
	return slices.Concat(points[by:], points[:by])
}

func backward(points [][2]float64) [][2]float64 {
	points = slices.Clone(points)
	slices.Reverse(points)
	return points
}

// In a bend whose inner border is tighter than the road is wide, the centreline is nearer to the inner border. The
// borders built from it still lie on the given ones.
func TestTightHairpin(t *testing.T) {
	t.Parallel()
	r := stadium(60, 5, constant(4.4, 4.4)) // the inner border has a radius of 0.6 m
	n := int(r.length * 3)
	c := readAll(t, "ring.csv", borderFile(columnsOfBorders, r.border(n, true), r.border(n, false)), circuit.Options{})[0]
	requireBorders(t, r, c, 0.1)
	require.Len(t, c.Notes, 2)
	assert.Regexp(t, `^in tight bends, \d+ % of the line, it is nearer to the inner border than to the outer one$`, c.Notes[1])
	bends := 0
	for i := range c.X {
		assert.Less(t, c.Left[i]+c.Right[i], 10.0)
		if c.Left[i] < 3.5 {
			bends++
			assert.Greater(t, math.Abs(c.X[i]), 15.0, "the line is in the middle of the straights")
		}
	}
	assert.NotZero(t, bends)
}

// Borders may have different numbers of points, starts and directions, and repeat their first point.
func TestBordersThatDiffer(t *testing.T) {
	t.Parallel()
	r := stadium(120, 40, constant(5, 5))
	left, right := r.border(150, true), r.border(211, false)
	for name, borders := range map[string][2][][2]float64{
		"numbers":              {left, right},
		"starts":               {left, turned(right, 70)},
		"repeated":             {append(slices.Clone(left), left[0]), append(slices.Clone(right), right[0])},
		"directions":           {left, backward(right)},
		"directions, starts":   {backward(turned(left, 31)), right},
		"repeated in the line": {slices.Insert(slices.Clone(left), 40, left[40], left[40]), right},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := readAll(t, "ring.csv", borderFile(columnsOfBorders, borders[0], borders[1]), circuit.Options{})[0]
			requireBorders(t, r, c, 0.02)

			folder := t.TempDir()
			var paths []string
			for k, side := range []string{"left", "right"} {
				path := filepath.Join(folder, "Oval_"+side+".csv")
				text := "x,y\n"
				for _, p := range borders[k] {
					text += fmt.Sprintf("%.6f,%.6f\n", p[0], p[1])
				}
				require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
				paths = append(paths, path)
			}
			c, err := circuit.ReadBorders(paths[0], paths[1], circuit.Options{})
			require.NoError(t, err)
			assert.Equal(t, "Oval", c.Name)
			requireBorders(t, r, c, 0.02)
			_, err = circuit.ReadBorders(paths[1], paths[0], circuit.Options{})
			if strings.HasPrefix(name, "directions") {
				require.NoError(t, err, "the direction follows from the sides")
			} else {
				require.ErrorContains(t, err, "the left border is on the right of the direction of its points")
			}
		})
	}
}

// Few points on circles are enough: the line through them is round.
func TestFewPoints(t *testing.T) {
	t.Parallel()
	r := stadium(0, 30, constant(3, 3))
	text := borderFile(columnsOfBorders, r.border(12, true), r.border(17, false))
	c := readAll(t, "ring.csv", text, circuit.Options{})[0]
	requireBorders(t, r, c, 0.01)
	for i := range c.X {
		require.InDelta(t, 30, math.Hypot(c.X[i], c.Y[i]), 0.01)
		require.InDelta(t, 3, c.Left[i], 0.01)
		require.InDelta(t, 3, c.Right[i], 0.01)
	}
}

// A corner of a border with few points on the straights does not bend the straights.
func TestStraightsStayStraight(t *testing.T) {
	t.Parallel()
	r := stadium(200, 20, constant(4, 4))
	sparse := func(left bool) (points [][2]float64) {
		for i, p := range r.border(300, left) {
			if math.Abs(p[0]) > 95 || i%40 == 0 {
				points = append(points, p)
			}
		}
		return points
	}
	c := readAll(t, "ring.csv", borderFile(columnsOfBorders, sparse(true), sparse(false)),
		circuit.Options{MaxGap: 1000})[0]
	requireBorders(t, r, c, 0.1)
}

// Inner and outer do not determine the direction of travel; the order of the points does.
func TestInnerAndOuter(t *testing.T) {
	t.Parallel()
	r := stadium(120, 40, constant(4, 5))
	inner, outer := r.border(160, true), r.border(160, false)
	const names = "# inner_x; inner_y; outer_x; outer_y"
	text := strings.ReplaceAll(borderFile(names, inner, outer), ",", ";")
	c := readAll(t, "ring.csv", text, circuit.Options{})[0]
	requireBorders(t, r, c, 0.02)

	text = strings.ReplaceAll(borderFile(names, backward(inner), backward(outer)), ",", ";")
	c = readAll(t, "ring.csv", text, circuit.Options{})[0]
	c = reverse(c)
	requireBorders(t, r, c, 0.02)
}

// reverse returns a circuit in the opposite direction.
func reverse(c *circuit.File) *circuit.File {
	out := *c
	out.X, out.Y = slices.Clone(c.X), slices.Clone(c.Y)
	out.Right, out.Left = slices.Clone(c.Left), slices.Clone(c.Right)
	for _, values := range [][]float64{out.X, out.Y, out.Right, out.Left} {
		slices.Reverse(values)
	}
	return &out
}

// The usual names of borders are understood.
func TestNamesOfBorders(t *testing.T) {
	t.Parallel()
	r := stadium(0, 30, constant(3, 3))
	left, right := r.border(40, true), r.border(40, false)
	for _, names := range []string{
		columnsOfBorders, "left_x,left_y,right_x,right_y", "x_left,y_left,x_right,y_right", "leftX,leftY,rightX,rightY",
		"# left_bound_x [m],left_bound_y [m],right_bound_x [m],right_bound_y [m]", "Left X,Left Y,Right X,Right Y",
		"inner_x,inner_y,outer_x,outer_y", "x_inside,y_inside,x_outside,y_outside",
	} {
		c := readAll(t, "ring.csv", borderFile(names, left, right), circuit.Options{})[0]
		requireBorders(t, r, c, 0.01)
	}
	text := strings.ReplaceAll(borderFile(columnsOfBorders, left, right), "\n", ",7,80\n")
	text = strings.Replace(text, ",7,80", ",pos_x,speed", 1)
	c := readAll(t, "ring.csv", text, circuit.Options{})[0]
	assert.Contains(t, c.Notes, `columns that are no border are left out: "pos_x", "speed"`)
}

// Borders that do not form a road are refused.
func TestBordersRefused(t *testing.T) {
	t.Parallel()
	r := stadium(120, 40, constant(5, 5))
	left, right := r.border(150, true), r.border(150, false)
	moved := func(points [][2]float64, dx float64) [][2]float64 {
		points = slices.Clone(points)
		for i := range points {
			points[i][0] += dx
		}
		return points
	}
	for name, test := range map[string]struct{ text, want string }{
		"swapped": {borderFile(columnsOfBorders, right, left),
			"ring.csv: the left border is on the right of the direction of its points: must be on the left"},
		"driven the other way": {borderFile(columnsOfBorders, backward(left), backward(right)),
			"is the circuit driven the other way?"},
		"across": {borderFile(columnsOfBorders, left, moved(right, 60)),
			"ring.csv: the right border is across the left border at ("},
		"apart": {borderFile(columnsOfBorders, left, moved(right, 900)),
			"ring.csv: the right border is beside only a part of the left border"},
		"the same": {borderFile(columnsOfBorders, left, left), "must be more than 0: they are the same line"},
		"open": {borderFile(columnsOfBorders, left, right[:60]),
			"ring.csv: in the right border, the distance from point 60 to the first point, point 1, which closes the circuit"},
		"two points": {columnsOfBorders + "\n0,0,1,1\n2,0,3,3\n", "in the left border, the number of different points is 2"},
		"nothing":    {columnsOfBorders + "\n", "in the left border, the number of different points is 0"},
		"half":       {columnsOfBorders + "\n0,0,1\n", "ring.csv:2: a point of the right border is half missing"},
		"text": {columnsOfBorders + "\n0,0,1,1\n0,zero,1,1\n",
			`ring.csv:3: column 2: y of the left border is "zero": must be a number such as 12.5`},
		"infinite": {columnsOfBorders + "\n0,0,Inf,1\n",
			`column 3: x of the right border is "Inf": must be a number of metres`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := circuit.ReadAll("ring.csv", strings.NewReader(test.text), circuit.Options{})
			require.ErrorIs(t, err, circuit.ErrFormat)
			assert.ErrorContains(t, err, test.want)
		})
	}
	c := readAll(t, "ring.csv", borderFile(columnsOfBorders, backward(left), backward(right)),
		circuit.Options{Reverse: true})[0]
	requireBorders(t, r, c, 0.02)
}

// Borders that are built from the centrelines of real circuits give the circuits back. Suzuka has a bridge.
func TestBordersOfRealCircuits(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join(shared, "*.csv"))
	require.NoError(t, err)
	if len(paths) == 0 {
		t.Skip("NOT RUN: the circuits are not beside this checkout")
	}
	for _, path := range paths {
		if name := filepath.Base(path); name != "Suzuka.csv" && name != "Norisring.csv" {
			continue // the bridge and the widest hairpins
		}
		c, err := circuit.ReadFile(path, circuit.Options{})
		require.NoError(t, err)
		left, right := rebuilt(c)
		again := readAll(t, "borders.csv", borderFile(columnsOfBorders, left, right), circuit.Options{})[0]
		assert.InEpsilon(t, c.PolygonLength(), again.PolygonLength(), 0.003, path)
		leftAgain, rightAgain := rebuilt(again)
		for k, borders := range [][2][][2]float64{{left, leftAgain}, {right, rightAgain}} {
			for i := 0; i < len(borders[1]); i += 25 {
				require.LessOrEqual(t, distance(borders[1][i], borders[0]), 0.6, "%s, border %d, station %d", path, k, i) // chords
			}
		}
	}
}

// A report had these borders of 12 points.
func TestReportedBorders(t *testing.T) {
	path := filepath.Join("..", "..", "shared", "data", "reports", "09-borders", "borders.csv")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("NOT RUN: the report is not beside this checkout: %v", err)
	}
	files, err := circuit.ReadFiles(path, circuit.Options{})
	require.NoError(t, err)
	assert.Equal(t, "borders", files[0].Name)
}
