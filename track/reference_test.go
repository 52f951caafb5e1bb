package track

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/kernel"
)

// This file implements the generators hull, voronoi and checkpoint a second time, in float64 and as plainly as
// docs/spec/pipeline.md, sections 1 and 4, describes them: one draw after the other, every pair of segments, no boxes,
// no lanes. The kernels may differ from it only by rounding.

// point is a point, or a vector, in float64.
type point struct{ x, y float64 }

func (p point) plus(q point) point      { return point{p.x + q.x, p.y + q.y} }
func (p point) minus(q point) point     { return point{p.x - q.x, p.y - q.y} }
func (p point) times(s float64) point   { return point{p.x * s, p.y * s} }
func (p point) cross(q point) float64   { return p.x*q.y - p.y*q.x }
func (p point) length() float64         { return math.Hypot(p.x, p.y) }
func polarPoint(angle, r float64) point { return point{r * math.Cos(angle), r * math.Sin(angle)} }

// draws is the random stream of docs/spec/pipeline.md, section 1.
type draws uint32

func hashed(s uint32) uint32 {
	b := s*747796405 + 2891336453
	c := (b ^ b>>(b>>28+4)) * 277803737
	return c ^ c>>22
}

func newDraws(seed int32) *draws { d := draws(hashed(uint32(seed))); return &d }

func (d *draws) uniform() float64 {
	*d = draws(hashed(uint32(*d)))
	return float64(uint32(*d)>>8) / (1 << 24)
}

// signed draws from [-1, 1).
func (d *draws) signed() float64 { return 2*d.uniform() - 1 }

// referenceCorners returns corner points, sorted by angle around their centroid, clockwise.
func referenceCorners(c Config, count, d *draws, scale float64) []point {
	n := min(c.Corners.MinCount+int(count.uniform()*float64(c.Corners.MaxCount-c.Corners.MinCount+1)), c.Corners.MaxCount)
	cells := int(1 / (2 * c.Corners.HalfCellSize))
	used, corners := map[int]bool{}, []point{}
	for range c.Corners.MaxCount {
		cell := 0
		for attempt := 0; attempt == 0 || used[cell] && attempt <= 8; attempt++ {
			cell = min(int(d.uniform()*float64(cells*cells)), cells*cells-1)
		}
		used[cell] = true
		size := 2 * c.Corners.HalfCellSize
		x := float64(cell%cells)*size + d.uniform() - 0.5
		y := float64(cell/cells)*size + d.uniform() - 0.5
		corners = append(corners, point{x, y}.times(scale))
	}
	corners = corners[:n]
	middle := mean(corners)
	slices.SortStableFunc(corners, func(a, b point) int {
		p, q := a.minus(middle), b.minus(middle)
		return cmp.Compare(math.Atan2(p.x, p.y), math.Atan2(q.x, q.y))
	})
	return corners
}

func referenceBezier(c Config, seed int32) []point {
	style := newDraws(seed * 2741)
	drawn := func(within Range, scalar float64) float64 {
		u := style.uniform()
		if !c.Bezier.StyleSampling || within == (Range{}) {
			return scalar
		}
		return within.Min + u*(within.Max-within.Min)
	}
	rad := drawn(c.Bezier.HandleLengthRange, c.Bezier.HandleLength)
	scale := drawn(c.Bezier.ScaleRange, c.Scale)
	clamp := drawn(c.Bezier.HandleLimitRange, c.Bezier.HandleLimit)
	return bezierThrough(c, referenceCorners(c, newDraws(seed*6151), newDraws(seed*9781), scale), rad, clamp)
}

// bezierThrough returns the loop of bezier through its corners.
func bezierThrough(c Config, corners []point, rad, clamp float64) []point {
	n, lean := len(corners), math.Atan(c.Bezier.Edginess)/math.Pi+0.5
	unit := func(p point) point { return p.times(1 / max(p.length(), 1e-8)) }
	edge := func(i int) point { return corners[(i+1+n)%n].minus(corners[(i+n)%n]) }
	tangent := func(i int) point { return unit(unit(edge(i)).times(lean).plus(unit(edge(i - 1)).times(1 - lean))) }
	longest := func(i int) float64 { return clamp * min(edge(i).length(), edge(i-1).length()) }
	var dense []point
	for i, p := range corners {
		next := (i + 1) % n
		handle := rad * edge(i).length()
		p1 := p.plus(tangent(i).times(min(handle, longest(i))))
		p2 := corners[next].minus(tangent(next).times(min(handle, longest(next))))
		for s := range c.Spline.SamplesPerSegment {
			u := float64(s) / float64(c.Spline.SamplesPerSegment-1)
			v := 1 - u
			dense = append(dense, p.times(v*v*v).plus(p1.times(3*v*v*u)).plus(p2.times(3*v*u*u)).plus(
				corners[next].times(u*u*u)))
		}
	}
	loop := resampled(dense, c.Output.LoopPoints)
	if countCrossings(loop) > 0 {
		loop = resampled(straight(corners, c.Spline.SamplesPerSegment), c.Output.LoopPoints)
	}
	return loop
}

