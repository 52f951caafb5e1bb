package export

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

var update = flag.Bool("update", false, "write the golden files")

func svgOf(t testing.TB, b *track.Batch, p Picture) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, WriteSVG(&out, b, p))
	return out.String()
}

func pngOf(t testing.TB, b *track.Batch, p Picture) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, WritePNG(&out, b, p))
	return out.Bytes()
}

func TestGoldenSVG(t *testing.T) {
	got := svgOf(t, goldenBatch(), goldenPicture)
	path := filepath.Join("testdata", "grid.svg")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	require.Equal(t, string(readFile(t, path)), got, "go test -run Golden -update ./export writes it anew")
}

// TestGoldenPixels compares pixels rather than the file, because the compression may change with the Go version. The
// pixels are the same on every processor.
func TestGoldenPixels(t *testing.T) {
	page, err := layOut(goldenBatch(), goldenPicture)
	require.NoError(t, err)
	c := newPixelCanvas(page.width, page.height, 1.5)
	require.NoError(t, page.draw(c))
	require.NoError(t, c.err)
	path := filepath.Join("testdata", "grid.pixels.crc32")
	got := fmt.Sprintf("%v %08x\n", c.image.Bounds().Max, crc32.ChecksumIEEE(c.image.Pix))
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	require.Equal(t, string(readFile(t, path)), got)
}

var goldenPicture = Picture{Title: "golden", Columns: 2, CellSize: 160, Numbers: []int{100, 101, 202, 303}}

func coarse(v float32) float32 { return float32(math.Round(float64(v)*1000) / 1000) }

func goldenBatch() *track.Batch {
	b := newBatch(4, 24)
	setTrack(b, 0, 24, 0.1, circle(0.5))
	setTrack(b, 1, 12, 0.05, circle(0.4))
	setTrack(b, 2, 8, 0.1, circle(0.1))
	invalidate(b, 2, track.ReasonCurvature)
	invalidate(b, 3, track.ReasonEmpty)
	// Sines may differ in their last bit between processors.
	for _, array := range [][]kernel.Vec3{b.Center, b.Outer, b.Inner} {
		for i, v := range array {
			array[i] = kernel.V3(coarse(v.X), coarse(v.Y), v.Z)
		}
	}
	for i, v := range b.Length {
		b.Length[i] = coarse(v)
	}
	b.Seed, b.Epoch = []int32{7, 8, -9, 10}, []int32{0, 0, 2, 0}
	return b
}

// requireWellFormed checks that text is well-formed XML.
func requireWellFormed(t require.TestingT, text string) {
	decoder := xml.NewDecoder(strings.NewReader(text))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}

func TestSVGIsWellFormedWhateverTheTitle(t *testing.T) {
	b := goldenBatch()
	for _, title := range []string{
		`</text><script>alert("1")</script>`, `"'&<>]]>`, "\x00\x01\x1b[31m\ufffe\uffff", "\xff\xfe\xf0invalid", "日本語のコース",
		"--><!--", strings.Repeat("long ", 100),
	} {
		text := svgOf(t, b, Picture{Title: title})
		requireWellFormed(t, text)
		require.NotContains(t, text, "<script>")
	}
	rapid.Check(t, func(t *rapid.T) {
		var out bytes.Buffer
		require.NoError(t, WriteSVG(&out, b, Picture{Title: rapid.String().Draw(t, "title"), Envs: []int{3}}))
		requireWellFormed(t, out.String())
	})
}

func TestSVGShowsEveryTrack(t *testing.T) {
	b := sampleBatch()
	text := svgOf(t, b, Picture{})
	for _, want := range []string{
		"<title>env 0, seed 1234: length 3.14", "seed -2147483648", ">turning, separation</text>", ">empty</text>",
		">not finite</text>",
		">seed 1239, epoch 1</text>", ">0.5 units</text>", hex(roadColor), hex(invalidRoad), hex(startColor),
		"stroke-dasharray",
	} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "NaN")
	require.NotContains(t, text, "Inf<")
	empty := text[strings.Index(text, "<g><title>env 3"):strings.Index(text, "<g><title>env 4")]
	require.Equal(t, 2, strings.Count(empty, "<path"), "only the card and its edge")
}

