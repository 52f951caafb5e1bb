package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// OccupancyMap says how a road becomes an occupancy-grid map, as the map server of ROS and the simulators of F1TENTH
// (RoboRacer) read it: an image in which the road is free and everything else is occupied, beside a description. The
// zero value is ready for use.
type OccupancyMap struct {
	Resolution float64  // side of a cell in metres; 0: a twentieth of the narrowest width of the road
	Margin     *float64 // metres that the map extends beyond the road on every side; nil: the greatest width of the road
	PGM        bool     // write the image as PGM instead of PNG
}

// Limits of an OccupancyMap.
const (
	maxMapSide      = 1 << 15 // cells
	maxMapCells     = 1 << 26 // cells
	maxMapCrossings = 1 << 24 // of the borders with rows of cells, 512 in each row of the largest map
)

// What the pixels of a map mean. With negate 0, a pixel p is occupied with the probability (255-p)/255.
const (
	freeCell     = 255
	occupiedCell = 0
	// The thresholds are those of the maps that the simulators ship.
	occupiedThreshold = "0.45"
	freeThreshold     = "0.196"
)

// ErrMap matches the errors of an OccupancyMap that cannot be made as it is described.
var ErrMap = errors.New("export: invalid map")

type mapError struct{ text string }

func errMap(format string, args ...any) error { return &mapError{fmt.Sprintf(format, args...)} }

func (e *mapError) Error() string { return e.text }

// Is reports that every mapError matches ErrMap.
func (e *mapError) Is(target error) bool { return target == ErrMap }

// grid is the layout of a map: where its cells lie.
type grid struct {
	resolution       float64
	originX, originY float64 // lower left corner of the lower left cell
	width, height    int     // cells
}

// layOut computes the grid of a road. It allocates nothing, so that a map that is too large is refused first.
func (m OccupancyMap) layOut(r *Road) (grid, error) {
	narrowest, widest := r.widthRange()
	resolution, margin := m.Resolution, widest
	if resolution == 0 {
		resolution = significant(narrowest/20, 3)
	}
	if m.Margin != nil {
		margin = *m.Margin
	}
	if !(narrowest > 0) {
		return grid{}, errMap("export: the narrowest place of the road is %v m wide: must be > 0", narrowest)
	}
	if !(resolution > 0) || math.IsInf(resolution, 1) {
		return grid{}, errMap("export: the resolution is %v: must be a number > 0, the side of a cell in metres", resolution)
	}
	if resolution > narrowest {
		return grid{},
			errMap("export: the resolution is %v: must be at most %.4g, the width of the narrowest place of the road, which "+
				"cells would miss", resolution, narrowest)
	}
	if !(margin >= 0) || math.IsInf(margin, 1) {
		return grid{}, errMap("export: the margin is %v: must be a number >= 0, in metres", margin)
	}
	low, high := r.bounds()
	spanX, spanY := high.X-low.X+2*margin, high.Y-low.Y+2*margin
	// The origin is a multiple of the resolution, which takes up to one cell more on each side.
	width, height := math.Ceil(spanX/resolution)+1, math.Ceil(spanY/resolution)+1
	if width > maxMapSide || height > maxMapSide || width*height > maxMapCells {
		return grid{},
			errMap("export: a resolution of %v makes a map of %.0f x %.0f cells: at most %d a side and %d in all; %.3g and "+
				"more fits",
				resolution, width, height, maxMapSide, maxMapCells, coarseEnough(spanX, spanY))
	}
	g := grid{
		resolution: resolution,
		originX:    significant(math.Floor((low.X-margin)/resolution)*resolution, 12),
		originY:    significant(math.Floor((low.Y-margin)/resolution)*resolution, 12),
		width:      int(width), height: int(height),
	}
	if crossings := g.crossings(r); crossings > maxMapCrossings {
		return grid{}, errMap("export: the borders of the road cross the %d rows of the map %d times: must be at most %d",
			g.height, crossings, maxMapCrossings)
	}
	return g, nil
}