func referencePolar(c Config, seed int32) []point {
	d, knots := newDraws(seed*7919+17), []point{}
	n, radial, angular := max(4, c.Polar.Knots), min(0.85, c.Polar.RadialJitter), min(0.45, c.Polar.AngularJitter)
	for i := range n {
		r := max(1+d.signed()*radial, 0.1)
		knots = append(knots, polarPoint(2*math.Pi*(float64(i)+d.signed()*angular)/float64(n), r))
	}
	samples := c.Spline.SamplesPerSegment
	return normalised(resampled(catmullRom(knots, samples, samples), c.Output.LoopPoints), c.Scale)
}

func mean(points []point) (sum point) {
	for _, p := range points {
		sum = sum.plus(p)
	}
	return sum.times(1 / float64(len(points)))
}

func referenceHull(c Config, seed int32) []point {
	corners := referenceCorners(c, newDraws(seed*5119+1), newDraws(seed*7919+1), c.Scale)
	middle, d, vertices := mean(corners), newDraws(seed*3083+1), []point{}
	for i, p := range corners {
		half := p.plus(corners[(i+1)%len(corners)]).times(0.5)
		vertices = append(vertices, p, half.plus(half.minus(middle).times(d.signed()*c.Hull.Displacement)))
	}
	loop := resampled(catmullRom(vertices, c.Spline.SamplesPerSegment, c.Spline.SamplesPerSegment-1), c.Output.LoopPoints)
	if countCrossings(loop) > 0 {
		loop = resampled(straight(vertices, c.Spline.SamplesPerSegment), c.Output.LoopPoints)
	}
	return loop
}

// referenceSite draws one site of voronoi.
func referenceSite(d *draws, layout string, phase, radius float64) point {
	annulus := func() point {
		angle := 2 * math.Pi * d.uniform()
		return polarPoint(angle, math.Sqrt(0.28*0.28+d.uniform()*(1.04*1.04-0.28*0.28)))
	}
	box := func() point { x := d.signed(); return point{x, d.signed()} }
	switch layout {
	case "ring":
		return box()
	case "void_ring":
		return annulus()
	case "mixed":
		if d.uniform() < float64(float32(0.65)) {
			return annulus()
		}
		return box()
	}
	cluster := math.Floor(6 * d.uniform())
	r := radius * (0.82 + 0.30*d.uniform())
	site := polarPoint(phase+2*math.Pi*cluster/6, r)
	angle := 2 * math.Pi * d.uniform()
	site = site.plus(polarPoint(angle, 0.025*2+0.080*2*d.uniform()))
	if d.uniform() < float64(float32(0.22)) {
		return annulus()
	}
	return point{min(1, max(-1, site.x)), min(1, max(-1, site.y))}
}

func referenceVoronoi(c Config, seed int32) []point {
	d, sites := newDraws(seed*8171+19), []point{}
	phase := 2 * math.Pi * d.uniform()
	radius := 0.24*2 + 0.10*2*d.uniform()
	for range c.Voronoi.Sites {
		sites = append(sites, referenceSite(d, c.Voronoi.Layout, phase, radius))
	}
	boost := map[string]float64{"ring": 1, "void_ring": 1.10, "clustered": 1.16, "mixed": 1.06}[c.Voronoi.Layout]
	amplitude := min(0.85, max(0, c.Voronoi.RadialVariation*boost))
	d = newDraws(seed*3911 + 31)
	rotation := 2 * math.Pi * d.uniform()
	var p [4]float64
	for i := range p {
		p[i] = 2 * math.Pi * d.uniform()
	}
	k := c.Voronoi.ControlPoints
	used, anchors := make([]bool, len(sites)), []point{}
	for i := range k {
		angle := rotation + 2*math.Pi*float64(i)/float64(k) + d.signed()*c.Voronoi.AngularJitter
		profile := (0.62*math.Sin(2*angle+p[0]) + 0.44*math.Cos(3*angle+p[1]) + 0.26*math.Sin(5*angle+p[2]) +
			0.18*math.Cos(7*angle+p[3])) / 1.5
		r := min(0.52*2, max(0.16*2, 0.34*2*(1+amplitude*profile)))
		best, chosen := math.Inf(1), 0
		for j, site := range sites {
			cost := math.Abs(wrapped(math.Atan2(site.y, site.x)-angle))/(2*math.Pi/float64(k)) +
				math.Abs(site.length()-r)/(0.13*2)
			if used[j] {
				cost += 1000
			}
			if cost < best {
				best, chosen = cost, j
			}
		}
		used[chosen] = true
		anchors = append(anchors, sites[chosen])
	}
	return voronoiThrough(c, anchors)
}

