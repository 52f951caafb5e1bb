package export

import "math"

// ground is the part of the ground that is shown below a course, with the distance of the lines of its grid. Its
// corners are multiples of that distance.
type ground struct {
	bounds
	step float64
}

// groundOf returns the ground below env e. It has empty bounds if the env has no points.
func (p *page) groundOf(e int) ground {
	const cells = 8 // along the longer side, at most
	plan := p.surveys[e].plan
	if plan.empty() {
		return ground{bounds: noBounds()}
	}
	scope := p.scopeOf(e)
	size := max(scope.plan.size(), plan.size())
	if size == 0 {
		size = scope.heights.size()
	}
	g := ground{step: roundUp(size / cells)}
	down := func(v float64) float64 { return math.Floor(v/g.step) * g.step }
	up := func(v float64) float64 { return math.Ceil(v/g.step) * g.step }
	g.min, g.max = point{down(plan.min.x), down(plan.min.y)}, point{up(plan.max.x), up(plan.max.y)}
	if g.max.x-g.min.x < g.step {
		g.min.x, g.max.x = plan.min.x-g.step, plan.min.x+g.step
	}
	if g.max.y-g.min.y < g.step {
		g.min.y, g.max.y = plan.min.y-g.step, plan.min.y+g.step
	}
	return g
}

func (g ground) corners() []vector3 {
	return []vector3{{g.min.x, g.min.y, 0}, {g.max.x, g.min.y, 0}, {g.max.x, g.max.y, 0}, {g.min.x, g.max.y, 0}}
}

// draw draws the ground with its grid.
func (g ground) draw(c canvas, t projection) {
	if g.empty() {
		return
	}
	var outline []point
	for _, corner := range g.corners() {
		outline = append(outline, t.show(corner))
	}
	c.fill([][]point{outline}, groundColor)
	pen := stroke{width: 1, color: gridColor}
	lines := func(low, high float64, line func(v float64) (a, b vector3)) {
		n := max(1, math.Round((high-low)/g.step))
		for i := 0.0; i <= n && n < 100; i++ {
			a, b := line(low + float64((high-low)*i/n))
			c.line([]point{t.show(a), t.show(b)}, pen)
		}
	}
	lines(g.min.x, g.max.x, func(x float64) (a, b vector3) { return vector3{x, g.min.y, 0}, vector3{x, g.max.y, 0} })
	lines(g.min.y, g.max.y, func(y float64) (a, b vector3) { return vector3{g.min.x, y, 0}, vector3{g.max.x, y, 0} })
}

// viewText describes the oblique view of env e.
func (p *page) viewText(e int) string {
	camera := p.cameraOf(e)
	text := "grid " + lengthText(p.groundOf(e).step, p.Unit) + ", ground at " +
		withUnit(heightText(camera.ground+0), p.Unit)
	if camera.lift != 1 {
		text += ", heights × " + shortNumber(camera.lift, 3)
	}
	return text
}

// largerCell returns the default size of the cells of pictures with many details.
func largerCell(p *page) int {
	switch n := len(p.Envs); {
	case n == 1:
		return 640
	case n <= 6:
		return 420
	default:
		return 320
	}
}