// crossings is how many pairs of an edge of a border and a row of cells draw looks at.
func (g grid) crossings(r *Road) int {
	sum := 0
	for _, border := range [...][]Point{r.Right, r.Left} {
		for i, a := range border {
			first, last := g.rows(a, border[(i+1)%len(border)])
			sum += last - first + 1
		}
	}
	return sum
}

// rows returns the first and the last row of the image that an edge may cross, counted from above: all that it
// crosses, and perhaps one more at either end.
func (g grid) rows(a, b Point) (first, last int) {
	row := func(y float64) float64 { return float64(g.height) - 0.5 - (y-g.originY)/g.resolution }
	inside := func(row float64) int { return int(max(0, min(float64(g.height-1), row))) }
	return inside(math.Floor(row(max(a.Y, b.Y)))), inside(math.Ceil(row(min(a.Y, b.Y))))
}

// Cells returns how many cells the map of a road has. A map that cannot be made is an error that matches ErrMap.
func (m OccupancyMap) Cells(r *Road) (int, error) {
	g, err := m.layOut(r)
	return g.width * g.height, err
}

// coarseEnough is a resolution at which a map of the given extent is within the limits.
func coarseEnough(spanX, spanY float64) float64 {
	return 1.01 * max(spanX/maxMapSide, spanY/maxMapSide, math.Sqrt(spanX*spanY/maxMapCells))
}

// significant rounds v to a number of decimal digits.
func significant(v float64, digits int) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		return v
	}
	return rounded
}

// column returns the first cell of a row whose centre is at x or beyond it, within the row.
func (g grid) column(x float64) int {
	return int(max(0, min(float64(g.width), math.Ceil((x-g.originX)/g.resolution-0.5))))
}

// crossing is where a row of cells meets a border.
type crossing struct {
	x       float64
	upwards int // 1, or -1 where the border runs downward
}

// slope is an edge of a border, from its upper to its lower row.
type slope struct {
	a, b        Point
	upwards     int // 1, or -1 where the border runs downward
	first, last int
}

// slopes lists the edges of the borders by their upper rows. The left border is taken backward.
func (g grid) slopes(r *Road) []slope {
	list := make([]slope, 0, len(r.Right)+len(r.Left))
	for k, border := range [...][]Point{r.Right, r.Left} {
		direction := 1 - 2*k
		for i, a := range border {
			s := slope{a: a, b: border[(i+1)%len(border)], upwards: direction}
			if s.b.Y < s.a.Y {
				s.upwards = -direction
			}
			s.first, s.last = g.rows(s.a, s.b)
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b slope) int { return a.first - b.first })
	return list
}

// draw renders the road: a cell is free where its centre lies between the borders. With the left border taken backward
// every piece of road winds the same way, so that the nonzero rule gives exactly the road, also of one that crosses
// itself on a bridge.
func (g grid) draw(r *Road) *image.Gray {
	picture := image.NewGray(image.Rect(0, 0, g.width, g.height)) // all occupied
	ahead := g.slopes(r)
	var here []slope // that may cross the row
	var crossings []crossing
	for row := range g.height {
		here = slices.DeleteFunc(here, func(s slope) bool { return s.last < row })
		for len(ahead) > 0 && ahead[0].first == row {
			here, ahead = append(here, ahead[0]), ahead[1:]
		}
		// The first row of the image is the uppermost, the origin is at the bottom.
		y := g.originY + float64((float64(g.height-1-row)+0.5)*g.resolution)
		crossings = appendCrossings(crossings[:0], here, y)
		slices.SortFunc(crossings, func(a, b crossing) int { return cmp.Or(cmp.Compare(a.x, b.x), a.upwards-b.upwards) })
		winding := 0
		for i := 0; i+1 < len(crossings); i++ {
			winding += crossings[i].upwards
			if winding == 0 {
				continue
			}
			from, to := g.column(crossings[i].x), g.column(crossings[i+1].x)
			for column := from; column < to; column++ {
				picture.Pix[row*picture.Stride+column] = freeCell
			}
		}
	}
	return picture
}