// voronoiThrough returns the loop of voronoi near its anchors, which may have been centred and scaled before.
func voronoiThrough(c Config, anchors []point) []point {
	var vertices []point
	for i, a := range anchors {
		b := anchors[(i+1)%len(anchors)]
		vertices = append(vertices, a.times(0.75).plus(b.times(0.25)), a.times(0.25).plus(b.times(0.75)))
	}
	samples := c.Spline.SamplesPerSegment
	loop := normalised(resampled(catmullRom(vertices, samples, samples), c.Output.LoopPoints), math.Abs(c.Scale))
	if countCrossings(loop) > 0 {
		loop = resampled(straight(vertices, c.Spline.SamplesPerSegment), c.Output.LoopPoints)
	}
	return normalised(loop, c.Scale)
}

func wrapped(angle float64) float64 { return math.Remainder(angle, 2*math.Pi) }

// referenceCandidate makes one candidate of checkpoint.
func referenceCandidate(c Config, seed, k int32) []point {
	d, ring := newDraws(seed*4099+k*2741+1), []point{}
	slot := 2 * math.Pi / float64(c.Checkpoint.Count)
	for i := range c.Checkpoint.Count {
		angle := float64(i)*slot + d.signed()*c.Checkpoint.AngularJitter*slot
		least := c.Checkpoint.MinRadius
		ring = append(ring, polarPoint(angle, least+d.uniform()*(1-least)))
	}
	n := c.Output.LoopPoints
	step := perimeter(ring) / float64(n)
	position, target := ring[0], 1
	towards := func() float64 { to := ring[target].minus(position); return math.Atan2(to.y, to.x) }
	heading := towards()
	var path []point
	for range n {
		path = append(path, position)
		if ring[target].minus(position).length() < c.Checkpoint.Lookahead {
			target = (target + 1) % c.Checkpoint.Count
		}
		heading += min(c.Checkpoint.TurnRate, max(-c.Checkpoint.TurnRate,
			c.Checkpoint.SteeringGain*wrapped(towards()-heading)))
		position = position.plus(polarPoint(heading, step))
	}
	headings, increments, sum := make([]float64, n), make([]float64, n), 0.0
	for i, p := range path {
		edge := path[(i+1)%n].minus(p)
		headings[i] = math.Atan2(edge.y, edge.x)
		if i > 0 {
			increments[i] = wrapped(headings[i] - headings[i-1])
			sum += increments[i]
		}
	}
	edges, heading := make([]point, n), 0.0
	for i := range edges {
		if i > 0 {
			heading += increments[i] + (2*math.Pi-sum)/float64(n)
		}
		edges[i] = polarPoint(heading, 1/float64(n))
	}
	middle, at := mean(edges), point{}
	loop := make([]point, n)
	for i, edge := range edges {
		at = at.plus(edge.minus(middle))
		loop[i] = at
	}
	return loop
}

func referenceCheckpoint(c Config, seed int32) []point {
	var kept []point
	fewest := math.MaxInt
	for k := range int32(c.Checkpoint.BestOf) {
		loop := referenceCandidate(c, seed, k)
		if crossings := countCrossings(loop); crossings < fewest {
			kept, fewest = loop, crossings
		}
	}
	if c.Checkpoint.ClipCrossings {
		for round := 0; round < 16 && countCrossings(kept) > 0; round++ {
			kept = clipped(kept)
		}
		kept = resampled(kept, c.Output.LoopPoints)
	}
	return normalised(kept, c.Scale)
}

