package export

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// raise gives the points of env e the heights of a function of the way, from 0 to 1.
func raise(b *track.Batch, e int, height func(u float64) float64) {
	n := int(b.Count[e])
	for i := range n {
		z := coarse(float32(height(float64(i) / float64(n))))
		for _, array := range [][]kernel.Vec3{b.Center, b.Outer, b.Inner} {
			array[e*b.NMax+i].Z = z
		}
	}
}

func wave(u float64) float64 { return 0.2 * math.Sin(2*math.Pi*u) }

// hillyBatch is goldenBatch with heights.
func hillyBatch() *track.Batch {
	b := goldenBatch()
	raise(b, 0, wave)
	raise(b, 1, func(u float64) float64 { return 0.1 * math.Cos(4*math.Pi*u) })
	raise(b, 2, func(u float64) float64 { return 3 * u })
	return b
}

// requireGolden compares a picture with golden files: its SVG, and the checksum of its pixels.
func requireGolden(t *testing.T, name string, p *page) {
	t.Helper()
	var svg bytes.Buffer
	require.NoError(t, p.writeSVG(&svg))
	c := newPixelCanvas(p.width, p.height, 1.5)
	require.NoError(t, p.draw(c))
	require.NoError(t, c.err)
	pixels := fmt.Sprintf("%v %08x\n", c.image.Bounds().Max, crc32.ChecksumIEEE(c.image.Pix))
	for file, got := range map[string]string{name + ".svg": svg.String(), name + ".pixels.crc32": pixels} {
		path := filepath.Join("testdata", file)
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		}
		require.Equal(t, string(readFile(t, path)), got, "go test -run Golden -update ./export writes it anew")
	}
}

func TestGoldenHills(t *testing.T) {
	for _, view := range Views() {
		style := goldenPicture
		style.View, style.Envs = view, []int{0, 2}
		p, err := layOut(hillyBatch(), style)
		require.NoError(t, err)
		requireGolden(t, "hills-"+string(view), p)
	}
}

// A picture of hills has a legend with numbers, and each track a profile with its steepest place. Level tracks beside
// them have a flat profile; invalid ones keep their colour.
func TestHillsHaveColorsAndProfiles(t *testing.T) {
	text := svgOf(t, hillyBatch(), Picture{Unit: "m"})
	for _, want := range []string{">height −0.2</text>", ">0.2 m</text>", ">steepest +40 %</text>",
		", height −0.2 to 0.2 m<",
		hex(heightColor(0.5 / legendSteps)), hex(invalidRoad)} {
		assert.Contains(t, text, want)
	}
	assert.Equal(t, 3, strings.Count(text, ">steepest "), "a track without points has no profile")

	level := svgOf(t, goldenBatch(), Picture{Unit: "m"})
	for _, never := range []string{"height", "steepest"} {
		assert.NotContains(t, level, ">"+never)
	}
	fit := svgOf(t, hillyBatch(), Picture{FitCells: true})
	assert.NotContains(t, fit, "colours of heights", "each track has its own range, at its profile")
	assert.Contains(t, fit, ">−0.1</text>")
}

// Circuits far above each other have their own ranges of heights, at their profiles. Generated tracks have one range.
func TestRangesOfHeights(t *testing.T) {
	b := newBatch(2, 24)
	for e, base := range []float64{100, 700} {
		setTrack(b, e, 24, 6, circle(500))
		raise(b, e, func(u float64) float64 { return base + 50*wave(u) })
	}
	p, err := layOut(b, Picture{View: ViewOblique})
	require.NoError(t, err)
	require.Equal(t, interval{90, 110}, p.scopeOf(0).heights)
	require.Equal(t, interval{690, 710}, p.scopeOf(1).heights)
	assert.InDelta(t, 88, p.cameraOf(0).ground, 1e-9)
	assert.InDelta(t, 688, p.cameraOf(1).ground, 1e-9)
	assert.NotContains(t, svgOf(t, b, Picture{}), "colours of heights")

	raise(b, 1, func(u float64) float64 { return 120 + 50*wave(u) })
	p, err = layOut(b, Picture{View: ViewOblique})
	require.NoError(t, err)
	require.Equal(t, interval{90, 130}, p.scopeOf(0).heights)
	require.Equal(t, p.cameraOf(0), p.cameraOf(1))
	assert.Contains(t, svgOf(t, b, Picture{}), "colours of heights")
	assert.NotContains(t, svgOf(t, b, Picture{FitCells: true}), "colours of heights")
}

