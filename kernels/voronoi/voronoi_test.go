package voronoi

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

var layouts = []int32{Ring, VoidRing, Clustered, Mixed}

// stream draws from the random stream of a test, in float64.
type stream struct{ kernel.Rand }

func (s *stream) uniform() float64 {
	u, next := s.Uniform()
	s.Rand = next
	return float64(u)
}

// annulus, square and site are docs/spec/pipeline.md, section 4.4, in float64, one draw after the other.
func (s *stream) annulus() (x, y float64) {
	sin, cos := math.Sincos(2 * math.Pi * s.uniform())
	r := math.Sqrt(0.28*0.28 + s.uniform()*(1.04*1.04-0.28*0.28))
	return r * cos, r * sin
}

func (s *stream) square() (x, y float64) {
	x = 2*s.uniform() - 1
	return x, 2*s.uniform() - 1
}

func (s *stream) site(layout int32, phase, distance float64) (x, y float64) {
	switch layout {
	case Ring:
		return s.square()
	case VoidRing:
		return s.annulus()
	case Mixed:
		if s.uniform() < 0.65 {
			return s.annulus()
		}
		return s.square()
	}
	sin, cos := math.Sincos(phase + 2*math.Pi*math.Floor(6*s.uniform())/6)
	r := distance * (0.82 + 0.30*s.uniform())
	x, y = r*cos, r*sin
	sin, cos = math.Sincos(2 * math.Pi * s.uniform())
	r = 0.05 + 0.16*s.uniform()
	if s.uniform() < 0.22 {
		return s.annulus()
	}
	return min(1, max(-1, x+r*cos)), min(1, max(-1, y+r*sin))
}

// Every layout draws the sites that it is said to draw, and goes on where they end.
func TestSites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		layout := rapid.SampledFrom(layouts).Draw(t, "layout")
		r := kernel.NewRand(rapid.Int32().Draw(t, "seed"))
		phase := rapid.Float32Range(0, 2*math.Pi).Draw(t, "phase")
		distance := rapid.Float32Range(0.48, 0.68).Draw(t, "distance")
		want := stream{r}
		x, y := want.site(layout, float64(phase), float64(distance))
		got := drawSite(layout, r, phase, distance)
		assert.InDelta(t, x, got.X, 1e-6)
		assert.InDelta(t, y, got.Y, 1e-6)
		assert.Equal(t, want.Rand, skipSite(layout, r))
	})
}

// The sites of each layout lie where their layout says.
func TestLayouts(t *testing.T) {
	const n = 4000
	for layout, inside := range map[int32]float64{
		// The area of the annulus within the square over that of the square; the annulus sticks out of the square a
		// little.
		Ring: 0.772, VoidRing: 1, Clustered: 1, Mixed: 0.65 + 0.35*0.772,
	} {
		r := kernel.NewRand(77)
		in, near := 0, 0
		for range n {
			p := drawSite(layout, r, 0, 0.6)
			r = skipSite(layout, r)
			assert.LessOrEqual(t, p.Len(), float32(math.Sqrt2)+1e-6)
			if d := p.Len(); d >= innerVoid-1e-6 && d <= outerVoid+1e-6 {
				in++
			}
			// A clustered site is at most 0.21 from a middle between 0.82 and 1.12 of the distance 0.6.
			if d := p.Len(); d >= 0.6*0.82-0.21 && d <= 0.6*1.12+0.21 {
				sector := math.Remainder(math.Atan2(float64(p.Y), float64(p.X)), math.Pi/3)
				if math.Abs(sector) <= math.Asin(0.21/(0.6*0.82)) {
					near++
				}
			}
		}
		assert.InDelta(t, inside, float64(in)/n, 0.025, "layout %d in the annulus", layout)
		if layout == Clustered {
			assert.Greater(t, float64(near)/n, 0.78, "sites of clusters")
		}
	}
}

// run draws the vertices of one env.
func run(
	layout, seed, sites, anchors int32, variation, jitter float32,
) (site, anchor, vertex []kernel.Vec2, angle, radius []float32) {
	site, anchor, vertex = make([]kernel.Vec2, sites), make([]kernel.Vec2, anchors), make([]kernel.Vec2, 2*anchors)
	angle, radius = make([]float32, anchors), make([]float32, anchors)
	vertices(kernel.Group{}, []int32{1, 0}, []int32{seed}, layout, sites, anchors, 2, 2*anchors,
		Amplitude(layout, variation), jitter, make([]uint32, sites), make([]float32, sites), make([]int32, sites),
		make([]int32, sites), anchor, angle, radius, make([]int32, anchors), make([]int32, 1), vertex)
	r, phase, clusterDistance := siteStream(seed)
	for j := range site {
		site[j] = drawSite(layout, r, phase, clusterDistance)
		r = skipSite(layout, r)
	}
	return site, anchor, vertex, angle, radius
}

