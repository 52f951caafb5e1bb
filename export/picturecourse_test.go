package export

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/kernel"
)

// ringField is the distance field of a road around the origin, between two circles.
func ringField(resolution int, middle, half float64) *DistanceField {
	reach := middle + 3*half
	f := &DistanceField{Resolution: resolution, Low: kernel.V2(coarse(float32(-reach)), coarse(float32(-reach))),
		High: kernel.V2(coarse(float32(reach)), coarse(float32(reach)))}
	for j := range resolution {
		for i := range resolution {
			x := (2*(float64(i)+0.5)/float64(resolution) - 1) * reach
			y := (2*(float64(j)+0.5)/float64(resolution) - 1) * reach
			f.Distance = append(f.Distance, coarse(float32(half-math.Abs(math.Sqrt(x*x+y*y)-middle))))
		}
	}
	return f
}

// courseLayers are layers of env 0 of goldenBatch, and of goldenGates.
func courseLayers(envs int) []CourseLayers {
	layers := make([]CourseLayers, envs)
	l := &layers[0]
	l.Field = ringField(24, 0.5, 0.1)
	at := func(k, n int, radius float64) kernel.Vec3 {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(n))
		return kernel.V3(coarse(float32(radius*cos)), coarse(float32(radius*sin)), 0)
	}
	for k := range 6 {
		l.Checkpoints = append(l.Checkpoints, CheckpointBar{Left: at(k, 6, 0.4), Right: at(k, 6, 0.6)})
	}
	for k := range 20 {
		l.Line = append(l.Line, at(k, 20, 0.5))
		l.Speed = append(l.Speed, float32(2+k%5))
		tangent := at(k+5, 20, 1)
		l.Props = append(l.Props, PropMark{Position: at(k, 20, 0.65), Tangent: kernel.V2(tangent.X, tangent.Y),
			Length: 0.2, Segment: k%2 == 0})
	}
	l.Posts = []PostDisc{{at(1, 8, 0.3), 0.02}, {at(2, 8, 0.3), 0.0001}}
	none := kernel.V2(nan, nan)
	l.Cars = []CarBox{
		{Position: at(1, 12, 0.5), Heading: kernel.V2(0, 1), HalfExtents: kernel.V2(0.05, 0.025),
			Nearest: kernel.V2(0.52, 0.3), Normal: kernel.V2(-0.866, -0.5)},
		{Position: at(5, 12, 0.6), Heading: kernel.V2(0.6, 0.8), HalfExtents: kernel.V2(0.05, 0.025), Hit: true,
			Nearest: none, Normal: none},
		{Position: at(7, 12, 0.5), Heading: kernel.V2(1, 0), HalfExtents: kernel.V2(0.002, 0.001), Nearest: none},
		{Position: kernel.V3(nan, 0, 0), Heading: kernel.V2(1, 0)},
	}
	return layers
}

// goldenCourse is the golden picture with layers over env 0.
func goldenCourse() Picture {
	style := goldenPicture
	style.CellSize, style.Envs, style.Layers = 360, []int{0, 2}, courseLayers(4)
	return style
}

func TestGoldenCourse(t *testing.T) {
	p, err := layOut(goldenBatch(), goldenCourse())
	require.NoError(t, err)
	requireGolden(t, "course", p)
	p, err = layOutGates(goldenGates(level), goldenCourse())
	require.NoError(t, err)
	requireGolden(t, "course-gates", p)
}