// The colour of a road can be seen, however narrow the road is.
func TestNarrowRoadsShowTheirHeights(t *testing.T) {
	b := newBatch(1, 24)
	setTrack(b, 0, 24, 0.0001, circle(1))
	raise(b, 0, wave)
	p, err := layOut(b, Picture{})
	require.NoError(t, err)
	projected, ok := p.projection(0, 0, 0)
	require.True(t, ok)
	for _, slice := range (trackSubject{b}).slices(0, projected) {
		require.InDelta(t, narrowest, distance(projected.show(slice.outer), projected.show(slice.inner)), 0.1)
		require.InDelta(t, 1, slice.middle().minus(vector3{z: slice.height}).length(), 1e-3)
	}
}

func TestSteepestPlaceOfAProfile(t *testing.T) {
	b := newBatch(1, 8)
	square := []kernel.Vec3{{}, {X: 3}, {X: 3, Y: 4, Z: 1}, {Y: 4, Z: -2}}
	copy(b.Center, square)
	copy(b.Outer, square)
	copy(b.Inner, square)
	b.Count[0], b.Valid[0] = 4, 1
	h := trackSubject{b}.profileOf(0)
	assert.Equal(t, 2, h.steepest)
	assert.InDelta(t, -1, h.grade, 1e-12, "3 downwards over 3 in plan view")
	assert.InDeltaSlice(t, []float64{0, 3, 3 + math.Sqrt(17), 3 + math.Sqrt(17) + math.Sqrt(18),
		3 + math.Sqrt(17) + math.Sqrt(18) + math.Sqrt(20)}, h.way, 1e-9)
	z, from := h.at(3+math.Sqrt(17)/2, 0)
	assert.InDelta(t, 0.5, z, 1e-12)
	assert.Equal(t, 1, from)
	assert.Equal(t, "−100 %", gradeText(h.grade))
	assert.Equal(t, "+7.2 %", gradeText(0.0717))

	b.Center[1].Z = nan
	assert.Len(t, trackSubject{b}.profileOf(0).way, 4, "a point that is not finite is skipped")
	b.Count[0] = 1
	assert.Empty(t, trackSubject{b}.profileOf(0).way)
}

// At a bridge, the upper road covers the lower one in every view, whichever of them comes first on the way.
func TestUpperRoadCoversLowerRoad(t *testing.T) {
	for _, view := range Views() {
		for sign := -1.0; sign <= 1; sign += 2 {
			b := newBatch(1, 160)
			setTrack(b, 0, 160, 0.08, lemniscate(1))
			raise(b, 0, func(u float64) float64 { return sign * wave(u) })
			style := Picture{CellSize: 600, View: view}
			p, err := layOut(b, style)
			require.NoError(t, err)
			projected, ok := p.projection(0, pageMargin, p.top())
			require.True(t, ok)
			picture, err := png.Decode(bytes.NewReader(pngOf(t, b, style)))
			require.NoError(t, err)
			// The lemniscate is at its crossing point at a quarter and at three quarters of the way.
			at := projected.show(projected.place(vector3{0, 0, 0.2}))
			c := color.RGBAModel.Convert(picture.At(int(at.x), int(at.y))).(color.RGBA)
			top := heightColor(1)
			assert.InDelta(t, float64(top.r), float64(c.R), 12, "%s %v", view, sign)
			assert.InDelta(t, float64(top.g), float64(c.G), 12, "%s %v", view, sign)
		}
	}
}

