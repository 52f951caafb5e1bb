package export

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/trackgen-go/trackgen/internal/required"
)

// occupancy is a map as a reader sees it.
type occupancy struct {
	Image          string     `yaml:"image"`
	Resolution     float64    `yaml:"resolution"`
	Origin         [3]float64 `yaml:"origin"`
	Negate         int        `yaml:"negate"`
	OccupiedThresh float64    `yaml:"occupied_thresh"`
	FreeThresh     float64    `yaml:"free_thresh"`

	picture image.Image
}

// readMap reads the map with the given name from a folder.
func readMap(t *testing.T, folder, name string) occupancy {
	t.Helper()
	var m occupancy
	require.NoError(t, yaml.Load(readFile(t, filepath.Join(folder, name+"_map.yaml")), &m, yaml.WithKnownFields()))
	file, err := os.Open(filepath.Join(folder, m.Image))
	require.NoError(t, err)
	defer file.Close()
	if filepath.Ext(m.Image) == ".pgm" {
		m.picture = decodePGM(t, file)
	} else {
		m.picture, err = png.Decode(file)
		require.NoError(t, err)
	}
	return m
}

func decodePGM(t *testing.T, r io.Reader) image.Image {
	t.Helper()
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	var width, height, most int
	var magic string
	_, err = fmt.Sscan(string(text[:40]), &magic, &width, &height, &most)
	require.NoError(t, err)
	require.Equal(t, "P5", magic)
	require.Equal(t, 255, most)
	picture := image.NewGray(image.Rect(0, 0, width, height))
	copy(picture.Pix, text[len(text)-width*height:])
	return picture
}

// at returns the state of the map at a point, as the map server determines it: free, occupied, neither, or outside.
func (m occupancy) at(x, y float64) string {
	column := int(math.Floor((x - m.Origin[0]) / m.Resolution))
	row := m.picture.Bounds().Dy() - 1 - int(math.Floor((y-m.Origin[1])/m.Resolution))
	if !(image.Pt(column, row).In(m.picture.Bounds())) {
		return "outside"
	}
	gray, _, _, _ := m.picture.At(column, row).RGBA()
	occupied := (255 - float64(gray>>8)) / 255
	if m.Negate != 0 {
		occupied = 1 - occupied
	}
	switch {
	case occupied > m.OccupiedThresh:
		return "occupied"
	case occupied < m.FreeThresh:
		return "free"
	}
	return "unknown"
}

// along returns the point at the given fraction of the way from a to b. Fractions above 1 are beyond b.
func along(a, b Point, fraction float64) Point {
	return Point{X: a.X + fraction*(b.X-a.X), Y: a.Y + fraction*(b.Y-a.Y)}
}

func writeMap(t *testing.T, folder, name string, r *Road, m OccupancyMap) {
	t.Helper()
	f, err := CreateAtomicFolder(folder)
	require.NoError(t, err)
	require.NoError(t, WriteOccupancyMap(f, name+"_map", r, m))
	require.NoError(t, f.Commit())
}

func TestOccupancyMap(t *testing.T) {
	b := unequalBatch()
	for e := range b.Envs {
		for _, style := range []OccupancyMap{{}, {Resolution: 0.07, Margin: new(0.3), PGM: true},
			{Resolution: 0.05, Margin: new(0.0)}} {
			r := mustRoad(t, b, e, 10)
			folder := filepath.Join(t.TempDir(), "track")
			writeMap(t, folder, "track", r, style)
			m := readMap(t, folder, "track")
			requireFiles(t, folder, m.Image, "track_map.yaml", "track_centerline.csv")
			require.Zero(t, m.Origin[2])

			narrowest, widest := r.widthRange()
			margin := widest
			if style.Margin != nil {
				margin = *style.Margin
			}
			if style.Resolution == 0 {
				require.InEpsilon(t, narrowest/20, m.Resolution, 5e-3)
			} else {
				require.Equal(t, style.Resolution, m.Resolution)
			}
			// The map contains the road and its margin, and little more.
			low, high := r.bounds()
			size := m.picture.Bounds().Size()
			require.LessOrEqual(t, m.Origin[0], low.X-margin+1e-9)
			require.LessOrEqual(t, m.Origin[1], low.Y-margin+1e-9)
			require.InDelta(t, high.X+margin, m.Origin[0]+float64(size.X)*m.Resolution, 2*m.Resolution+1e-9)
			require.InDelta(t, high.Y+margin, m.Origin[1]+float64(size.Y)*m.Resolution, 2*m.Resolution+1e-9)

			// All points from the centreline to one cell before the borders are free. All points from one cell beyond
			// the borders are occupied.
			for i, c := range r.Center {
				require.Equal(t, "free", m.at(c.X, c.Y))
				for _, border := range []Point{r.Left[i], r.Right[i]} {
					cell := 1.5 * m.Resolution / planDistance(c, border)
					inside, beyond := along(c, border, 1-cell), along(c, border, 1+cell)
					require.Equal(t, "free", m.at(inside.X, inside.Y))
					require.NotEqual(t, "free", m.at(beyond.X, beyond.Y))
				}
			}
			require.Equal(t, "occupied", m.at(0, 0), "the infield")
			require.Equal(t, "occupied", m.at(m.Origin[0]+1e-6, m.Origin[1]+1e-6))

			// The free area is the area of the road.
			free := 0
			for y := range size.Y {
				for x := range size.X {
					if gray, _, _, _ := m.picture.At(x, y).RGBA(); gray == 0xffff {
						free++
					}
				}
			}
			area := math.Abs(math.Abs(signedArea(r.Left)) - math.Abs(signedArea(r.Right)))
			require.InEpsilon(t, area, float64(free)*m.Resolution*m.Resolution, 0.01)

			reader := csv.NewReader(bytes.NewReader(readFile(t, filepath.Join(folder, "track_centerline.csv"))))
			reader.Comment = '#'
			rows, err := reader.ReadAll()
			require.NoError(t, err)
			require.Len(t, rows, len(r.Center))
			x, err := strconv.ParseFloat(rows[3][0], 64)
			require.NoError(t, err)
			y, err := strconv.ParseFloat(rows[3][1], 64)
			require.NoError(t, err)
			require.Equal(t, "free", m.at(x, y))
		}
	}
}