// The notes count what the layers hold, and the footer explains it.
func TestCourseIsExplained(t *testing.T) {
	style := goldenCourse()
	style.CellSize = 800
	text := svgOf(t, goldenBatch(), style)
	for _, want := range []string{
		"24 points, 6 checkpoints, 20 props, speed 2 to 6, 1 of 4 cars out of bounds<",
		">distance to the border −0.484<", ">speed 2<", ">start<", ">checkpoint<", ">prop<", ">post<", ">car<",
		">car out of bounds<", ">nearest point and normal<", ">5</text>",
	} {
		require.Contains(t, text, want)
	}
	style.Unit = "m"
	text = svgOf(t, goldenBatch(), style)
	require.Contains(t, text, ", speed 2 to 6 m/s, ")
	require.Contains(t, text, ">6 m/s<")
	style.Unit = ""
	text = gateSVG(t, goldenGates(level), style)
	require.Contains(t, text, "1 of 4 cars at a post<")
	require.Contains(t, text, ">car at a post<")
	for _, absent := range []string{"first contact", ">way of a step<", ">cars that touch each other<"} {
		require.NotContains(t, text, absent)
	}
	cars := style.Layers[0].Cars
	cars[0].Way, cars[1].Way = &CarWay{Before: kernel.V3(0.4, 0, 0), FirstContact: 0.5}, &CarWay{FirstContact: nan}
	cars[0].Touches = &cars[1].Position
	text = svgOf(t, goldenBatch(), style)
	for _, want := range []string{", 1 first contacts<", ">way of a step<", ">first contact<",
		">cars that touch each other<"} {
		require.Contains(t, text, want)
	}
	style.Layers[0].Cars[0].Normal = kernel.Vec2{}
	text = svgOf(t, goldenBatch(), style)
	require.Contains(t, text, ">nearest point<")

	style.Layers = make([]CourseLayers, 4)
	text = svgOf(t, goldenBatch(), style)
	require.Contains(t, text, "24 points<")
	for _, absent := range []string{"speed", ">start<", ">car<", "distance to"} {
		require.NotContains(t, text, absent)
	}
}

// A picture with layers shows no heights.
func TestCourseHidesHeights(t *testing.T) {
	style := goldenPicture
	style.Layers = courseLayers(4)
	text := svgOf(t, hillyBatch(), style)
	for _, absent := range []string{">height ", ", height ", "steepest"} {
		require.False(t, strings.Contains(text, absent), absent)
	}
}

func TestCourseRefusesWrongLayers(t *testing.T) {
	for want, change := range map[string]func(p *Picture){
		"export: the picture has layers of 3 envs: expected 4, one for each env of the batch": func(p *Picture) {
			p.Layers = p.Layers[:3]
		},
		"export: layers of env 0: speed has 19 numbers: expected 20, one for each point of the line": func(p *Picture) {
			p.Layers[0].Speed = p.Layers[0].Speed[1:]
		},
		"export: layers of env 0: the distance field has 576 cells: expected 625": func(p *Picture) {
			p.Layers[0].Field.Resolution = 25
		},
		"export: layers of env 0: the height grid has 3 cells: expected 4": func(p *Picture) {
			p.Layers[0].Ground = &HeightGrid{Resolution: 2, Height: make([]float32, 3)}
		},
		"export: layers of env 0: the resolution of the distance field is 1: must be 2 to 4096": func(p *Picture) {
			p.Layers[0].Field.Resolution = 1
		},
	} {
		style := goldenCourse()
		change(&style)
		err := WriteSVG(&bytes.Buffer{}, goldenBatch(), style)
		assert.EqualError(t, err, want)
		assert.ErrorIs(t, err, ErrPicture)
		assert.ErrorIs(t, WriteGatesPNG(&bytes.Buffer{}, goldenGates(level), style), ErrPicture)
	}
}

