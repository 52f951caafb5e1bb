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

// OccupancyMap holds the options of an occupancy-grid map of a road, for the map server of ROS and the simulators of
// F1TENTH (RoboRacer). The map is an image in which the road is free and everything else is occupied, with a
// description. The zero value is ready for use.
type OccupancyMap struct {
	Resolution float64  // side of a cell in metres; 0: a twentieth of the minimum width of the road
	Margin     *float64 // metres around the road on every side; nil: the maximum width of the road
	PGM        bool     // write the image as PGM instead of PNG

	// A map is flat, so the roads of a circuit that crosses itself on a bridge meet there as on a level crossing: a car
	// can turn from one road to the other. Such a map is refused unless LevelCrossings is set.
	LevelCrossings bool
}

// Limits of an OccupancyMap.
const (
	maxMapSide      = 1 << 15 // cells
	maxMapCells     = 1 << 26 // cells
	maxMapCrossings = 1 << 24 // of the borders with rows of cells; 512 per row of the largest map
)

// Values of the pixels of a map. With negate 0, a pixel p is occupied with probability (255-p)/255.
const (
	freeCell = 255 // 0, the value of a new image, is occupied
	// These are the thresholds of the maps that ship with the simulators.
	occupiedThreshold = "0.45"
	freeThreshold     = "0.196"
)

// ErrMap matches the errors of an OccupancyMap with options that no map can have.
var ErrMap = errors.New("export: invalid map")

// ErrLevelCrossing matches the error for the map of a road that crosses itself, without LevelCrossings. It matches
// ErrMap too.
var ErrLevelCrossing = errors.New("export: the map of a bridge is a level crossing")

type mapError struct {
	text string
	kind error // a further error that it matches besides ErrMap; may be nil
}

func errMap(format string, args ...any) error { return &mapError{fmt.Sprintf(format, args...), nil} }

func (e *mapError) Error() string { return e.text }

// Is reports that every mapError matches ErrMap.
func (e *mapError) Is(target error) bool { return target == ErrMap || target == e.kind }

// grid is the layout of the cells of a map.
type grid struct {
	resolution       float64
	originX, originY float64 // lower left corner of the lower left cell, in metres
	width, height    int     // in cells
}

// layOut computes the grid of a road. It refuses a map that is too large before it allocates anything.
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
	// The origin is a multiple of the resolution. That adds at most one cell in each direction.
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
	if m.LevelCrossings {
		return g, nil
	}
	if crosses, known := r.compareEdges(pairsPerPoint * len(r.Center)); crosses && known {
		return grid{}, &mapError{"export: the road crosses itself, as on a bridge, and a map is flat: it would have a " +
			"level crossing there", ErrLevelCrossing}
	}
	return g, nil
}

// crossings returns the number of pairs of a border edge and a row of cells that draw examines.
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

// rows returns the first and the last row of the image that an edge may cross, counted from the top. The range contains
// every row that the edge crosses and may contain one more at each end.
func (g grid) rows(a, b Point) (first, last int) {
	row := func(y float64) float64 { return float64(g.height) - 0.5 - (y-g.originY)/g.resolution }
	inside := func(row float64) int { return int(max(0, min(float64(g.height-1), row))) }
	return inside(math.Floor(row(max(a.Y, b.Y)))), inside(math.Ceil(row(min(a.Y, b.Y))))
}

// Cells returns the number of cells in the map of a road. If there can be no such map, the error matches ErrMap.
func (m OccupancyMap) Cells(r *Road) (int, error) {
	g, err := m.layOut(r)
	return g.width * g.height, err
}

// coarseEnough returns a resolution at which a map of the given extent is within the limits.
func coarseEnough(spanX, spanY float64) float64 {
	return 1.01 * max(spanX/maxMapSide, spanY/maxMapSide, math.Sqrt(spanX*spanY/maxMapCells))
}

// significant rounds v to the given number of significant decimal digits.
func significant(v float64, digits int) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		return v
	}
	return rounded
}

// column returns the first cell of a row whose centre is at or beyond x, clamped to the row.
func (g grid) column(x float64) int {
	return int(max(0, min(float64(g.width), math.Ceil((x-g.originX)/g.resolution-0.5))))
}

// crossing is a point where a row of cells meets a border.
type crossing struct {
	x       float64
	upwards int // 1, or -1 if the border runs downward
}

// slope is an edge of a border with the range of rows that it may cross.
type slope struct {
	a, b        Point
	upwards     int // 1, or -1 if the border runs downward
	first, last int
}

