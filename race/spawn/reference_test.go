package spawn_test

import (
	"math"

	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/spawn"
	"github.com/trackgen-go/trackgen/seeds"
)

// lines are closed lines in host memory, with widths or without.
type lines struct {
	center              []kernel.Vec3
	arclen, right, left []float32
	length              []float32
	count               []int32
}

func (l lines) stride() int { return len(l.center) / len(l.count) }

// pose is what a spawn writes for an agent, and where it is.
type pose struct {
	position, velocity kernel.Vec3
	orientation        kernel.Quat
	spot               [5]float32 // s, n, height, yaw, speed
}

// hash is the generator of random numbers (docs/spec/pipeline.md, section 1).
func hash(s uint32) uint32 {
	b := s*747796405 + 2891336453
	c := (b ^ b>>(b>>28+4)) * 277803737
	return c ^ c>>22
}

// stream returns the first numbers of the stream of a seed.
func stream(seed int32, n int) (list []float32) {
	state := hash(uint32(seed))
	for range n {
		state = hash(state)
		list = append(list, float32(state>>8)/16777216)
	}
	return list
}

// spawned is where agent a of env e begins by the rules L-60 to L-66.
func (l lines) spawned(c spawn.Config, e, a int, seed, epoch int32, box kernel.Vec2) pose {
	m, whole := min(int(l.count[e]), l.stride()), l.length[e]
	if m < 3 || !kernel.IsFinite(whole) || whole <= 0 {
		return nowhere()
	}
	k := seeds.EffectiveSeed(seed, epoch)
	shared := stream(k*9697+89, 1)[0]
	u := stream(k*9697+89+int32(a+1)*104729, 5)
	in := func(r spawn.Range, u float32) float32 {
		low, high := float32(r.Min), float32(r.Max)
		return low + float32((high-low)*u)
	}
	box = kernel.V2(extent(box.X), extent(box.Y))
	s := around(l.along(c, a, whole, shared, u[0], box), whole)
	p := pose{spot: [5]float32{s, 0, in(c.Height, u[3]), in(c.Yaw, u[2]), in(c.Speed, u[4])}}
	sin, cos := kernel.Sincos(p.spot[3])

	row := l.arclen[e*l.stride():][:m]
	i := m - 1
	for i > 0 && row[i] > s {
		i--
	}
	next, end := (i+1)%m, whole
	if i+1 < m {
		end = row[i+1]
	}
	part := in(c.Lateral, u[1])
	if c.Mode == spawn.Grid {
		n := c.Grid.Columns
		part += float32(float32(c.Grid.Spread) * (float32(2*(a%n)+1)/float32(n) - 1))
	}
	part = min(max(part, -1), 1)
	p.spot[1] = float32(part * l.room(c, e*l.stride()+i, e*l.stride()+next, part > 0, box, sin, cos))

	from, to := l.center[e*l.stride()+i], l.center[e*l.stride()+next]
	x := float32(0)
	if step := end - row[i]; step > 1e-12 {
		x = min(max((s-row[i])/step, 0), 1)
	}
	way := [3]float32{to.X - from.X, to.Y - from.Y, to.Z - from.Z}
	right, above := axesOf(way)
	var at [3]float32
	for d, start := range [3]float32{from.X, from.Y, from.Z} {
		at[d] = coursetest.OneNaN(start + float32(way[d]*x) + float32(right[d]*p.spot[1]) + float32(above[d]*p.spot[2]))
	}
	p.position = kernel.V3(at[0], at[1], at[2])
	p.look(way, sin, cos, c.Attitude == spawn.Pitched)
	return p
}

// nowhere is the pose of an agent without a line.
func nowhere() (p pose) {
	nan := kernel.NaN()
	p.position, p.velocity = kernel.V3(nan, nan, nan), kernel.V3(nan, nan, nan)
	p.orientation = kernel.Quat{X: nan, Y: nan, Z: nan, W: nan}
	p.spot = [5]float32{nan, nan, nan, nan, nan}
	return p
}

// extent is a half extent as L-60 has it.
func extent(x float32) float32 {
	if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
		return 0
	}
	return kernel.Abs(x)
}