func TestCourseSurvivesAnyNumbers(t *testing.T) {
	numbers := rapid.OneOf(rapid.Float32Range(-2, 2), rapid.SampledFrom([]float32{
		nan, float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32, math.SmallestNonzeroFloat32, 0,
	}))
	rapid.Check(t, func(t *rapid.T) {
		v2 := func() kernel.Vec2 { return kernel.V2(numbers.Draw(t, "x"), numbers.Draw(t, "y")) }
		v3 := func() kernel.Vec3 { return kernel.V3(numbers.Draw(t, "x"), numbers.Draw(t, "y"), numbers.Draw(t, "z")) }
		layers := make([]CourseLayers, 4)
		for e := range layers {
			l := &layers[e]
			for range rapid.IntRange(0, 3).Draw(t, "number") {
				l.Checkpoints = append(l.Checkpoints, CheckpointBar{v3(), v3()})
				l.Posts = append(l.Posts, PostDisc{v3(), numbers.Draw(t, "radius")})
				l.Props = append(l.Props, PropMark{v3(), v2(), numbers.Draw(t, "length"), rapid.Bool().Draw(t, "segment")})
				other := v3()
				l.Cars = append(l.Cars, CarBox{v3(), v2(), v2(), rapid.Bool().Draw(t, "hit"), v2(), v2(),
					&CarWay{v3(), numbers.Draw(t, "first contact")}, &other, &other.Z})
				l.Frames = append(l.Frames, GateFrame{v3(), v3(), v3(), other.X, other.Y, other.Z, rapid.Bool().Draw(t, "hit")})
				l.Balls = append(l.Balls, AgentBall{v3(), other.X, rapid.Bool().Draw(t, "hit"), v3()})
				l.Line, l.Speed = append(l.Line, v3()), append(l.Speed, numbers.Draw(t, "speed"))
			}
			if rapid.Bool().Draw(t, "field") {
				l.Field = &DistanceField{2, v2(), v2(), []float32{numbers.Draw(t, "d"), 1, numbers.Draw(t, "d"), -1}}
			}
			if rapid.Bool().Draw(t, "ground") {
				l.Ground = &HeightGrid{2, v2(), v2(), []float32{numbers.Draw(t, "z"), 1, numbers.Draw(t, "z"), -1}}
			}
		}
		style := Picture{CellSize: 100, Layers: layers, FitCells: rapid.Bool().Draw(t, "fit"),
			View: rapid.SampledFrom(Views()).Draw(t, "view")}
		var svg, png bytes.Buffer
		require.NoError(t, WriteSVG(&svg, goldenBatch(), style))
		requireWellFormed(t, svg.String())
		for _, d := range strings.Split(svg.String(), ` d="`)[1:] {
			d = d[:strings.Index(d, `"`)]
			require.NotContains(t, d, "N")
			require.NotContains(t, d, "Inf")
		}
		require.NoError(t, WritePNG(&png, goldenBatch(), style))
		require.NoError(t, WriteGatesSVG(&svg, goldenGates(level), style))
	})
}

// areaInside returns the area of contours of which holes run the other way round.
func areaInside(contours [][]point) (area float64) {
	for _, contour := range contours {
		for i, a := range contour {
			b := contour[(i+1)%len(contour)]
			area += (a.x*b.y - b.x*a.y) / 2
		}
	}
	return math.Abs(area)
}

// standingLayers are courseLayers with ground, frames and balls, at heights.
func standingLayers(envs int) []CourseLayers {
	layers := courseLayers(envs)
	l := &layers[0]
	l.Ground = &HeightGrid{Resolution: 8, Low: kernel.V2(-0.75, -0.75), High: kernel.V2(0.75, 0.75)}
	for i := range 64 {
		l.Ground.Height = append(l.Ground.Height, coarse(float32(i%8)/16))
	}
	l.Cars[0].Ground = &l.Ground.Height[3]
	up := kernel.V3(0, 0, 0.25)
	for k, at := range []kernel.Vec3{kernel.V3(0.5, 0, 0.125), kernel.V3(-0.5, 0, 0.25)} {
		l.Frames = append(l.Frames, GateFrame{Center: at, Forward: kernel.V3(0, 1, 0), Left: kernel.V3(-1, 0, 0), Half: 0.125,
			Thickness: 0.03125, Depth: 0.0625, Hit: k == 1})
		l.Balls = append(l.Balls, AgentBall{Position: at.Add(up.Scale(float32(k))), Radius: 0.0625, Hit: k == 1, Near: at})
	}
	for k := range l.Line {
		l.Line[k].Z = coarse(float32(k) / 64)
	}
	return layers
}

// The oblique view shows all layers, too.
func TestGoldenStandingCourse(t *testing.T) {
	style := goldenCourse()
	style.Layers, style.View = standingLayers(4), ViewOblique
	style.Layers[0].Field = nil
	p, err := layOut(hillyBatch(), style)
	require.NoError(t, err)
	requireGolden(t, "course-oblique", p)
	p, err = layOutGates(goldenGates(level), style)
	require.NoError(t, err)
	requireGolden(t, "course-gates-oblique", p)
	style.View = ViewAbove
	p, err = layOut(hillyBatch(), style)
	require.NoError(t, err)
	requireGolden(t, "course-ground", p)
}