// The state of each cell is that of its centre. The test counts crossings independently of the writer.
func TestOccupancyCells(t *testing.T) {
	r := mustRoad(t, unequalBatch(), 0, 1)
	style := OccupancyMap{Resolution: 0.031, Margin: new(0.1)}
	folder := filepath.Join(t.TempDir(), "m")
	writeMap(t, folder, "m", r, style)
	m := readMap(t, folder, "m")
	inside := func(line []Point, x, y float64) bool {
		angle := 0.0
		for i, p := range line {
			q := line[(i+1)%len(line)]
			ax, ay, bx, by := p.X-x, p.Y-y, q.X-x, q.Y-y
			angle += math.Atan2(ax*by-ay*bx, ax*bx+ay*by)
		}
		return math.Abs(angle) > math.Pi
	}
	size := m.picture.Bounds().Size()
	for j := range size.Y {
		for i := range size.X {
			x, y := m.Origin[0]+(float64(i)+0.5)*m.Resolution, m.Origin[1]+(float64(j)+0.5)*m.Resolution
			want := "occupied"
			if inside(r.Left, x, y) != inside(r.Right, x, y) {
				want = "free"
			}
			require.Equal(t, want, m.at(x, y), "cell %d, %d", i, j)
		}
	}
}

func TestYAMLReaderTakesNumbersForNumbers(t *testing.T) {
	r := mustRoad(t, unequalBatch(), 0, 1e-3)
	folder := filepath.Join(t.TempDir(), "small")
	writeMap(t, folder, "small", r, OccupancyMap{Resolution: 1e-5})
	text := string(readFile(t, filepath.Join(folder, "small_map.yaml")))
	require.Contains(t, text, "resolution: 0.00001\n", "YAML 1.1 takes 1e-05 for a text")
	require.Regexp(t, `origin: \[-\d+\.\d+, -\d+\.\d+, 0\.0\]`, text)
	require.Contains(t, text, `image: "small_map.png"`)
}

// On a circle of radius 5 around (40, -7), the first point is the one at angle 0, and the car goes up or down.
func TestStartPose(t *testing.T) {
	for direction, want := range map[float64]string{1: "45.0000, -7.0000, 1.5708", -1: "45.0000, -7.0000, -1.5708"} {
		b := newBatch(1, 24)
		setTrack(b, 0, 24, 1, func(u float64) (float64, float64) {
			angle := 2 * math.Pi * direction * u
			return 40 + 5*math.Cos(angle), -7 + 5*math.Sin(angle)
		})
		r := mustRoad(t, b, 0, 1)
		_, _, theta := r.StartPose()
		require.Equal(t, direction*1.5708, theta)
		folder := filepath.Join(t.TempDir(), "ring")
		writeMap(t, folder, "ring", r, OccupancyMap{})
		text := string(readFile(t, filepath.Join(folder, "ring_map.yaml")))
		require.Contains(t, text, "# start pose (x, y, theta): "+want+"\n")
	}
	r := mustRoad(t, unequalBatch(), 0, 1)
	r.Center[0] = Point{X: -4e-5, Y: math.Copysign(0, -1)}
	x, y, _ := r.StartPose()
	require.False(t, math.Signbit(x) || math.Signbit(y), "no negative zero")
}

