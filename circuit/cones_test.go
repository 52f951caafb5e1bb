package circuit_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/circuit"
)

const coneNames = "tag,x,y,direction,x_variance,y_variance,xy_covariance\n"

// coneLines returns the lines of a file of cones, blue on the left and yellow on the right.
func coneLines(left, right [][2]float64) []string {
	var lines []string
	for k, border := range [][][2]float64{left, right} {
		for _, p := range border {
			lines = append(lines, fmt.Sprintf("%s,%.4f,%.4f,0,0.01,0.01,0\n", [2]string{"blue", "yellow"}[k], p[0], p[1]))
		}
	}
	return lines
}

func shuffled(lines []string, seed uint64) []string {
	lines = append([]string{}, lines...)
	rand.New(rand.NewPCG(seed, 1)).Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return lines
}

// Cones in any order give the same road as in driving order.
func TestCones(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]road{
		"circle":     stadium(0, 20, constant(2, 2)),
		"oval":       stadium(60, 15, constant(2, 2)),
		"hairpin":    stadium(40, 4.5, constant(1.75, 1.75)), // the straights are 9 m apart, and the inner cones 5.5 m
		"serpentine": serpentine(22, 5.2, 1.9),               // straights side by side
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := int(r.length / 2)
			lines := coneLines(r.border(n, true), r.border(n, false))
			inOrder := readAll(t, "ring.csv", coneNames+strings.Join(lines, ""), circuit.Options{})[0]
			requireBorders(t, r, inOrder, 0.15)
			for seed := range uint64(3) {
				c := readAll(t, "ring.csv", coneNames+strings.Join(shuffled(lines, seed), ""), circuit.Options{})[0]
				requireBorders(t, r, c, 0.15)
				assert.InDelta(t, inOrder.PolygonLength(), c.PolygonLength(), 0.1)
			}
			assert.Equal(t, "CSV of cones", inOrder.Kind)
			assert.Equal(t, fmt.Sprintf("%d blue cones are on the left and %[1]d yellow ones on the right of the road", n),
				inOrder.Notes[0])
		})
	}
}

// The road goes clockwise if the blue cones are outside.
func TestBlueIsLeft(t *testing.T) {
	t.Parallel()
	r := stadium(60, 15, constant(2, 3))
	lines := coneLines(r.border(60, false), r.border(60, true)) // blue outside
	c := readAll(t, "ring.csv", strings.Join(shuffled(lines, 7), ""), circuit.Options{})[0]
	requireBorders(t, r, reverse(c), 0.15)
	area := 0.0
	for i := range c.X {
		j := (i + 1) % len(c.X)
		area += c.X[i]*c.Y[j] - c.X[j]*c.Y[i]
	}
	assert.Negative(t, area)
}

// Orange cones fill gaps or mark the start. Entries that are not cones are counted.
func TestOrangeCones(t *testing.T) {
	t.Parallel()
	r := stadium(60, 15, constant(2, 2))
	left, right := r.border(60, true), r.border(60, false)
	lines := coneLines(left[2:], right[2:]) // the gaps are on the straight, around x = 2.6
	var orange string
	for _, border := range [][][2]float64{left, right} {
		for i := range 2 {
			orange += fmt.Sprintf("big_orange,%.4f,%.4f,0,0,0,0\n", border[i][0], border[i][1])
		}
	}
	other := "inactive_noise,90,90,0,0,0,0\ninactive_noise,91,90,0,0,0,0\n"
	c := readAll(t, "ring.csv", coneNames+strings.Join(lines, "")+orange+other, circuit.Options{})[0]
	requireBorders(t, r, c, 0.15)
	assert.Equal(t, []string{"58 blue cones are on the left and 58 yellow ones on the right of the road",
		"4 orange cones fill gaps of the borders", `2 entries "inactive_noise" are left out`}, c.Notes)
	assert.InDelta(t, (left[0][0]+left[1][0])/2, c.X[0], 0.3, "the circuit starts between the orange cones")
	assert.InDelta(t, -15, c.Y[0], 0.1)

	// Orange cones beside complete borders are not part of them.
	lines = coneLines(left, right)
	beside := "orange,1,-12.5,0,0,0,0\norange,1,-17.5,0,0,0,0\n"
	c = readAll(t, "ring.csv", coneNames+strings.Join(lines, "")+beside+"car_start,-9,-15,0,0,0,0\n", circuit.Options{})[0]
	requireBorders(t, r, c, 0.15)
	assert.Contains(t, c.Notes, "2 orange cones are no part of the borders")
	assert.InDelta(t, -9, c.X[0], 0.1, "the circuit starts where the car does")

	c = readAll(t, "ring.csv", coneNames+strings.Join(lines, "")+"car_start,-9,-15,3.1416,0,0,0\n", circuit.Options{})[0]
	assert.Contains(t, c.Notes, "the car of the file starts in the opposite direction, with blue cones on its right")
}