// siteStream returns the random stream of the sites of an env, and where their clusters are.
func siteStream(seed int32) (r kernel.Rand, phase, clusterDistance float32) {
	u, r := kernel.NewRand(seed*saltSites + offsetSites).Uniform()
	phase = float32(twoPi * u)
	u, r = r.Uniform()
	return r, phase, minClusterDistance + float32(clusterDistances*u)
}

// wanted is how far a site is from where an anchor is wanted.
func wanted(site kernel.Vec2, angle, radius, sector float32) float32 {
	apart := centerline.WrapAngle(kernel.Atan2(site.Y, site.X) - angle)
	return kernel.Abs(apart)/sector + kernel.Abs(site.Len()-radius)/radiusUnit
}

// An estimate is wrong by at most a quarter of what the search allows for a difference of two.
func TestEstimates(t *testing.T) {
	const sites = 50
	siteRadius, siteTurn := make([]float32, sites), make([]int32, sites)
	rapid.Check(t, func(t *rapid.T) {
		layout := rapid.SampledFrom(layouts).Draw(t, "layout")
		seed := rapid.Int32().Draw(t, "seed")
		angle := rapid.Float32Range(-2*math.Pi, 6*math.Pi).Draw(t, "angle")
		radius := rapid.Float32Range(minRadius, maxRadius).Draw(t, "radius")
		sector := twoPi / float32(rapid.Int32Range(3, 512).Draw(t, "anchors"))
		perStep := 1 / float32(sector*turnSteps)
		vertices(kernel.Group{}, []int32{1, 0}, []int32{seed}, layout, sites, 3, 1, 3, 0, 0, make([]uint32, sites),
			siteRadius, siteTurn, make([]int32, sites), make([]kernel.Vec2, 3), make([]float32, 3), make([]float32, 3),
			make([]int32, 3), make([]int32, 1), make([]kernel.Vec2, 3))
		r, phase, clusterDistance := siteStream(seed)
		for j := range sites {
			site := drawSite(layout, r, phase, clusterDistance)
			exact := distance(layout, r, phase, clusterDistance, angle, radius, sector)
			require.Equal(t, wanted(site, angle, radius, sector), exact)
			r = skipSite(layout, r)
			if !kernel.IsFinite(siteRadius[j]) { // one of three that are used
				continue
			}
			allowed := float32(turnSlack*perStep) + radiusSlack/radiusUnit + exact*(margin-1)
			require.InDelta(t, exact, estimate(siteTurn[j]-turnOf(angle), siteRadius[j]-radius, perStep),
				float64(allowed/4), "site %d", j)
		}
	})
}

// Sharing the search does not change which site an anchor gets: the nearest one that no earlier anchor has, and the
// first of several.
func TestAnchors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		layout := rapid.SampledFrom(layouts).Draw(t, "layout")
		anchors := rapid.Int32Range(6, 200).Draw(t, "anchors")
		sites := anchors + rapid.Int32Range(0, 600).Draw(t, "more sites")
		site, anchor, vertex, angle, radius := run(layout, rapid.Int32().Draw(t, "seed"), sites, anchors,
			rapid.Float32Range(0, 2).Draw(t, "variation"), rapid.Float32Range(0, 1).Draw(t, "jitter"))
		used := make([]bool, sites)
		for k := range anchors {
			which, least := -1, float32(math.MaxFloat32)
			for j, p := range site {
				d := wanted(p, angle[k], radius[k], twoPi/float32(anchors))
				if used[j] {
					d += 1000
				}
				if d < least {
					which, least = j, d
				}
			}
			require.False(t, used[which])
			used[which] = true
			require.Equal(t, site[which], anchor[k], "anchor %d", k)
			assert.True(t, radius[k] >= minRadius && radius[k] <= maxRadius)
		}
		for k := range anchors {
			p, q := anchor[k], anchor[(k+1)%anchors]
			assert.InDelta(t, 0.75*p.X+0.25*q.X, vertex[2*k].X, 1e-6)
			assert.InDelta(t, 0.25*p.Y+0.75*q.Y, vertex[2*k+1].Y, 1e-6)
		}
	})
}

// Without jitter and variation anchors are wanted on a circle, a sector apart.
func TestWantedOnACircle(t *testing.T) {
	_, _, _, angle, radius := run(VoidRing, 5, 64, 12, 0, 0)
	for k := range angle {
		assert.InDelta(t, 0.68, radius[k], 1e-6)
		assert.InDelta(t, float64(k)*math.Pi/6, angle[k]-angle[0], 1e-5)
	}
	_, _, _, _, radius = run(VoidRing, 5, 64, 12, 0.6, 0)
	spread := float32(0)
	for _, r := range radius {
		spread = max(spread, kernel.Abs(r-0.68))
	}
	assert.Greater(t, spread, float32(0.1))
	assert.LessOrEqual(t, spread, float32(0.68*0.66))
}
