package export

import (
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/kernel"
)

// CourseLayers are what the components of a course answer about one env, for a picture: WriteSVG and the others draw
// them over the track or the gates of the env. Each part may be absent. Package export/layers computes them; another
// program may fill them with answers of its own. Lengths are in the unit of the picture.
type CourseLayers struct {
	Checkpoints []CheckpointBar // in their order; the first one is the start
	Posts       []PostDisc
	Props       []PropMark
	Cars        []CarBox
	Frames      []GateFrame
	Balls       []AgentBall
	Ground      *HeightGrid    // drawn below everything else; with a Field, as lines of equal height
	Field       *DistanceField // drawn below everything else
	Line        []kernel.Vec3  // points of a closed line
	Speed       []float32      // at each point of Line, for its colour, in units a second; nil: the line has one colour
}

// CheckpointBar is a checkpoint: a bar across the way.
type CheckpointBar struct {
	Left, Right kernel.Vec3
}

// PostDisc is a post of a gate, or another disc that cars may touch.
type PostDisc struct {
	Center kernel.Vec3
	Radius float32
}

// PropMark is a prop beside the road.
type PropMark struct {
	Position kernel.Vec3 // its middle
	Tangent  kernel.Vec2 // unit vector along the line on which it stands
	Length   float32     // along the line, for a segment
	Segment  bool        // drawn as a piece of the line; else as a point
}

// GateFrame is the frame of a gate: two posts and two bars around a square opening, and whether a ball touches it.
type GateFrame struct {
	Center        kernel.Vec3 // of the opening
	Forward, Left kernel.Vec3 // unit vectors: along the course, and to the left post
	Half          float32     // half the width of the opening
	Thickness     float32     // of posts and bars, across the opening
	Depth         float32     // of posts and bars, along Forward
	Hit           bool        // touched
}

// AgentBall is a flying agent with the answer of a query of frames.
type AgentBall struct {
	Position kernel.Vec3
	Radius   float32
	Hit      bool        // touching a frame
	Near     kernel.Vec3 // middle of the gate beside which it flies: its distance from there is shown as it is
}

// HeightGrid is a square grid of the heights of the ground around a road.
type HeightGrid struct {
	Resolution int         // R, cells along each side
	Low, High  kernel.Vec2 // corners of the area that the cells cover
	Height     []float32   // [R*R] at the middles of the cells, row by row from Low; NaN: nothing is drawn
}

// CarBox is the box of a car with the answer of a collision query.
type CarBox struct {
	Position    kernel.Vec3
	Heading     kernel.Vec2  // unit vector
	HalfExtents kernel.Vec2  // along the heading, and across it
	Hit         bool         // out of bounds, or touching an obstacle
	Nearest     kernel.Vec2  // the contact: the nearest point; NaN: none is drawn
	Normal      kernel.Vec2  // unit normal there; NaN or 0: none is drawn
	Way         *CarWay      // of the last step; nil: none is drawn
	Touches     *kernel.Vec3 // position of another car that it touches; nil: none is drawn
	Ground      *float32     // height of the ground below it, written beside it; nil or NaN: none is written
}

// CarWay is the straight way of a car in a step, with the answer of a query of swept motion.
type CarWay struct {
	Before       kernel.Vec3 // position at the begin of the step
	FirstContact float32     // part of the way, 0 to 1, after which the car first touches something; NaN: nothing
}

// DistanceField is a square grid of distances to the borders of a road, positive on it and negative beside it.
type DistanceField struct {
	Resolution int         // R, cells along each side
	Low, High  kernel.Vec2 // corners of the area that the cells cover
	Distance   []float32   // [R*R] at the middles of the cells, row by row from Low
}

// maxFieldSide is the maximum of DistanceField.Resolution and HeightGrid.Resolution in a picture.
const maxFieldSide = 4096

// checkLayers returns an error that matches ErrPicture for layers that cannot be drawn.
func (p *Picture) checkLayers(s subject) error {
	if p.Layers == nil {
		return nil
	}
	if len(p.Layers) != s.envs() {
		return errPicture("export: the picture has layers of %d envs: expected %d, one for each env of the batch",
			len(p.Layers), s.envs())
	}
	for _, e := range p.Envs {
		if err := p.Layers[e].check(); err != nil {
			return errPicture("export: layers of env %d: %v", e, err)
		}
	}
	return nil
}

// check returns an error for parts whose lengths do not fit each other.
func (l *CourseLayers) check() error {
	if l.Speed != nil && len(l.Speed) != len(l.Line) {
		return fmt.Errorf("speed has %d numbers: expected %d, one for each point of the line", len(l.Speed), len(l.Line))
	}
	if f := l.Field; f != nil {
		if err := checkCells("distance field", f.Resolution, len(f.Distance)); err != nil {
			return err
		}
	}
	if g := l.Ground; g != nil {
		return checkCells("height grid", g.Resolution, len(g.Height))
	}
	return nil
}