// clipped cuts a loop at its first crossing and keeps the longer part, which begins at the crossing.
func clipped(loop []point) []point {
	n := len(loop)
	for i := range n {
		for j := i + 2; j < n; j++ {
			a, b, p, q := loop[i], loop[(i+1)%n], loop[j], loop[(j+1)%n]
			if i == 0 && j == n-1 || !cross(a, b, p, q) {
				continue
			}
			at := a.plus(b.minus(a).times(p.minus(a).cross(q.minus(p)) / b.minus(a).cross(q.minus(p))))
			inner := append([]point{at}, loop[i+1:j+1]...)
			outer := append(append([]point{at}, loop[j+1:]...), loop[:i+1]...)
			if perimeter(inner) >= perimeter(outer) {
				return inner
			}
			return outer
		}
	}
	return loop
}

func perimeter(loop []point) (sum float64) {
	for i, p := range loop {
		sum += loop[(i+1)%len(loop)].minus(p).length()
	}
	return sum
}

func catmullRom(vertices []point, samples, divisor int) (dense []point) {
	n := len(vertices)
	for i := range vertices {
		p0, p1, p2, p3 := vertices[(i+n-1)%n], vertices[i], vertices[(i+1)%n], vertices[(i+2)%n]
		for s := range samples {
			u := float64(s) / float64(divisor)
			square := p0.times(2).plus(p1.times(-5)).plus(p2.times(4)).minus(p3)
			cube := p1.times(3).minus(p0).minus(p2.times(3)).plus(p3)
			dense = append(dense, p1.times(2).plus(p2.minus(p0).times(u)).plus(square.times(u*u)).plus(cube.times(u*u*u)).times(
				0.5))
		}
	}
	return dense
}

func straight(vertices []point, samples int) (dense []point) {
	for i, p := range vertices {
		q := vertices[(i+1)%len(vertices)]
		for s := range samples {
			u := float64(s) / float64(samples-1)
			dense = append(dense, p.plus(q.minus(p).times(3*u*u-2*u*u*u)))
		}
	}
	return dense
}

func resampled(loop []point, n int) (even []point) {
	total, k, start := perimeter(loop), 0, 0.0
	for i := range n {
		target := float64(i) * total / float64(n)
		length := loop[(k+1)%len(loop)].minus(loop[k]).length()
		for start+length < target && k < len(loop)-1 {
			start += length
			k++
			length = loop[(k+1)%len(loop)].minus(loop[k]).length()
		}
		t := min(1, max(0, (target-start)/max(length, 1e-12)))
		even = append(even, loop[k].plus(loop[(k+1)%len(loop)].minus(loop[k]).times(t)))
	}
	return even
}

func normalised(loop []point, scale float64) []point {
	lo, hi := loop[0], loop[0]
	for _, p := range loop {
		lo, hi = point{min(lo.x, p.x), min(lo.y, p.y)}, point{max(hi.x, p.x), max(hi.y, p.y)}
	}
	middle, side := lo.plus(hi).times(0.5), max(hi.x-lo.x, hi.y-lo.y, 1e-8)
	fitted := make([]point, len(loop))
	for i, p := range loop {
		fitted[i] = p.minus(middle).times(1.44 * scale / side)
	}
	return fitted
}

// cross reports whether the segments ab and pq cross properly, that is, the ends of each lie strictly on opposite sides
// of the other.
func cross(a, b, p, q point) bool {
	apart := func(a, b, p, q point) bool {
		d := b.minus(a)
		limit := 1e-3 * (d.x*d.x + d.y*d.y)
		side, other := d.cross(p.minus(a)), d.cross(q.minus(a))
		return side > limit && other < -limit || side < -limit && other > limit
	}
	return apart(a, b, p, q) && apart(p, q, a, b)
}

func countCrossings(loop []point) (crossings int) {
	n := len(loop)
	for i := range n {
		for j := i + 2; j < n; j++ {
			if (i > 0 || j < n-1) && cross(loop[i], loop[i+1], loop[j], loop[(j+1)%n]) {
				crossings++
			}
		}
	}
	return crossings
}

// extremes are effective seeds for which products with salts wrap around in every way.
var extremes = []int32{0, 1, -1, 2, 1234, -77777, math.MaxInt32, math.MinInt32, math.MinInt32 + 1, 1 << 30, -1 << 30,
	0x7FFF0000}