func TestCameras(t *testing.T) {
	for _, c := range []camera{fromAbove, obliquely(1, 2)} {
		for _, axis := range []vector3{c.right, c.up, c.back} {
			assert.InDelta(t, 1, axis.length(), 1e-15)
		}
		assert.InDelta(t, 0, c.right.dot(c.up), 1e-15)
		assert.InDelta(t, 0, c.right.cross(c.up).minus(c.back).length(), 1e-15, "right-handed")
	}
	assert.Equal(t, vector3{1, 2, 4}, obliquely(1, 2).place(vector3{1, 2, 3}))
	_, ok := fromAbove.look(kernel.V3(1, 2, nan))
	assert.True(t, ok, "heights are not seen from above")
	_, ok = obliquely(0, 1).look(kernel.V3(1, 2, nan))
	assert.False(t, ok)
}

func TestHeightsAreEnlargedUntilTheyCanBeSeen(t *testing.T) {
	for _, c := range []struct{ plan, heights, want float64 }{
		{10, 5, 1}, {10, 2, 1}, {10, 1, 2}, {10, 0.5, 5}, {10, 0.001, 100}, {10, 0, 1}, {10, 40, 0.2}, {0, 10, 1}, {0, 0, 1},
		{1, 1e9, 1}, {math.SmallestNonzeroFloat64, math.MaxFloat64, 1},
	} {
		assert.InDelta(t, c.want, liftFor(c.plan, c.heights), 1e-12, "%v", c)
	}
	for _, c := range []struct {
		low, high, clearance, want float64
	}{
		{1, 3, 0.5, 0}, {-1, 1, 0, -1.2}, {700, 720, 0, 698}, {0, 0, 0, 0}, {5, 5, 1, 4}, {0, 2, 0.1, -0.4}, {28, 52, 0, 25},
	} {
		assert.InDelta(t, c.want, groundFor(interval{c.low, c.high}, c.clearance), 1e-9, "%v", c)
	}
}

// The colours have an even lightness (CIE L*), which is what people of any colour vision and prints in grey see.
func TestLightnessOfHeightsGrowsEvenly(t *testing.T) {
	linear := func(v uint8) float64 {
		if f := float64(v) / 255; f > 0.04045 {
			return math.Pow((f+0.055)/1.055, 2.4)
		} else {
			return f / 12.92
		}
	}
	lightness := func(c rgb) float64 {
		return 116*math.Cbrt(0.2126*linear(c.r)+0.7152*linear(c.g)+0.0722*linear(c.b)) - 16
	}
	const steps = 16
	first, last := lightness(heightColor(0)), lightness(heightColor(1))
	for i := range steps {
		step := lightness(heightColor(float64(i+1)/steps)) - lightness(heightColor(float64(i)/steps))
		assert.InDelta(t, (last-first)/steps, step, 1.5, "step %d", i)
	}
	assert.Equal(t, heightColor(0), heightColor(-1))
	assert.Equal(t, heightColor(1), heightColor(2))
}

func TestHillsSurviveAnyPoints(t *testing.T) {
	numbers := hostileNumbers()
	rapid.Check(t, func(t *rapid.T) {
		b := newBatch(2, 6)
		for e := range b.Envs {
			b.Count[e] = int32(rapid.IntRange(0, 6).Draw(t, "count"))
			b.Valid[e] = int32(rapid.IntRange(0, 1).Draw(t, "valid"))
		}
		for _, array := range [][]kernel.Vec3{b.Center, b.Outer, b.Inner} {
			for i := range array {
				array[i] = kernel.V3(numbers.Draw(t, "x"), numbers.Draw(t, "y"), numbers.Draw(t, "z"))
			}
		}
		p := Picture{CellSize: 100, FitCells: rapid.Bool().Draw(t, "fit"), View: rapid.SampledFrom(Views()).Draw(t, "view")}
		var svg bytes.Buffer
		require.NoError(t, WriteSVG(&svg, b, p))
		requireFinitePaths(t, svg.String())
		require.NoError(t, WritePNG(io.Discard, b, p))
	})
}