// The same cones in YAML: as FSSIM writes them, and in other forms.
func TestConesInYAML(t *testing.T) {
	t.Parallel()
	r := stadium(60, 15, constant(2, 2))
	block, flow, mapping := "", "", "track:\n  lanesFirstWithLastConnected: true\n"
	for k, side := range []string{"left", "right"} {
		block += "cones_" + side + ":\n"
		flow += "cones_" + side + ": ["
		mapping += "  " + side + ":\n"
		for _, p := range r.border(60, k == 0) {
			block += fmt.Sprintf("- - %.4f\n  - %.4f\n", p[0], p[1])
			flow += fmt.Sprintf("[%.4f, %.4f, 0.0], ", p[0], p[1])
			mapping += fmt.Sprintf("  - position: [%.4f, %.4f, 0]\n    class: any\n", p[0], p[1])
		}
		flow += "]\n"
	}
	block += "cones_orange: []\ncones_orange_big:\n- - 4.7\n  - -12.5\n- - 4.7\n  - -17.5\n" +
		"starting_pose_front_wing:\n- -5.0\n- -15.0\n- 0.0\ntk_device:\n- - 6.0\n  - 3.0\n"
	for name, text := range map[string]string{"block": block, "flow": flow, "mapping": mapping} {
		c := readAll(t, "ring.yaml", text, circuit.Options{})[0]
		requireBorders(t, r, c, 0.15)
		assert.Equal(t, "YAML of cones", c.Kind, name)
		if name == "block" {
			assert.InDelta(t, -5, c.X[0], 0.1, "the circuit starts where the car does")
		}
	}
}

// Cones without a clear road and files that hold no list of cones are refused.
func TestConesRefused(t *testing.T) {
	t.Parallel()
	r := stadium(60, 15, constant(2, 2))
	left := r.border(60, true)
	random := rand.New(rand.NewPCG(3, 4))
	cloud := func() (points [][2]float64) {
		for range 60 {
			points = append(points, [2]float64{90 * random.Float64(), 90 * random.Float64()})
		}
		return points
	}
	straight := func(y float64) (points [][2]float64) {
		for i := range 20 {
			points = append(points, [2]float64{5 * float64(i), y + 0.01*float64(i%3)})
		}
		return points
	}
	yaml := func(item string) string {
		return "cones_left: [" + strings.Repeat(item+", ", 4) + "]\ncones_right: [[0, 0], [1, 1], [2, 0]]\n"
	}
	for name, test := range map[string]struct{ text, want string }{
		"a cloud": {coneNames + strings.Join(coneLines(cloud(), cloud()), ""),
			"ring: the place of the cones is no clear road"},
		"a straight": {coneNames + strings.Join(shuffled(coneLines(straight(2), straight(-2)), 1), ""),
			"the place of the cones is no closed road: must be one closed road with blue cones on the left"},
		"one side": {coneNames + strings.Join(coneLines(left, nil), ""),
			"ring: the number of cones is 60 on the left (blue) and 0 on the right (yellow): must be at least 3 on either side"},
		"too many": {coneNames + strings.Repeat("blue,1,2\n", 2001),
			"ring:2002: the number of cones is more than 2000"},
		"text":            {coneNames + "blue,1,2\nblue,one,2\n", `ring:3: column 2: x of a cone is "one": must be a number such as 12.5`},
		"infinite":        {"blue,1,2\nblue,1,1e99\n", `ring:2: column 3: y of a cone is "1e99": must be a number of metres from`},
		"short":           {coneNames + "blue,1\n", "ring:2: the number of columns is 2: must be at least 3"},
		"not closed YAML": {"cones_left: [[1, 2], [3", "the YAML is wrong: "},
		"nested":          {"cones_left: " + strings.Repeat("[", 200), "the YAML is nested more than 12 deep"},
		"one number":      {yaml("[1]"), "ring:1: a point of cones_left is of 1 numbers: must be [x, y]"},
		"NaN":             {yaml("[.nan, 1]"), `ring:1: a point of cones_left is ".nan": must be a number such as 12.5`},
		"an alias": {"a: &a [1, 2]\ncones_left: [*a, *a, *a]\ncones_right: [*a]\n",
			"a point of cones_left is of 0 numbers"},
		"laughs": {"a: &a [l, l]\nb: &b [*a, *a]\nc: &c [*b, *b]\ncones_left: *c\ncones_right: *c\n",
			"the number of cones is 0 on the left"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := circuit.ReadAll("ring", strings.NewReader(test.text), circuit.Options{})
			require.ErrorIs(t, err, circuit.ErrFormat)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// A report had cones around an ellipse of 60 by 40 m, 6 and 4 m apart.
func TestReportedCones(t *testing.T) {
	path := filepath.Join("..", "..", "shared", "data", "reports", "09-borders", "cones.csv")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("NOT RUN: the report is not beside this checkout: %v", err)
	}
	files, err := circuit.ReadFiles(path, circuit.Options{})
	require.NoError(t, err)
	c := files[0]
	for i := range c.X {
		require.InDelta(t, 1, math.Hypot(c.X[i]/30, c.Y[i]/20), 0.01)
	}
}