// The ground has a scale of colours or, over a distance field, lines; both are explained, like frames and balls.
func TestGroundAndFramesAreExplained(t *testing.T) {
	style := goldenCourse()
	style.CellSize, style.Layers = 800, standingLayers(4)
	text := svgOf(t, hillyBatch(), style)
	for _, want := range []string{", heights of the ground 0 to 0.438", ", 1 of 2 balls at a frame<", ">frame<",
		">frame that is touched<", ">ball of an agent<", ">ball at a frame<", ">height of the ground below a car<", ">0.188<",
		">equal height of the ground, every 0.044 units<"} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "colours of the ground")
	style.View = ViewOblique
	require.Contains(t, svgOf(t, hillyBatch(), style), ">ground<")
	style.Layers[0].Field = nil
	require.Contains(t, svgOf(t, hillyBatch(), style), "colours of the ground")
	for i := range style.Layers[0].Ground.Height {
		style.Layers[0].Ground.Height[i] = 1
	}
	text = svgOf(t, hillyBatch(), style)
	require.Contains(t, text, ", heights of the ground 1")
	for _, absent := range []string{"colours of the ground", "height of the ground below a car"} {
		require.NotContains(t, text, absent, "the ground is level")
	}
}

// The posts and bars of a frame enclose its opening and touch each other.
func TestBoxesOfAFrame(t *testing.T) {
	f := GateFrame{Center: kernel.V3(1, 2, 3), Forward: kernel.V3(0, 1, 0), Left: kernel.V3(-1, 0, 0), Half: 0.5,
		Thickness: 0.25, Depth: 0.5}
	low, high := vector3{9, 9, 9}, vector3{-9, -9, -9}
	boxes := f.boxes(fromAbove)
	require.Len(t, boxes, 4)
	for _, box := range boxes {
		for _, v := range box {
			low = vector3{min(low.x, v.x), min(low.y, v.y), min(low.z, v.z)}
			high = vector3{max(high.x, v.x), max(high.y, v.y), max(high.z, v.z)}
		}
	}
	require.Equal(t, vector3{0.25, 1.75, 2.25}, low)
	require.Equal(t, vector3{1.75, 2.25, 3.75}, high)
	require.Equal(t, vector3{1.75, 1.75, 2.25}, boxes[1][0], "of the right post: near, right, low")
	for _, face := range boxSides {
		a, b, c := boxes[0][face[0]], boxes[0][face[1]], boxes[0][face[2]]
		middle := boxes[0][0].toward(boxes[0][7], 0.5)
		require.Positive(t, b.minus(a).cross(c.minus(b)).dot(a.minus(middle)), "%v is seen from outside", face)
	}
	f.Left.Y = nan
	require.Empty(t, f.boxes(fromAbove))
}

// What is far from a track is shown with it, so that nothing is drawn beyond its cell. A heading that is no unit vector
// would make a car of any size; it is left out.
func TestCourseStaysInItsCell(t *testing.T) {
	style := goldenCourse()
	style.Envs = []int{0}
	for name, change := range map[string]func(l *CourseLayers){
		"car":        func(l *CourseLayers) { l.Cars[0].Position.X = 50 },
		"contact":    func(l *CourseLayers) { l.Cars[0].Nearest.Y = -50 },
		"heading":    func(l *CourseLayers) { l.Cars[0].Heading.X = 1e6 },
		"checkpoint": func(l *CourseLayers) { l.Checkpoints = []CheckpointBar{{Left: kernel.V3(50, 50, 0)}} },
		"post":       func(l *CourseLayers) { l.Posts = []PostDisc{{Radius: 50}} },
		"prop":       func(l *CourseLayers) { l.Props = []PropMark{{Tangent: kernel.V2(0, 1), Length: 50, Segment: true}} },
		"line":       func(l *CourseLayers) { l.Line = []kernel.Vec3{{}, kernel.V3(-50, 0, 0)} },
		"field":      func(l *CourseLayers) { l.Field = ringField(8, 50, 0.1) },
		"ground": func(l *CourseLayers) {
			l.Ground = &HeightGrid{2, kernel.V2(-50, -50), kernel.V2(50, 50), []float32{0, 1, 2, 90}}
		},
		"ball": func(l *CourseLayers) { l.Balls = []AgentBall{{Position: kernel.V3(0, 50, 3), Radius: 20}} },
		"frame": func(l *CourseLayers) {
			l.Frames = []GateFrame{{Center: kernel.V3(50, 0, 9), Forward: kernel.V3(0, 1, 0), Left: kernel.V3(-1, 0, 0),
				Half: 30}}
		},
	} {
		style.Layers = make([]CourseLayers, 4)
		style.Layers[0].Cars = []CarBox{{Heading: kernel.V2(0.6, 0.8), HalfExtents: kernel.V2(0.1, 0.05)}}
		change(&style.Layers[0])
		for _, style.View = range Views() {
			requireInside(t, name, style)
		}
	}
}