func TestPicturesSurviveAnyPoints(t *testing.T) {
	numbers := rapid.OneOf(rapid.Float32Range(-2, 2), rapid.Float32(), rapid.SampledFrom([]float32{
		nan, float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, 0,
	}))
	rapid.Check(t, func(t *rapid.T) {
		b := newBatch(2, 6)
		for e := range b.Envs {
			b.Count[e] = int32(rapid.IntRange(0, 6).Draw(t, "count"))
			b.Valid[e] = int32(rapid.IntRange(0, 1).Draw(t, "valid"))
		}
		for _, array := range [][]kernel.Vec3{b.Center, b.Outer, b.Inner} {
			for i := range array {
				array[i] = kernel.V3(numbers.Draw(t, "x"), numbers.Draw(t, "y"), 0)
			}
		}
		p := Picture{CellSize: 100, FitCells: rapid.Bool().Draw(t, "fit")}
		var svg, png bytes.Buffer
		require.NoError(t, WriteSVG(&svg, b, p))
		requireWellFormed(t, svg.String())
		for _, d := range strings.Split(svg.String(), ` d="`)[1:] {
			require.NotContains(t, d[:strings.Index(d, `"`)], "N")
		}
		require.NoError(t, WritePNG(&png, b, p))
	})
}

// textsOf returns the texts of a picture with the width that the built-in typeface gives them.
func textsOf(t *testing.T, svg string) map[string]float64 {
	t.Helper()
	faces := newFaces(1)
	out := map[string]float64{}
	for _, m := range regexp.MustCompile(`<text [^>]*font-size="(\d+)"([^>]*)>([^<]*)</text>`).FindAllStringSubmatch(svg, -1) {
		size, err := strconv.ParseFloat(m[1], 64)
		require.NoError(t, err)
		style := textStyle{size: size, bold: strings.Contains(m[2], "bold")}
		width, err := faces.width(style, m[3])
		require.NoError(t, err)
		out[m[3]] = width
		if set := regexp.MustCompile(`textLength="([0-9.]+)"`).FindStringSubmatch(m[2]); set != nil {
			length, err := strconv.ParseFloat(set[1], 64)
			require.NoError(t, err)
			require.InDelta(t, width, length, 0.01, m[3])
		}
	}
	return out
}

func TestPictureOfMixedTracks(t *testing.T) {
	b := sampleBatch()
	kinds := make([]string, b.Envs)
	kinds[0], kinds[1] = "bezier", "polar 2"
	text := svgOf(t, b, Picture{Kinds: kinds})
	require.Contains(t, text, "<title>env 0, seed 1234: bezier: length 3.14")
	require.Contains(t, text, ">bezier: length 3.14")
	require.Contains(t, text, ">polar 2: ")
	require.Contains(t, text, ">empty</text>", "no kind, no colon")
}

func TestPictureInMetres(t *testing.T) {
	b := newBatch(2, 24)
	setTrack(b, 0, 24, 6, circle(1000))
	setTrack(b, 1, 24, 6, circle(20000))
	b.Length[1] = 125664
	text := svgOf(t, b, Picture{Unit: "m", FitCells: true})
	require.Contains(t, text, ">length 6265 m, 24 points<")
	require.Contains(t, text, ">length 125664 m, 24 points<", "without an exponent")
	text = svgOf(t, b, Picture{Unit: "m", Envs: []int{0}})
	require.Contains(t, text, ">1000 m</text>", "of the scale")
	require.NotContains(t, text, "unit")
}

// Long texts take two lines, and no line is wider than its cell.
func TestLongTextsFit(t *testing.T) {
	b := newBatch(3, 24)
	for e := range b.Envs {
		setTrack(b, e, 24, 0.1, circle(1))
	}
	b.Seed, b.Epoch = []int32{2147483647, 7, 7}, []int32{2147483647, 0, 0}
	names := []string{
		"Autodromo Nazionale di Monza", strings.Repeat("鈴鹿サーキット", 9), strings.Repeat("a_long_name_", 400),
	}
	for _, cell := range []int{100, 180, 220, 400} {
		for _, labels := range [][]string{nil, names} {
			for text, width := range textsOf(t, svgOf(t, b, Picture{CellSize: cell, Labels: labels})) {
				require.LessOrEqual(t, width, float64(cell-2*cellPadding), "%q in a cell of %d", text, cell)
			}
		}
	}
	text := svgOf(t, b, Picture{CellSize: 180, Labels: names})
	require.Contains(t, text, ">Autodromo Nazionale di</text>")
	require.Contains(t, text, ">Monza</text>")
	require.Contains(t, text, ">a_long_name_a_long_</text>")
	require.Contains(t, text, "…</text>")
	text = svgOf(t, b, Picture{})
	require.Contains(t, text, ">seed 2147483647, epoch 2147483647</text>", "below the number of the env")
	for text, width := range textsOf(t, svgOf(t, b, Picture{Title: strings.Repeat("title ", 100), Envs: []int{1}})) {
		require.LessOrEqual(t, width, float64(DefaultCellSize), "%q", text)
	}
}