// checkCells returns an error for a grid that has another number of cells than its resolution says.
func checkCells(what string, resolution, cells int) error {
	if resolution < 2 || resolution > maxFieldSide {
		return fmt.Errorf("the resolution of the %s is %d: must be 2 to %d", what, resolution, maxFieldSide)
	}
	if want := resolution * resolution; cells != want {
		return fmt.Errorf("the %s has %d cells: expected %d", what, cells, want)
	}
	return nil
}

// layersOf returns the layers of env e, or nil.
func (p *page) layersOf(e int) *CourseLayers {
	if p.Layers == nil {
		return nil
	}
	return &p.Layers[e]
}

// visit calls take with the points of everything that the camera shows of the layers, in units of length.
func (l *CourseLayers) visit(c camera, take func(point)) {
	show := func(v vector3) {
		if at := c.flat(v); at.finite() {
			take(at)
		}
	}
	around := func(v vector3, reach float64) {
		show(v.minus(vector3{reach, reach, 0}))
		show(v.plus(vector3{reach, reach, 0}))
	}
	for _, bar := range l.Checkpoints {
		around(c.stand(bar.Left), 0)
		around(c.stand(bar.Right), 0)
	}
	for _, post := range l.Posts {
		at := c.stand(post.Center)
		around(at, float64(post.Radius))
		around(below(at), float64(post.Radius))
	}
	for i := range l.Props {
		for _, end := range l.Props[i].ends() {
			show(c.on(end, l.Props[i].Position.Z))
		}
	}
	for _, v := range l.Line {
		around(c.stand(v), 0)
	}
	for i := range l.Cars {
		l.Cars[i].visit(c, take, show)
	}
	for i := range l.Frames {
		for _, box := range l.Frames[i].boxes(c) {
			for _, corner := range box {
				show(corner)
			}
		}
	}
	for i := range l.Balls {
		at, reach := l.Balls[i].place(c), float64(l.Balls[i].Radius)
		show(at.minus(c.right.plus(c.up).times(reach)))
		show(at.plus(c.right.plus(c.up).times(reach)))
	}
	l.visitGrids(c, show)
}

// visit calls take and show with the points of a car.
func (b *CarBox) visit(c camera, take func(point), show func(vector3)) {
	if !b.drawable() {
		return
	}
	for _, corner := range b.corners() {
		take(c.flat(c.on(corner, b.Position.Z)))
	}
	show(c.on(pointOf2(b.Nearest), b.Position.Z))
	if b.Way != nil {
		show(c.stand(b.Way.Before))
	}
}

// visitGrids calls show with the corners of the grids.
func (l *CourseLayers) visitGrids(c camera, show func(vector3)) {
	if f := l.Field; f != nil && f.drawable() {
		show(c.on(pointOf2(f.Low), nothing))
		show(c.on(pointOf2(f.High), nothing))
		show(c.on(point{float64(f.Low.X), float64(f.High.Y)}, nothing))
		show(c.on(point{float64(f.High.X), float64(f.Low.Y)}, nothing))
	}
	if g := l.Ground; g != nil && g.drawable() {
		for _, z := range []float64{g.heights().low, g.heights().high} {
			for _, at := range []point{pointOf2(g.Low), pointOf2(g.High), {float64(g.Low.X), float64(g.High.Y)},
				{float64(g.High.X), float64(g.Low.Y)}} {
				show(c.on(at, float32(z)))
			}
		}
	}
}

func (p point) finite() bool { return p.x-p.x == 0 && p.y-p.y == 0 }

// pointOf returns a place in plan view.
func pointOf(v kernel.Vec3) point { return point{float64(v.X), float64(v.Y)} }

// pointOf2 returns a place in plan view.
func pointOf2(v kernel.Vec2) point { return point{float64(v.X), float64(v.Y)} }

// ends returns the ends of a prop, which are equal if it is a point. They are not finite if it cannot be drawn.
func (m *PropMark) ends() [2]point {
	at, way, half := pointOf(m.Position), pointOf2(m.Tangent), float64(m.Length)/2
	if !m.Segment {
		return [2]point{at, at}
	}
	along := point{float64(way.x * half), float64(way.y * half)}
	return [2]point{{at.x - along.x, at.y - along.y}, {at.x + along.x, at.y + along.y}}
}

// corners returns the corners of a car: front left, back left, back right, front right.
func (b *CarBox) corners() []point { return b.cornersOf(pointOf2(b.HalfExtents)) }

// cornersOf returns the corners of a car of another size.
func (b *CarBox) cornersOf(half point) []point {
	at, ahead := pointOf(b.Position), pointOf2(b.Heading)
	along, across := point{float64(ahead.x * half.x), float64(ahead.y * half.x)},
		point{float64(-ahead.y * half.y), float64(ahead.x * half.y)}
	return []point{
		{at.x + along.x + across.x, at.y + along.y + across.y}, {at.x - along.x + across.x, at.y - along.y + across.y},
		{at.x - along.x - across.x, at.y - along.y - across.y}, {at.x + along.x - across.x, at.y + along.y - across.y},
	}
}