// slopes returns the edges of the borders, sorted by their first row. The left border runs backward.
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

// draw renders the road: a cell is free if its centre lies between the borders. Because the left border runs backward,
// every piece of road winds in the same direction. So the nonzero rule gives exactly the road, even if it crosses
// itself on a bridge.
func (g grid) draw(r *Road) *image.Gray {
	picture := image.NewGray(image.Rect(0, 0, g.width, g.height)) // initially all cells are occupied
	ahead := g.slopes(r)
	var here []slope // edges that may cross the current row
	var crossings []crossing
	for row := range g.height {
		here = slices.DeleteFunc(here, func(s slope) bool { return s.last < row })
		for len(ahead) > 0 && ahead[0].first == row {
			here, ahead = append(here, ahead[0]), ahead[1:]
		}
		// The first row of the image is the top row, but the origin is at the bottom.
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

// appendCrossings appends the crossings of edges with the line at height y.
func appendCrossings(dst []crossing, edges []slope, y float64) []crossing {
	for _, s := range edges {
		if (s.a.Y <= y) != (s.b.Y <= y) {
			dst = append(dst, crossing{s.a.X + float64((y-s.a.Y)/(s.b.Y-s.a.Y)*(s.b.X-s.a.X)), s.upwards})
		}
	}
	return dst
}

// MapFiles receives the files of a map: an AtomicFolder for a new folder, AtomicFiles for an existing one. The example
// of WriteOccupancyMap writes them to an archive in memory.
type MapFiles interface {
	WriteFile(name string, write func(io.Writer) error) error
}

// WriteOccupancyMap writes the map of a road in files whose names begin with path:
//
//	PATH.png or PATH.pgm   the image, top row first: white on the road, black elsewhere
//	PATH_centerline.csv    the centreline with its widths, as WriteCircuit writes it
//	PATH.yaml              image, resolution, origin, negate, occupied_thresh, free_thresh; Road.StartPose as a comment
//
// path is relative to f and may contain folders if f is an AtomicFolder. The name of the centreline leaves out the
// ending _map of path, because the simulators of F1TENTH expect Monza_map.yaml, Monza_map.png and Monza_centerline.csv
// in a folder Monza. The YAML file, which refers to the image, is written last.
//
// origin is the pose of the lower left corner of the image. The cell in column i, counted from the left, and row j,
// counted from the bottom, has its centre at origin + (i+½, j+½)·resolution. If no such map can be written, the error
// matches ErrMap and nothing has been written.
func WriteOccupancyMap(f MapFiles, path string, r *Road, m OccupancyMap) error {
	name := filepath.Base(path)
	if path == "" || strings.ContainsAny(name, `/\`) || strings.Contains(path, `\`) || !filepath.IsLocal(path) ||
		!utf8.ValidString(path) { // the YAML file contains the name of the image
		return errMap("export: the map is called %q: must be the name of a file, in UTF-8", path)
	}
	g, err := m.layOut(r)
	if err != nil {
		return err
	}
	extension, encode := ".png", png.Encode
	if m.PGM {
		extension, encode = ".pgm", encodePGM
	}
	if err := f.WriteFile(path+extension, func(w io.Writer) error { return encode(w, g.draw(r)) }); err != nil {
		return err
	}
	err = f.WriteFile(strings.TrimSuffix(path, "_map")+"_centerline.csv", func(w io.Writer) error {
		return WriteCircuit(w, r)
	})
	if err != nil {
		return err
	}
	return f.WriteFile(path+".yaml", func(w io.Writer) error {
		text, err := g.description(name+extension, r)
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	})
}

// description returns the YAML file. It has exactly these six keys, because the simulators refuse unknown ones, so the
// start pose is a comment.
func (g grid) description(imageName string, r *Road) ([]byte, error) {
	quoted, err := json.Marshal(imageName) // every JSON string is a YAML string
	if err != nil {
		return nil, err
	}
	x, y, theta := r.StartPose()
	text := fmt.Appendf(nil, "# start pose (x, y, theta): %.4f, %.4f, %.4f\n", x, y, theta)
	return fmt.Appendf(text,
		"image: %s\nresolution: %s\norigin: [%s, %s, 0.0]\nnegate: 0\noccupied_thresh: %s\nfree_thresh: %s\n",
		quoted, yamlFloat(g.resolution), yamlFloat(g.originX), yamlFloat(g.originY), occupiedThreshold, freeThreshold), nil
}

// yamlFloat formats a number so that every YAML reader parses it as a float: with a decimal point and no exponent.
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