// Hull, voronoi and checkpoint at unusual settings, bezier and polar. A loop with a choice that depends on rounding
// would differ; none of these loops has one.
func TestGeneratorsAreThoseOfTheSpecification(t *testing.T) { // docs/spec/pipeline.md, sections 1, 4.0 to 4.5, 16
	device := openCPU(t)
	reference := map[string]func(Config, int32) []point{
		Bezier: referenceBezier, Hull: referenceHull, Polar: referencePolar, Voronoi: referenceVoronoi,
		Checkpoint: referenceCheckpoint}
	for _, config := range []Config{
		configOf(Bezier, 1),
		configOf(Bezier, 1, func(c *Config) {
			c.Bezier.Edginess = -3
			c.Corners.HalfCellSize = 0.03
			c.Output.LoopPoints = 77
			c.Bezier.HandleLength = 1.5
			c.Bezier.HandleLimit = 0.9
		}),
		configOf(Bezier, 1, func(c *Config) {
			c.Bezier.StyleSampling = true
			c.Bezier.HandleLengthRange = Range{Min: 0.1, Max: 0.9}
			c.Bezier.ScaleRange = Range{Min: 0.5, Max: 3}
			c.Bezier.HandleLimitRange = Range{Min: 0.1, Max: 0.5}
		}),
		configOf(Bezier, 1, func(c *Config) { c.Bezier.HandleLength, c.Scale = -0.3, -1.5 }),
		configOf(Hull, 1),
		configOf(Hull, 1, func(c *Config) { c.Hull.Displacement, c.Scale = -0.4, -1 }),
		configOf(Hull, 1, func(c *Config) { c.Corners.MinCount, c.Corners.MaxCount = 2, 2 }),
		configOf(Hull, 1, func(c *Config) { c.Corners.MinCount, c.Corners.MaxCount, c.Output.LoopPoints = 2, 4, 8 }),
		configOf(Hull, 1, func(c *Config) {
			c.Corners.MinCount = 64
			c.Corners.MaxCount = 128
			c.Spline.SamplesPerSegment = 7
			c.Output.LoopPoints = 300
		}),
		configOf(Hull, 1, func(c *Config) { c.Corners.HalfCellSize, c.Hull.Displacement = 0.5, 0.0 }),
		configOf(Hull, 1, func(c *Config) { c.Corners.HalfCellSize, c.Hull.Displacement, c.Scale = 0.2, 0.9, 3 }),
		configOf(Hull, 1, func(c *Config) { c.Spline.SamplesPerSegment = 2 }),
		configOf(Polar, 1),
		configOf(Polar, 1, func(c *Config) {
			c.Polar.Knots = 4
			c.Polar.RadialJitter = 0.85
			c.Polar.AngularJitter = 0.45
			c.Scale = 0.5
		}),
		configOf(Polar, 1, func(c *Config) { c.Polar.Knots, c.Polar.RadialJitter, c.Polar.AngularJitter = 2, 3, 0.9 }),
		configOf(Polar, 1, func(c *Config) { c.Polar.Knots, c.Scale = 0, -2 }),
		configOf(Voronoi, 1),
		configOf(Voronoi, 1, func(c *Config) { c.Voronoi.Layout, c.Scale = "ring", 20 }),
		configOf(Voronoi, 1, func(c *Config) { c.Scale = -3 }),
		configOf(Voronoi, 1, func(c *Config) { c.Voronoi.Layout = "clustered" }),
		configOf(Voronoi, 1, func(c *Config) { c.Voronoi.Layout = "mixed" }),
		configOf(Voronoi, 1, func(c *Config) {
			c.Voronoi.Layout = "clustered"
			c.Voronoi.Sites = 6
			c.Voronoi.ControlPoints = 6
			c.Output.LoopPoints = 8
		}),
		configOf(Voronoi, 1, func(c *Config) {
			c.Voronoi.Layout = "mixed"
			c.Voronoi.Sites = 37
			c.Voronoi.ControlPoints = 37
			c.Voronoi.AngularJitter = 3.0
		}),
		configOf(Voronoi, 1, func(c *Config) {
			c.Voronoi.Layout = "ring"
			c.Voronoi.RadialVariation = 0.0
			c.Voronoi.AngularJitter = 0.0
			c.Spline.SamplesPerSegment = 2
		}),
		configOf(Voronoi, 1, func(c *Config) { c.Voronoi.RadialVariation = 5.0 }),
		configOf(Checkpoint, 1),
		configOf(Checkpoint, 1, func(c *Config) { c.Checkpoint.BestOf = 1 }),
		configOf(Checkpoint, 1, func(c *Config) { c.Scale = -1 }),
		configOf(Checkpoint, 1, func(c *Config) { c.Checkpoint.BestOf, c.Output.LoopPoints = 70, 32 }),
		configOf(Checkpoint, 1, func(c *Config) { c.Checkpoint.ClipCrossings = true }),
		configOf(Checkpoint, 1, func(c *Config) {
			c.Checkpoint.BestOf = 64
			c.Checkpoint.AngularJitter = 2.0
			c.Output.LoopPoints = 64
		}),
		configOf(Checkpoint, 1, func(c *Config) {
			c.Checkpoint.Count = 3
			c.Output.LoopPoints = 8
			c.Checkpoint.BestOf = 2
			c.Checkpoint.Lookahead = 0.6
		}),
		configOf(Checkpoint, 1, func(c *Config) {
			c.Checkpoint.BestOf = 1
			c.Checkpoint.ClipCrossings = true
			c.Checkpoint.AngularJitter = 1.5
		}),
		configOf(Checkpoint, 1, func(c *Config) {
			c.Checkpoint.BestOf = 2
			c.Checkpoint.Count = 5
			c.Checkpoint.MinRadius = 0.0
			c.Checkpoint.Lookahead = 0.5
			c.Output.LoopPoints = 48
			c.Checkpoint.ClipCrossings = true
		}),
	} {
		seeds := slices.Clone(extremes)
		for e := range int32(20) {
			seeds = append(seeds, e+100)
		}
		config.NumEnvs, config.Relax.Enabled = len(seeds), false // only the first loops matter
		config.Output.MaxPoints, config.Road.HalfWidth = 64, 100
		g, err := NewGenerator(device, config, WithSeeds(seeds))
		require.NoError(t, err)
		loops, err := outputOf[kernel.Vec2](g, LoopOutput).Read(t.Context())
		require.NoError(t, err)
		c := g.Config()
		require.NoError(t, g.Close())
		for e, seed := range seeds {
			most := 0.0
			for i, want := range reference[c.Generator](c, seed) {
				got := loops[e*c.Output.LoopPoints+i]
				most = max(most, point{float64(got.X), float64(got.Y)}.minus(want).length()/math.Abs(c.Scale))
			}
			assert.Less(t, most, 2e-5, "%s, seed %d, %+v", c.Generator, seed, config)
		}
	}
}

