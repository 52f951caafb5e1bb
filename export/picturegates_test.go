package export

import (
	"bytes"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
)

// setGate places gate i of env e, with the direction in which it is flown in the plane.
func setGate(b *gate.Batch, e, i int, x, y, z, half, direction float64) {
	sin, cos := math.Sincos(direction)
	at := func(side float64) kernel.Vec3 {
		return kernel.V3(coarse(float32(x-side*sin)), coarse(float32(y+side*cos)), coarse(float32(z)))
	}
	k := e*b.MaxGates + i
	b.Position[k], b.Left[k], b.Right[k] = at(0), at(half), at(-half)
	b.Forward[k] = kernel.V3(coarse(float32(cos)), coarse(float32(sin)), 0)
	b.HalfSize[k] = float32(half)
	b.Count[e] = max(b.Count[e], int32(i+1))
}

// ringOfGates stores n gates on a circle.
func ringOfGates(b *gate.Batch, e, n int, radius, half float64, height func(u float64) float64) {
	for i := range n {
		u := float64(i) / float64(n)
		sin, cos := math.Sincos(2 * math.Pi * u)
		setGate(b, e, i, radius*cos, radius*sin, height(u), half, 2*math.Pi*u+math.Pi/2)
	}
	b.Valid[e] = 1
}

func level(float64) float64 { return 0 }

func goldenGates(height func(u float64) float64) *gate.Batch {
	b := gate.NewBatch(4, 12)
	ringOfGates(b, 0, 8, 1, 0.15, height)
	ringOfGates(b, 1, 12, 0.7, 0, height)
	ringOfGates(b, 2, 5, 1, 0.2, height)
	b.Valid[2], b.Reason[2] = 0, gate.ReasonCrossing|gate.ReasonTurn
	b.Reason[3] = gate.ReasonTooFew
	b.Seed = []int32{7, 8, -9, 10}
	return b
}

func gateSVG(t testing.TB, b *gate.Batch, p Picture) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, WriteGatesSVG(&out, b, p))
	return out.String()
}

func TestGoldenGates(t *testing.T) {
	for _, view := range Views() {
		style := goldenPicture
		style.View, style.CellSize, style.Envs = view, 240, []int{0, 2}
		p, err := layOutGates(goldenGates(func(u float64) float64 { return 0.5 + wave(u) }), style)
		require.NoError(t, err)
		requireGolden(t, "gates-"+string(view), p)
	}
}

// numbersIn returns the numbers of gates in a group of a picture.
func numbersIn(svg, group string) (numbers []string) {
	svg = svg[strings.Index(svg, "<g><title>"+group):]
	svg = svg[:strings.Index(svg, "</g>")]
	for _, m := range regexp.MustCompile(`text-anchor="middle">(\d+)</text>`).FindAllStringSubmatch(svg, -1) {
		numbers = append(numbers, m[1])
	}
	return numbers
}

func TestPictureOfGatesShowsEveryGate(t *testing.T) {
	for _, view := range Views() {
		text := gateSVG(t, goldenGates(level), Picture{View: view, Unit: "m"})
		assert.Equal(t, []string{"0", "1", "2", "3", "4", "5", "6", "7"}, numbersIn(text, "env 0"))
		assert.Len(t, numbersIn(text, "env 1"), 12)
		assert.Contains(t, text, "8 gates, length 6.12")
		assert.Contains(t, text, ">crossing, turn")
		assert.Contains(t, text, ">too few gates</text>")
		assert.Contains(t, text, hex(startColor))
		assert.Contains(t, text, hex(gateColor))
		assert.Contains(t, text, hex(invalidEdge))
		assert.Empty(t, numbersIn(text, "env 3"))
		assert.NotContains(t, text, "colours of heights")
	}
	high := gateSVG(t, goldenGates(wave), Picture{})
	assert.Contains(t, high, ">height −0.2</text>")
	assert.Contains(t, high, "8 gates, length 6.18")
	assert.Contains(t, gateSVG(t, goldenGates(wave), Picture{FitCells: true}), "colours of heights",
		"gates have no profile that could explain their colours")
	assert.NotContains(t, gateSVG(t, goldenGates(wave), Picture{Envs: []int{2}}), "colours of heights",
		"a course that is not valid is red, so there are no colours to explain")
}