// at returns the car at a part of its way, and false if that cannot be drawn.
func (b *CarBox) at(part float32) (CarBox, bool) {
	ghost := *b
	if b.Way == nil {
		return ghost, false
	}
	from, to := b.Way.Before, b.Position
	ghost.Position = kernel.V3(from.X+float32((to.X-from.X)*part), from.Y+float32((to.Y-from.Y)*part),
		from.Z+float32((to.Z-from.Z)*part))
	return ghost, ghost.drawable()
}

// drawable reports whether the box can be drawn: its numbers are finite, and its heading has a length near 1.
func (b *CarBox) drawable() bool {
	if length := distance(point{}, pointOf2(b.Heading)); !(length > 0.5 && length < 2) {
		return false
	}
	for _, corner := range b.corners() {
		if !corner.finite() {
			return false
		}
	}
	return true
}

// speeds returns the range of the speeds.
func (l *CourseLayers) speeds() interval {
	out := noInterval()
	for _, v := range l.Speed {
		if finite(v) {
			out = out.with(float64(v))
		}
	}
	return out
}

// layerRanges are the ranges of the colours of layers, the same in all cells of a page.
type layerRanges struct {
	speeds, distances, heights interval
}

// takeRanges returns the ranges of the layers of valid courses, or of all if none is valid.
func (p *page) takeRanges() layerRanges {
	all := layerRanges{noInterval(), noInterval(), noInterval()}
	valid := all
	for _, e := range p.Envs {
		l := p.layersOf(e)
		if l == nil {
			continue
		}
		own := layerRanges{l.speeds(), noInterval(), noInterval()}
		if l.Field != nil && l.Field.drawable() {
			own.distances = l.Field.distances()
		}
		if l.Ground != nil && l.Ground.drawable() {
			own.heights = l.Ground.heights()
		}
		all = all.and(own)
		if p.isValid(e) {
			valid = valid.and(own)
		}
	}
	if valid.speeds.empty() {
		valid.speeds = all.speeds
	}
	if valid.distances.empty() {
		valid.distances = all.distances
	}
	if valid.heights.empty() {
		valid.heights = all.heights
	}
	return valid
}

func (r layerRanges) and(other layerRanges) layerRanges {
	return layerRanges{r.speeds.and(other.speeds), r.distances.and(other.distances), r.heights.and(other.heights)}
}

// layersNote says what the layers of env e hold.
func (p *page) layersNote(e int) string {
	l := p.layersOf(e)
	if l == nil {
		return ""
	}
	note := ""
	for _, part := range []struct {
		number int
		things string
	}{{len(l.Checkpoints), "checkpoints"}, {len(l.Props), "props"}} {
		if part.number > 0 {
			note += fmt.Sprintf(", %d %s", part.number, part.things)
		}
	}
	if speeds := l.speeds(); !speeds.empty() {
		note += fmt.Sprintf(", speed %s to %s", shortNumber(speeds.low, 3),
			p.speedText(shortNumber(speeds.high, 3)))
	}
	if len(l.Cars) > 0 {
		hits := 0
		for i := range l.Cars {
			if l.Cars[i].Hit {
				hits++
			}
		}
		note += fmt.Sprintf(", %d of %s %s", hits, counted(len(l.Cars), "car"), p.hitText())
		note += l.waysNote()
	}
	if g := l.Ground; g != nil && g.drawable() {
		note += ", heights of the ground " + rangeText(g.heights(), p.Unit)
	}
	if len(l.Balls) > 0 {
		hits := 0
		for i := range l.Balls {
			if l.Balls[i].Hit {
				hits++
			}
		}
		note += fmt.Sprintf(", %d of %s at a frame", hits, counted(len(l.Balls), "ball"))
	}
	return note
}

// counted returns a number of things: 1 car, 2 cars.
func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// rangeText says between which heights something lies.
func rangeText(heights interval, unit string) string {
	if heights.size() == 0 {
		return withUnit(heightText(heights.high), unit)
	}
	return heightText(heights.low) + " to " + withUnit(heightText(heights.high), unit)
}

// waysNote says how many cars touch something on their way, if ways are drawn.
func (l *CourseLayers) waysNote() string {
	ways, contacts := 0, 0
	for i := range l.Cars {
		if way := l.Cars[i].Way; way != nil {
			ways++
			if finite(way.FirstContact) {
				contacts++
			}
		}
	}
	if ways == 0 {
		return ""
	}
	return fmt.Sprintf(", %d first contacts", contacts)
}

// pixelsOf returns a length in pixels.
func (t projection) pixelsOf(length float64) float64 { return math.Abs(float64(length * t.scale)) }