// A track is drawn between its texts, whatever number of lines they have.
func TestTracksKeepClearOfTexts(t *testing.T) {
	b := newBatch(1, 24)
	setTrack(b, 0, 24, 0.1, circle(1))
	invalidate(b, 0, track.ReasonCurvature|track.ReasonSeparation|track.ReasonTurning|track.ReasonBorderCrossing)
	page, err := layOut(b, Picture{Labels: []string{strings.Repeat("word ", 30)}})
	require.NoError(t, err)
	projected, drawn := page.projection(0, 0, 0)
	require.True(t, drawn)
	for _, p := range (trackSubject{b}).linesOf(0, projected).outer {
		require.GreaterOrEqual(t, p.y, 24.0+15, "two lines of the label")
		require.LessOrEqual(t, p.y, 220.0-20-15, "two lines of the reasons")
	}
	require.Len(t, page.texts[0].note, 2)
}

func TestPNGIsAPictureOfTheTracks(t *testing.T) {
	b := goldenBatch()
	p := Picture{Envs: []int{0}, CellSize: 200, Density: 2}
	data := pngOf(t, b, p)
	require.Equal(t, data, pngOf(t, b, p))
	picture, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	page, err := layOut(b, p)
	require.NoError(t, err)
	require.Equal(t, int(page.width*2), picture.Bounds().Dx())
	require.Equal(t, int(page.height*2), picture.Bounds().Dy())

	at := func(x, y float64) rgb {
		projected, ok := page.projection(0, pageMargin, pageMargin)
		require.True(t, ok)
		pixel := projected.show(vector3{x, y, 0})
		c := color.RGBAModel.Convert(picture.At(int(pixel.x*2), int(pixel.y*2))).(color.RGBA)
		return rgb{c.R, c.G, c.B}
	}
	require.Equal(t, roadColor, at(-0.55, 0), "on the road")
	require.Equal(t, roadColor, at(0, 0.45), "on the road")
	require.Equal(t, cardColor, at(0, 0), "inside the loop")
	require.Equal(t, cardColor, at(-0.62, -0.62), "outside the loop")
	require.Equal(t, startColor, at(0.55, 0), "on the start line")
}

func TestCommonScaleComparesSizes(t *testing.T) {
	b := newBatch(4, 24)
	setTrack(b, 0, 24, 0.1, circle(1))
	setTrack(b, 1, 24, 0.1, circle(0.25))
	setTrack(b, 2, 24, 0.1, circle(50))
	invalidate(b, 2, track.ReasonTruncated)
	setTrack(b, 3, 24, 0.1, circle(0.25))
	invalidate(b, 3, track.ReasonCurvature)
	scales := func(p Picture) (out []float64) {
		page, err := layOut(b, p)
		require.NoError(t, err)
		for e := range b.Envs {
			projected, ok := page.projection(e, 0, 0)
			require.True(t, ok)
			out = append(out, projected.scale)
		}
		return out
	}
	s := scales(Picture{})
	require.Equal(t, s[0], s[1])
	require.Equal(t, s[0], s[3])
	require.Less(t, s[2], s[0]/20, "a huge broken track is shrunk, and shrinks no other")
	s = scales(Picture{FitCells: true})
	require.Greater(t, s[1], 2*s[0])
}

