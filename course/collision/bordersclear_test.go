package collision_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/trackgen-go/trackgen/kernel"
)

// ring adds a road of n points about a center, whose borders are circles.
func (r *roads) ring(n int, center kernel.Vec3, inner, outer float32) {
	circle := func(radius float32) []kernel.Vec3 {
		line := make([]kernel.Vec3, n)
		for i := range line {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
			line[i] = center.Add(kernel.V3(radius*float32(cos), radius*float32(sin), 0))
		}
		return line
	}
	r.add(n, circle(inner), circle(outer), circle((inner+outer)/2))
}

// Boxes in the middle of a road are as far from one border as from the other, up to the last bits, which decide:
// whether a search leaves out the other border must not. Some boxes have no size, and some roads are so far away that
// coordinates have few bits.
func TestIndexEqualsScanInTheMiddleOfTheRoad(t *testing.T) {
	draw := rand.New(rand.NewPCG(31, 32))
	r := &roads{stride: 420}
	widths := []float32{1e-5, 1e-3, 0.1, 0.5}
	var middle []float32
	for _, n := range []int{84, 420} {
		for _, far := range []float32{0, 30, 1e3, 1e5} {
			for _, width := range widths {
				r.ring(n, kernel.V3(far, -far, 0), 1, 1+width)
				middle = append(middle, 1+width/2)
			}
		}
	}
	const boxes = 60
	compareScenes(t, r, boxes, 3, func() (s boxScene) {
		for i := range r.envs() * boxes {
			env := i / boxes
			far := []float32{0, 30, 1e3, 1e5}[env/len(widths)%4]
			width := widths[env%len(widths)]
			off := width * []float32{0, 1e-7, 1e-4, 0.3, 0.6}[draw.IntN(5)] * (draw.Float32()*2 - 1)
			sin, cos := math.Sincos(2 * math.Pi * draw.Float64())
			radius := middle[env] + off
			s.position = append(s.position, kernel.V3(far+radius*float32(cos), -far+radius*float32(sin), 0))
			s.turn = append(s.turn, drawTurn(draw))
			size := width * []float32{0, 0.01, 0.1, 0.4}[draw.IntN(4)]
			s.half = append(s.half, kernel.V2(draw.Float32(), draw.Float32()).Scale(size))
		}
		return s
	})
}