func TestMapsThatCannotBe(t *testing.T) {
	r := mustRoad(t, unequalBatch(), 0, 1)
	parent := t.TempDir()
	f, err := CreateAtomicFolder(filepath.Join(parent, "m"))
	require.NoError(t, err)
	defer f.Abort()
	for want, style := range map[string]OccupancyMap{
		"a resolution of 1e-09 makes a map of":     {Resolution: 1e-9},
		"resolution of 5e-324 makes":               {Resolution: math.SmallestNonzeroFloat64},
		"the resolution is NaN":                    {Resolution: math.NaN()},
		"the resolution is -1":                     {Resolution: -1},
		"the resolution is +Inf":                   {Resolution: math.Inf(1)},
		"the resolution is 1e+09: must be at most": {Resolution: 1e9},
		"the margin is -1":                         {Margin: new(-1.0)},
		"the margin is NaN":                        {Margin: new(math.NaN())},
		"at most 32768 a side":                     {Margin: new(1e300)},
	} {
		err := WriteOccupancyMap(f, "m", r, style)
		require.ErrorIs(t, err, ErrMap)
		require.ErrorContains(t, err, want)
	}
	// The resolution that the error suggests works.
	_, err = OccupancyMap{Resolution: 1e-9, Margin: new(0.0)}.layOut(r)
	low, high := r.bounds()
	fits := coarseEnough(high.X-low.X, high.Y-low.Y)
	require.ErrorContains(t, err, fmt.Sprintf("%.3g and more fits", fits))
	_, err = OccupancyMap{Resolution: fits, Margin: new(0.0)}.layOut(r)
	require.NoError(t, err)

	for _, name := range []string{"", "..", "a/../../b", `a\b`, "a\xff"} {
		require.ErrorIs(t, WriteOccupancyMap(f, name, r, OccupancyMap{}), ErrMap, name)
	}
	r.Left = r.Center
	r.Right = r.Center
	require.ErrorContains(t, WriteOccupancyMap(f, "m", r, OccupancyMap{}),
		"the narrowest place of the road is 0 m wide")
}

func TestOccupancyMapRefusesTangledBorders(t *testing.T) {
	r := &Road{}
	for i := range maxNMax {
		p := Point{X: float64(i) * 1e-4, Y: float64(i % 2)}
		r.Center = append(r.Center, p)
		r.Right, r.Left = append(r.Right, Point{X: p.X, Y: p.Y - 0.01}), append(r.Left, Point{X: p.X, Y: p.Y + 0.01})
	}
	_, err := OccupancyMap{Resolution: 0.002, LevelCrossings: true}.layOut(r)
	require.ErrorIs(t, err, ErrMap)
	require.ErrorContains(t, err,
		"the borders of the road cross the 531 rows of the map 65798144 times: must be at most 16777216")
	g, err := OccupancyMap{Resolution: 0.02, LevelCrossings: true}.layOut(r)
	require.NoError(t, err)
	require.Equal(t, freeCell, int(g.draw(r).GrayAt(g.width/2, g.height/2).Y))
}

// The simulators of F1TENTH and the map server of ROS read the YAML file with PyYAML and the image with Pillow or the
// like. The script loads a map as f1tenth_gym does, and looks up cells of a road at the scale of 1:10 cars as the map
// server does.
func TestMapsAreReadWithPyYAMLAndPillow(t *testing.T) {
	t.Parallel()
	b := newBatch(1, 96)
	setTrack(b, 0, 80, 1.1, func(u float64) (float64, float64) {
		x, y := wavy(12, 0.1, 3, 1)(u)
		return x + 40, y - 7
	})
	r := mustRoad(t, b, 0, 1)
	for _, pgm := range []bool{false, true} {
		folder := t.TempDir()
		g := CreateAtomicFiles(folder)
		require.NoError(t, WriteOccupancyMap(g, "track_map", r, OccupancyMap{Resolution: 0.05, PGM: pgm}))
		require.NoError(t, g.Commit())
		const script = `
import os, sys
import numpy as np
import yaml
from PIL import Image
map_path, extension = sys.argv[1:]
with open(map_path) as file:
    spec = yaml.safe_load(file)
assert spec["image"] == os.path.basename(os.path.splitext(map_path)[0]) + extension, spec
assert set(spec) == {"image", "resolution", "origin", "negate", "occupied_thresh", "free_thresh"}, spec
assert all(type(v) is float for v in [spec["resolution"], *spec["origin"]]) and spec["resolution"] == 0.05
image = np.array(Image.open(os.path.splitext(map_path)[0] + extension).transpose(Image.FLIP_TOP_BOTTOM))
assert image.ndim == 2 and image.dtype == np.uint8, image.shape
centre = np.loadtxt(map_path.replace("_map.yaml", "_centerline.csv"), delimiter=",")
ahead = np.roll(centre[:, :2], -1, axis=0) - np.roll(centre[:, :2], 1, axis=0)
left = np.stack([-ahead[:, 1], ahead[:, 0]], axis=1) / np.hypot(*ahead.T)[:, None]
def occupied(points):
    column, row = np.floor((points - spec["origin"][:2]) / spec["resolution"]).astype(int).T
    return (255 - image[row, column]) / 255 > spec["occupied_thresh"]
assert (centre[:, 2:] - 1.1 < 1e-3).all()
for side in (-1, 0, 1):
    assert not occupied(centre[:, :2] + side * left).any(), side
    assert side == 0 or occupied(centre[:, :2] + 1.25 * side * left).all(), side
`
		extension := ".png"
		if pgm {
			extension = ".pgm"
		}
		required.Python(t, "numpy, yaml, PIL.Image", script, filepath.Join(folder, "track_map.yaml"), extension)
	}
}