// Without steering the path is straight, and the edge that closes it turns by half a revolution to either side, which
// rounding decides. So the drift that makes it one revolution in all is half a revolution or one and a half.
func TestCheckpointWithoutSteering(t *testing.T) { // docs/spec/pipeline.md, section 4.5
	device := openCPU(t)
	for name, change := range map[string]func(*Config){
		"turn_rate": func(c *Config) { c.Checkpoint.TurnRate = 0 },
		"gain":      func(c *Config) { c.Checkpoint.SteeringGain = 0 },
	} {
		c := configOf(Checkpoint, 16, change, func(c *Config) { c.Checkpoint.BestOf, c.Output.LoopPoints = 1, 64 })
		g, err := NewGenerator(device, c)
		require.NoError(t, err)
		loops, err := outputOf[kernel.Vec2](g, LoopOutput).Read(t.Context())
		require.NoError(t, err)
		require.NoError(t, g.Close())
		seen := map[float64]int{}
		for e := range c.NumEnvs {
			for _, drift := range []float64{math.Pi / 64, 3 * math.Pi / 64} {
				edges, at := make([]point, 64), point{}
				for i := range edges {
					edges[i] = polarPoint(float64(i)*drift, 1)
				}
				edges[63] = polarPoint(63*drift+math.Copysign(math.Pi, math.Pi/32-drift), 1)
				middle, want := mean(edges), []point{}
				for _, edge := range edges {
					at = at.plus(edge.minus(middle))
					want = append(want, at)
				}
				most := 0.0
				for i, p := range normalised(want, 1) {
					got := loops[e*64+i]
					most = max(most, point{float64(got.X), float64(got.Y)}.minus(p).length())
				}
				if most < 1e-4 {
					seen[drift]++
				}
			}
		}
		total := 0
		for _, n := range seen {
			total += n
		}
		assert.Equal(t, c.NumEnvs, total, "%s: %v", name, seen)
	}
}
