package measured

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
)

const (
	// Block is how many points share a bounding box.
	Block = 32
	// MaxBridges is the largest number of places at which a valid circuit crosses itself: one bit each.
	MaxBridges = 32
	// minSine is the sine of the smallest angle, 30 degrees, at which a circuit may cross itself on a bridge.
	minSine = 0.5
	minArc  = 1e-9 // floor of a length that is divided by
)

// boxes stores the bounding box of each block of a loop: of its Block segments, ends included. The item is a block.
//
//kernel:thread
//kernel:iterations Block + 1
func boxes(b int32, count []int32, loop []kernel.Vec2, boxLo, boxHi []kernel.Vec2) {
	n := count[0]
	first := b * Block
	if first >= n {
		return
	}
	lo := loop[first]
	hi := lo
	for k := int32(1); k <= Block && first+k <= n; k++ {
		p := loop[0]
		if first+k < n {
			p = loop[first+k]
		}
		lo.X = kernel.Min(lo.X, p.X)
		lo.Y = kernel.Min(lo.Y, p.Y)
		hi.X = kernel.Max(hi.X, p.X)
		hi.Y = kernel.Max(hi.Y, p.Y)
	}
	boxLo[b] = lo
	boxHi[b] = hi
}

// splits reports whether p and q lie on different sides of the line through a and b; the line itself belongs to one
// side, so that of two segments that meet on it exactly one is split.
func splits(a, b, p, q kernel.Vec2) bool {
	d := b.Sub(a)
	return (d.Cross(p.Sub(a)) > 0) != (d.Cross(q.Sub(a)) > 0)
}

// meet reports whether the segments ab and pq cross. Where both lie on one line nearly, rounding may say that they do
// though they are far apart; then their bounding boxes say the truth.
func meet(a, b, p, q kernel.Vec2) bool {
	if !splits(a, b, p, q) || !splits(p, q, a, b) {
		return false
	}
	return kernel.Min(a.X, b.X) <= kernel.Max(p.X, q.X) && kernel.Min(p.X, q.X) <= kernel.Max(a.X, b.X) &&
		kernel.Min(a.Y, b.Y) <= kernel.Max(p.Y, q.Y) && kernel.Min(p.Y, q.Y) <= kernel.Max(a.Y, b.Y)
}

// cross finds where a loop crosses itself. The item i is a segment: over[i] is the first later segment that it crosses
// at an angle of at least 30 degrees, or -1, met[i] the number of later segments that it crosses at any angle, and
// flat[i] is 1 where a smaller angle is among them, which is no bridge, else 0.
//
//kernel:thread
//kernel:iterations blockIterations(len(loop))
func cross(i int32, count []int32, loop, boxLo, boxHi []kernel.Vec2, over, met, flat []int32) {
	n := count[0]
	if i >= n {
		return
	}
	a := loop[i]
	b := loop[centerline.After(i, n)]
	d := b.Sub(a)
	lo := kernel.V2(kernel.Min(a.X, b.X), kernel.Min(a.Y, b.Y))
	hi := kernel.V2(kernel.Max(a.X, b.X), kernel.Max(a.Y, b.Y))
	found := int32(-1)
	crossings := int32(0)
	shallow := int32(0)
	for first := (i / Block) * Block; first < n; first += Block {
		bl := boxLo[first/Block]
		bh := boxHi[first/Block]
		if bl.X > hi.X || bh.X < lo.X || bl.Y > hi.Y || bh.Y < lo.Y {
			continue
		}
		for j := first; j < first+Block && j < n; j++ {
			// The neighbours i-1, i, i+1 share an end with segment i.
			if j <= i+1 || (i == 0 && j == n-1) {
				continue
			}
			p := loop[j]
			q := loop[centerline.After(j, n)]
			if !meet(a, b, p, q) {
				continue
			}
			crossings++
			e := q.Sub(p)
			sine := d.Cross(e)
			if float32(sine*sine) < float32(float32(minSine*minSine*d.Dot(d))*e.Dot(e)) {
				shallow = 1
			} else if found < 0 {
				found = j
			}
		}
	}
	over[i] = found
	met[i] = crossings
	flat[i] = shallow
}

// bridges lists the crossings of a circuit that are taken for bridges, the first MaxBridges of them: bit b of above[i]
// says that point i is within window, an arc length, of bridge b along its first segment, bit b of below[i] along its
// second. crossings[0] is the number of crossings at any angle. With allowed 0 none is a bridge.
//
//kernel:group lanes=128
//kernel:iterations bridgesIterations(len(met), lanes)
func bridges(g kernel.Group, allowed int32, window float32, count []int32, length []float32, over, met, above, below,
	crossings []int32) {
	var firsts [MaxBridges]int32
	var seconds [MaxBridges]int32
	var found [2]int32
	if g.ID > 0 {
		return
	}
	n := count[0]
	for range g.Each(1) {
		listed := int32(0)
		total := int32(0)
		for i := int32(0); i < n; i++ {
			total += met[i]
			if allowed != 0 && over[i] >= 0 && listed < MaxBridges {
				firsts[listed] = i
				seconds[listed] = over[i]
				listed++
			}
		}
		found[0] = listed
		crossings[0] = total
	}
	steps := kernel.ToInt32(kernel.Min(window/kernel.Max(length[0]/kernel.Max(float32(n), 1), minArc), 1<<24)) + 1
	for i := range g.Each(n) {
		first := int32(0)
		second := int32(0)
		for b := int32(0); b < found[0]; b++ {
			if relaxation.Apart(i, firsts[b], n) <= steps {
				first |= 1 << (b & 31)
			}
			if relaxation.Apart(i, seconds[b], n) <= steps {
				second |= 1 << (b & 31)
			}
		}
		above[i] = first
		below[i] = second
	}
}