func TestPictureErrors(t *testing.T) {
	b := sampleBatch()
	for want, p := range map[string]Picture{
		"shows env 7: must be 0 to 6": {Envs: []int{0, 7}},
		"shows env -1":                {Envs: []int{-1}},
		"shows no tracks":             {Envs: []int{}},
		"columns is -1":               {Columns: -1},
		"numbers 2 envs: expected 7":  {Numbers: []int{1, 2}},
		"kinds of 1 envs: expected 7": {Kinds: []string{"bezier"}},
		"cell size is 99":             {CellSize: 99},
		"cell size is 1000000":        {CellSize: 1000000},
		"density is NaN":              {Density: math.NaN()},
		"density is 9":                {Density: 9},
		"density is -1":               {Density: -1},
		"at most 32768 a side":        {CellSize: 2000, Density: 8, Columns: 7},
		"make a picture of":           {Envs: make([]int, 10_000)},
	} {
		for _, write := range []func(io.Writer, *track.Batch, Picture) error{WriteSVG, WritePNG} {
			require.ErrorContains(t, write(io.Discard, b, p), want)
		}
	}
	_, err := layOut(b, Picture{Envs: []int{3}, Columns: math.MaxInt})
	require.NoError(t, err, "more columns than tracks are as many as there are tracks")
	require.ErrorContains(t, WriteSVG(io.Discard, nil, Picture{}), "the batch is nil")
	require.ErrorContains(t, WriteSVG(io.Discard, newBatch(0, 4), Picture{}), "shows no tracks")
}

func TestPictureShowsTheFirstTracks(t *testing.T) {
	page, err := layOut(newBatch(64, 4), Picture{})
	require.NoError(t, err)
	require.Len(t, page.Envs, DefaultTracks)
	require.Equal(t, 6, page.Columns)
}

func TestOutlineIsAsWideAsThePen(t *testing.T) {
	straight := outline([]point{{0, 0}, {10, 0}}, false, 2)
	require.Equal(t, [][]point{{{0, 1}, {10, 1}, {10, -1}, {0, -1}}}, straight)
	square := outline(rectangle(0, 0, 10, 10), true, 2)
	require.Equal(t, [][]point{{{1, 1}, {9, 1}, {9, 9}, {1, 9}}, {{-1, 11}, {11, 11}, {11, -1}, {-1, -1}}}, square)
	for _, nothing := range [][]point{nil, {{1, 1}}, {{1, 1}, {1, 1}}} {
		require.Empty(t, outline(nothing, false, 2))
		require.Empty(t, outline(nothing, true, 2))
	}
	for _, c := range outline([]point{{0, 0}, {10, 0}, {0, 0.1}}, false, 2) {
		for _, p := range c {
			require.Less(t, math.Abs(p.x)+math.Abs(p.y), 13.0, "a hairpin has no spike")
		}
	}
}

func TestDashes(t *testing.T) {
	got := dashes([]point{{0, 0}, {3, 0}, {10, 0}}, 2)
	require.Equal(t, [][]point{{{0, 0}, {2, 0}}, {{4, 0}, {6, 0}}, {{8, 0}, {10, 0}}}, got)
	require.Empty(t, dashes(nil, 2))
	require.Empty(t, dashes([]point{{1, 1}}, 2))
}

func TestRoundLength(t *testing.T) {
	for v, want := range map[float64]float64{1: 1, 1.99: 1, 2: 2, 4.9: 2, 7: 5, 0.03: 0.02, 1234: 1000} {
		require.InDelta(t, want, roundLength(v), 1e-12*want)
	}
}

// comb stores a track of n points between two sides. Its teeth are as long as the track is wide.
func comb(b *track.Batch, n int) {
	for i := range n {
		x, y := float32(i)/float32(n), float32(i%2)
		b.Center[i], b.Outer[i], b.Inner[i] = kernel.V3(x, y, 0), kernel.V3(x, y-0.1, 0), kernel.V3(x, y+0.1, 0)
	}
	b.Count[0], b.Valid[0], b.Length[0] = int32(n), 1, float32(n)
}

// TestPictureOfTangledTracks draws very long lines. Drawing their dashes, or for the longest ones the lines themselves,
// would take minutes and show nothing.
func TestPictureOfTangledTracks(t *testing.T) {
	for points, want := range map[int]struct{ dashes, drawn bool }{90: {true, true}, 800: {false, true},
		maxNMax: {false, false}} {
		b := newBatch(1, points)
		comb(b, points)
		var out bytes.Buffer
		require.NoError(t, WriteSVG(&out, b, Picture{}))
		require.Equal(t, want.dashes, strings.Contains(out.String(), "stroke-dasharray"), points)
		require.Equal(t, !want.drawn, strings.Contains(out.String(), "not drawn: longer than 1000 cells"), points)
		require.Less(t, out.Len(), 200<<10)
		require.NoError(t, WritePNG(io.Discard, b, Picture{}))
	}
}