// hostileNumbers draws numbers as files of other programs may hold them.
func hostileNumbers() *rapid.Generator[float32] {
	return rapid.OneOf(rapid.Float32Range(-2, 2), rapid.Float32(), rapid.SampledFrom([]float32{
		nan, float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, 0,
	}))
}

// requireFinitePaths checks that text is well-formed XML, and that no path has a coordinate that is not a number.
func requireFinitePaths(t require.TestingT, text string) {
	requireWellFormed(t, text)
	for _, d := range strings.Split(text, ` d="`)[1:] {
		path := d[:strings.Index(d, `"`)]
		require.NotContains(t, path, "N")
		require.NotContains(t, path, "I")
	}
}

// What explains the cells stays on the page, in rows that do not meet.
func TestFootersFitThePage(t *testing.T) {
	b := hillyBatch()
	for size := minCellSize; size <= 700; size += 50 {
		for _, view := range Views() {
			for _, envs := range [][]int{{0}, {0, 1}} {
				p, err := layOut(b, Picture{CellSize: size, View: view, Envs: envs, Unit: "m"})
				require.NoError(t, err)
				for i, item := range p.footer {
					assert.LessOrEqual(t, item.left+item.width, p.width-2*pageMargin, "%d %s %d", size, view, i)
					assert.LessOrEqual(t, p.footerTop+item.bottom, p.height-pageMargin)
					if i > 0 {
						before := p.footer[i-1]
						assert.True(t, item.left >= before.left+before.width || item.bottom-item.height >= before.bottom)
					}
				}
			}
		}
	}
}

// tiltedCircle is a circle of 500 m whose road of 12 m has the given slope from side to side, and hills of 2 m.
func tiltedCircle(slope, rise float64) *track.Batch {
	b := newBatch(1, 240)
	setTrack(b, 0, 240, 6, circle(500))
	raise(b, 0, func(u float64) float64 { return 100 + rise*math.Sin(2*math.Pi*u) })
	for i := range b.Outer {
		b.Outer[i].Z += float32(6 * slope)
		b.Inner[i].Z -= float32(6 * slope)
	}
	return b
}

// The road keeps its angle from side to side, however much heights are enlarged, and stays above the ground.
func TestBanksAreNotEnlarged(t *testing.T) {
	b := tiltedCircle(0.2, 1)
	p, err := layOut(b, Picture{View: ViewOblique})
	require.NoError(t, err)
	projected, ok := p.projection(0, 0, 0)
	require.True(t, ok)
	require.InDelta(t, 100, projected.lift, 1e-9)
	road := (trackSubject{b}).slices(0, projected)
	require.NotEmpty(t, road)
	for _, slice := range road {
		across := slice.outer.minus(slice.inner)
		require.InDelta(t, 0.2, across.z/math.Hypot(across.x, across.y), 1e-3)
		require.Positive(t, min(slice.outer.z, slice.inner.z))
	}
	bounds := p.shown(0, projected.camera)
	for _, slice := range road {
		for _, v := range []vector3{slice.outer, slice.inner} {
			at := projected.flat(v)
			require.True(t, at.y >= bounds.min.y-10 && at.y <= bounds.max.y+10, "%v is outside of %v", at, bounds)
		}
	}
}

// Banks of a level road are no hills: its picture has no colours and no profile, whose height would be the same
// everywhere.
func TestLevelBankedRoadHasNoProfile(t *testing.T) {
	for _, view := range Views() {
		text := svgOf(t, tiltedCircle(0.2, 0), Picture{View: view})
		assert.NotContains(t, text, "colours of heights", view)
		assert.NotContains(t, text, hex(heightColor(0.5)), view)
	}
}