// requireInside checks that all that is drawn lies on the page.
func requireInside(t *testing.T, name string, style Picture) {
	t.Helper()
	p, err := layOut(goldenBatch(), style)
	require.NoError(t, err)
	var svg bytes.Buffer
	require.NoError(t, p.writeSVG(&svg))
	for _, d := range regexp.MustCompile(` d="([^"]*)"`).FindAllStringSubmatch(svg.String(), -1) {
		for i, v := range regexp.MustCompile(`-?[0-9.]+`).FindAllString(d[1], -1) {
			at, err := strconv.ParseFloat(v, 64)
			require.NoError(t, err)
			require.True(t, at >= 0 && at <= []float64{p.width, p.height}[i%2], "%s from %s: %s", name, style.View, d[0])
		}
	}
}

// The area above a level is that between its lines of equal distance, whatever cells they cross: two circles.
func TestAreaOfAField(t *testing.T) {
	const resolution, middle, half = 200, 0.5, 0.1
	f := ringField(resolution, middle, half)
	grid := newCellGrid(f.Resolution, f.Low, f.High, f.Distance, projection{camera: fromAbove, scale: 1000})
	for _, level := range []float64{-0.05, 0, 0.05} {
		inner, outer := middle-half+level, middle+half-level
		contours := grid.above(level)
		require.Len(t, contours, 2, "level %v", level)
		require.InEpsilon(t, math.Pi*(outer*outer-inner*inner)*1e6, areaInside(contours), 0.005, "level %v", level)
	}
	require.Empty(t, grid.above(2*half))
	side := 2 * (middle + 3*half) * 1000
	require.InEpsilon(t, side*side, areaInside(grid.above(math.Inf(-1))), 1e-6, "the whole area")
}

// Areas that meet in one square, at the two low corners of a saddle, are one.
func TestSaddleOfAField(t *testing.T) {
	f := &DistanceField{Resolution: 2, Low: kernel.V2(0, 0), High: kernel.V2(1, 1), Distance: []float32{1, -1, -1, 1}}
	contours := newCellGrid(f.Resolution, f.Low, f.High, f.Distance, projection{camera: fromAbove, scale: 100}).above(0)
	require.Len(t, contours, 1)
	require.InDelta(t, 5625, areaInside(contours), 1e-6, "half of the area, and two triangles")
}

// Bands ascend, and 0 lies between two of them.
func TestLevelsOfAField(t *testing.T) {
	for _, all := range []interval{{-0.6, 0.1}, {-1, 0}, {0, 2}, {-1e-30, 1e-30}, {-2, -1}, {1, 2}, {1, 1}} {
		levels := fieldLevels(all)
		zeros := 0
		for i, level := range levels {
			if i > 0 {
				require.Greater(t, level.from, levels[i-1].from, "%v", all)
			}
			if level.from == 0 {
				zeros++
			}
		}
		require.Equal(t, all.low <= 0 && all.high > 0, zeros == 1, "%v", all)
	}
	require.Equal(t, onRoadScale[2], fieldColor(0.2, interval{-1, 0.2}))
	require.Equal(t, besideScale[2], fieldColor(-1, interval{-1, 0.2}))
}

// Few numbers stand beside checkpoints that are close together.
func TestNumbersOfCheckpoints(t *testing.T) {
	style := goldenCourse()
	style.Envs = []int{0}
	style.Layers[0] = CourseLayers{}
	for k := range 200 {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / 200)
		style.Layers[0].Checkpoints = append(style.Layers[0].Checkpoints, CheckpointBar{
			Left: kernel.V3(float32(0.4*cos), float32(0.4*sin), 0), Right: kernel.V3(float32(0.6*cos), float32(0.6*sin), 0)})
	}
	numbers := numbersIn(svgOf(t, goldenBatch(), style), "env 100")
	require.Equal(t, []string{"0", "10", "20"}, numbers[:3])
	require.LessOrEqual(t, len(numbers), 20)
}