// appendCrossings appends where edges cross the given height.
func appendCrossings(dst []crossing, edges []slope, y float64) []crossing {
	for _, s := range edges {
		if (s.a.Y <= y) != (s.b.Y <= y) {
			dst = append(dst, crossing{s.a.X + float64((y-s.a.Y)/(s.b.Y-s.a.Y)*(s.b.X-s.a.X)), s.upwards})
		}
	}
	return dst
}

// WriteOccupancyMap writes the map of a road into a folder, in files that begin with name:
//
//	NAME_map.png or NAME_map.pgm   the image, first row uppermost: white where the road is, black elsewhere
//	NAME_map.yaml                  image, resolution, origin, negate, occupied_thresh, free_thresh
//	NAME_centerline.csv            the centreline with its widths, as WriteCircuit writes it
//
// which are the names that the simulators look for in a folder NAME. below is the folder inside f, or empty.
//
// The pose of the lower left corner of the image is origin: the cell in column i, counted from the left, and row j,
// counted from below, has its centre at origin + (i+½, j+½)·resolution. A map that cannot be made is an error that
// matches ErrMap, before anything is allocated or written.
func WriteOccupancyMap(f *AtomicFolder, below, name string, r *Road, m OccupancyMap) error {
	if name == "" || strings.ContainsAny(name, `/\`) || !filepath.IsLocal(name) ||
		!utf8.ValidString(name) { // the YAML names the image
		return errMap("export: the map is called %q: must be the name of a folder, in UTF-8 and without separators", name)
	}
	g, err := m.layOut(r)
	if err != nil {
		return err
	}
	imageName, encode := name+"_map.png", png.Encode
	if m.PGM {
		imageName, encode = name+"_map.pgm", encodePGM
	}
	err = f.WriteFile(filepath.Join(below, imageName), func(w io.Writer) error { return encode(w, g.draw(r)) })
	if err != nil {
		return err
	}
	err = f.WriteFile(filepath.Join(below, name+"_map.yaml"), func(w io.Writer) error {
		text, err := g.description(imageName)
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	})
	if err != nil {
		return err
	}
	return f.WriteFile(filepath.Join(below, name+"_centerline.csv"), func(w io.Writer) error { return WriteCircuit(w, r) })
}

// description returns the YAML file. Its keys are these six and no others, because the simulators refuse unknown ones.
func (g grid) description(imageName string) ([]byte, error) {
	quoted, err := json.Marshal(imageName) // a JSON string is a YAML string
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil,
		"image: %s\nresolution: %s\norigin: [%s, %s, 0.0]\nnegate: 0\noccupied_thresh: %s\nfree_thresh: %s\n",
		quoted, yamlFloat(g.resolution), yamlFloat(g.originX), yamlFloat(g.originY), occupiedThreshold, freeThreshold), nil
}

// yamlFloat writes a number so that every YAML reader takes it for a float: with a point and without an exponent.
func yamlFloat(v float64) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// encodePGM writes a grey image in the binary portable graymap format, P5.
func encodePGM(w io.Writer, picture image.Image) error {
	gray, ok := picture.(*image.Gray)
	if !ok {
		return errors.New("export: a portable graymap holds a grey image")
	}
	size := gray.Bounds().Size()
	var head bytes.Buffer
	fmt.Fprintf(&head, "P5\n%d %d\n255\n", size.X, size.Y)
	if _, err := head.WriteTo(w); err != nil {
		return err
	}
	for y := range size.Y {
		if _, err := w.Write(gray.Pix[y*gray.Stride:][:size.X]); err != nil {
			return err
		}
	}
	return nil
}