// Numbers of gates do not cover each other, the edge of the cell, or other texts.
func TestNumbersOfGatesKeepClear(t *testing.T) {
	b := gate.NewBatch(1, 32)
	for i := range 32 {
		setGate(b, 0, i, 0.3*float64(i%6), 0.25*float64(i/6), 0, 0.08, float64(i))
	}
	b.Valid[0] = 1
	for _, size := range []int{220, 420, 900} {
		for _, view := range Views() {
			p, err := layOutGates(b, Picture{CellSize: size, View: view})
			require.NoError(t, err)
			projected, ok := p.projection(0, 0, 0)
			require.True(t, ok)
			l := newLabels(p, projected)
			for _, g := range (gateSubject{b}).gates(0, projected.camera) {
				at := projected.show(g.place(projected.camera))
				l.avoid(at, projected.show(g.place(projected.camera).plus(g.left)), costGate, 3)
				l.add(at, at, "88", false)
			}
			require.NotEmpty(t, l.placed)
			for i, a := range l.placed {
				assert.GreaterOrEqual(t, a.box.min.x, 0.0)
				assert.LessOrEqual(t, a.box.max.x, p.width)
				for _, other := range l.placed[:i] {
					assert.False(t, a.box.meets(other.box), "%d: %v %v", size, a.box, other.box)
				}
			}
			if size == 900 {
				assert.Len(t, l.placed, 32)
			}
		}
	}
}

func TestLinesThroughRectangles(t *testing.T) {
	box := bounds{point{0, 0}, point{2, 1}}
	for _, c := range []struct {
		from, to point
		want     bool
	}{
		{point{-1, 0.5}, point{3, 0.5}, true}, {point{1, -1}, point{1, 3}, true}, {point{-1, -1}, point{3, 2}, true},
		{point{0.5, 0.5}, point{0.6, 0.6}, true}, {point{-1, 2}, point{3, 2}, false},
		{point{-1, 0.5}, point{-0.1, 0.5}, false},
		{point{-1, 1}, point{0.4, 3}, false}, {point{3, 0.5}, point{3, 0.5}, false}, {point{1, 0.5}, point{1, 0.5}, true},
	} {
		assert.Equal(t, c.want, box.crosses(c.from, c.to), "%v", c)
	}
}

func TestPictureOfGatesErrors(t *testing.T) {
	b := goldenGates(level)
	for want, p := range map[string]Picture{
		"shows env 4: must be 0 to 3":                            {Envs: []int{4}},
		"labels 1 envs: expected 4":                              {Labels: []string{"x"}},
		`the view is "side": must be one of [above oblique]`:     {View: "side"},
		"10000 courses in cells of 220 pixels make a picture of": {Envs: make([]int, 10_000), CellSize: 220},
	} {
		for _, write := range []func(io.Writer, *gate.Batch, Picture) error{WriteGatesSVG, WriteGatesPNG} {
			err := write(io.Discard, b, p)
			require.ErrorContains(t, err, want)
			require.ErrorIs(t, err, ErrPicture)
		}
	}
	require.ErrorContains(t, WriteGatesSVG(io.Discard, nil, Picture{}), "the batch is nil")
	require.ErrorContains(t, WriteGatesSVG(io.Discard, gate.NewBatch(0, 4), Picture{}), "shows no courses")
}

func TestGatesSurviveAnyPoints(t *testing.T) {
	numbers := hostileNumbers()
	rapid.Check(t, func(t *rapid.T) {
		b := gate.NewBatch(2, 5)
		for e := range b.Envs {
			b.Count[e] = int32(rapid.IntRange(0, 5).Draw(t, "count"))
			b.Valid[e] = int32(rapid.IntRange(0, 1).Draw(t, "valid"))
		}
		for _, array := range [][]kernel.Vec3{b.Position, b.Left, b.Right, b.Forward} {
			for i := range array {
				array[i] = kernel.V3(numbers.Draw(t, "x"), numbers.Draw(t, "y"), numbers.Draw(t, "z"))
			}
		}
		p := Picture{CellSize: 100, FitCells: rapid.Bool().Draw(t, "fit"), View: rapid.SampledFrom(Views()).Draw(t, "view")}
		var svg bytes.Buffer
		require.NoError(t, WriteGatesSVG(&svg, b, p))
		requireFinitePaths(t, svg.String())
		require.NoError(t, WriteGatesPNG(io.Discard, b, p))
	})
}

// A gate without a width is drawn wide enough to be seen, across its direction, in a course of any shape.
func TestGatesWithoutAWidthAreEnlarged(t *testing.T) {
	b := gate.NewBatch(3, 4)
	ringOfGates(b, 0, 4, 10, 0, level)
	ringOfGates(b, 1, 4, 10, 2, level)
	ringOfGates(b, 2, 4, 0, 0, func(u float64) float64 { return 40 * u }) // all above each other
	s := gateSubject{b}
	for _, g := range s.gates(0, fromAbove) {
		assert.True(t, g.enlarged)
		assert.InDelta(t, 20*smallestGate, g.left.length(), 1e-5)
		assert.InDelta(t, g.left.length(), g.up.length(), 1e-5, "the frame is a square")
		assert.InDelta(t, 0, g.left.dot(g.forward), 1e-5)
		assert.Positive(t, g.up.z)
	}
	for _, g := range s.gates(1, obliquely(0, 1)) {
		assert.False(t, g.enlarged)
		assert.InDelta(t, 2, g.left.length(), 1e-2)
	}
	for _, g := range s.gates(2, obliquely(0, 2)) {
		assert.InDelta(t, 2*30*smallestGate, g.left.length(), 1e-5)
	}
}