// along is L-63.
func (l lines) along(c spawn.Config, a int, whole, shared, u float32, box kernel.Vec2) float32 {
	if c.Mode == spawn.Anywhere {
		slot, gap := whole/float32(c.Agents), float32(c.Gap)
		if gap == 0 {
			gap = 4 * kernel.Sqrt(float32(box.X*box.X)+float32(box.Y*box.Y))
		}
		return float32(shared*whole) + float32(float32(a)*slot) + float32(max(slot-gap, 0)*u)
	}
	before := box.X + float32(c.Behind) + float32(0.001*whole)
	if c.Mode == spawn.Grid {
		spacing := float32(c.Grid.RowSpacing)
		if spacing == 0 {
			spacing = 3 * box.X
		}
		before += float32(float32(a/c.Grid.Columns)*spacing) + float32(float32(a%c.Grid.Columns)*float32(c.Grid.Stagger))
	}
	return -before
}

// around is the arc length of C-83.
func around(s, whole float32) float32 {
	s -= float32(kernel.Floor(s/whole) * whole)
	if s < 0 {
		s += whole
	}
	if s >= whole {
		return 0
	}
	return s
}

// room is L-64. i and next are the ends of the segment.
func (l lines) room(c spawn.Config, i, next int, onTheRight bool, box kernel.Vec2, sin, cos float32) float32 {
	if l.right == nil {
		return float32(c.Corridor)
	}
	widths := l.left
	if onTheRight {
		widths = l.right
	}
	width := widths[i]
	if widths[next] < width || width != width {
		width = widths[next]
	}
	need := float32(box.X*kernel.Abs(sin)) + float32(box.Y*kernel.Abs(cos))
	if room := width - need; room > 0 {
		return room
	}
	return 0
}

// axesOf returns the axes of C-81 of a way: to the right, and upwards.
func axesOf(way [3]float32) (right, above [3]float32) {
	cross := func(a, b [3]float32) (c [3]float32) {
		for k := range 3 {
			i, j := (k+1)%3, (k+2)%3
			c[k] = float32(a[i]*b[j]) - float32(a[j]*b[i])
		}
		return c
	}
	size := func(a [3]float32) float32 {
		return kernel.Sqrt(float32(a[0]*a[0]) + float32(a[1]*a[1]) + float32(a[2]*a[2]))
	}
	var along [3]float32
	if n := size(way); !(n < 1e-12) {
		along = [3]float32{way[0] / n, way[1] / n, way[2] / n}
	}
	right = cross(along, [3]float32{0, 0, 1})
	if n := size(right); n < 1e-6 {
		right = [3]float32{1, 0, 0}
	} else {
		right = [3]float32{right[0] / n, right[1] / n, right[2] / n}
	}
	return right, cross(right, along)
}

// look is L-65.
func (p *pose) look(way [3]float32, sin, cos float32, pitched bool) {
	level := kernel.Sqrt(float32(way[0]*way[0]) + float32(way[1]*way[1]))
	c, s := float32(1), float32(0)
	if level >= 1e-12 {
		c, s = way[0]/level, way[1]/level
	}
	c, s = float32(c*cos)-float32(s*sin), float32(s*cos)+float32(c*sin)
	p.orientation = heading(c, s)
	rise := float32(0)
	if size := kernel.Sqrt(float32(way[0]*way[0]) + float32(way[1]*way[1]) + float32(way[2]*way[2])); pitched &&
		size >= 1e-12 {
		flat := level / size
		rise = way[2] / size
		c, s = float32(c*flat), float32(s*flat)
		w := kernel.Sqrt(float32(0.5 * (1 + flat)))
		y := -rise / float32(2*w)
		q := p.orientation
		p.orientation = kernel.Quat{X: -float32(q.Z * y), Y: float32(q.W * y), Z: float32(q.Z * w), W: float32(q.W * w)}
	}
	p.velocity = kernel.V3(float32(c*p.spot[4]), float32(s*p.spot[4]), float32(rise*p.spot[4]))
}

// heading is the rotation about z to a direction, by half of its angle.
func heading(x, y float32) kernel.Quat {
	size := kernel.Sqrt(float32(x*x) + float32(y*y))
	if size < 1e-12 {
		return kernel.Quat{W: 1}
	}
	c, s := x/size, y/size
	if c >= 0 {
		w := kernel.Sqrt(float32(0.5 * (1 + c)))
		return kernel.Quat{Z: s / float32(2*w), W: w}
	}
	z := kernel.CopySign(kernel.Sqrt(float32(0.5*(1-c))), s)
	return kernel.Quat{Z: z, W: s / float32(2*z)}
}
