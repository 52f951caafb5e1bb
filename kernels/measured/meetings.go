package measured

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
)

// Line is the centreline of a circuit on the host, with what the kernels of a launch read. Its slices have one length.
type Line struct {
	Loop        []kernel.Vec2
	Normal      []kernel.Vec3 // points left
	Right, Left []float32     // widths
	Length      float32
	Tight       float32 // the part of a width that counts
	Window      float32 // the arc length on either side of a bridge within which the road may overlap itself
	Allowed     int32   // 1 if crossings may be bridges, else 0
}

// Meeting is a pair of points whose cross-sections meet: Here and There are the widths that face one another, times the
// part of the line between the points that is across the road, and Squared is the square of that line.
type Meeting struct {
	I, J                 int32
	Here, There, Squared float32
	Beside               bool // J lies on the road beside I
}

// Meetings calls visit for each pair of cross-sections that the kernel separate finds to meet, and returns which
// segments cross another one at a small angle. It computes on the host what the kernels compute on a device.
func (l Line) Meetings(visit func(Meeting)) (flat []int32) {
	n := int32(len(l.Loop))
	blocks := (n + Block - 1) / Block
	count, length := []int32{n}, []float32{l.Length}
	boxLo, boxHi := make([]kernel.Vec2, blocks), make([]kernel.Vec2, blocks)
	for b := range blocks {
		boxes(b, count, l.Loop, boxLo, boxHi)
	}
	over, met, above, below := make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, n)
	flat = make([]int32, n)
	for i := range n {
		cross(i, count, l.Loop, boxLo, boxHi, over, met, flat)
	}
	bridges(kernel.Group{}, l.Allowed, l.Window, count, length, over, met, above, below, make([]int32, 1))
	widest := float32(0)
	for i := range n {
		widest = max(widest, l.Right[i], l.Left[i])
	}
	step := l.Length / float32(n)
	for i := range n {
		p := l.Loop[i]
		width := max(l.Right[i], l.Left[i])
		reach := width + max(widest, besideSteps*step)
		skip := skipped(width, step)
		for b := range blocks {
			lo, hi := boxLo[b], boxHi[b]
			if p.X-hi.X > reach || lo.X-p.X > reach || p.Y-hi.Y > reach || lo.Y-p.Y > reach {
				continue
			}
			for j := b * Block; j < min((b+1)*Block, n); j++ {
				if relaxation.Apart(i, j, n) <= skip || above[i]&below[j] != 0 || below[i]&above[j] != 0 {
					continue
				}
				m := Meeting{I: i, J: j}
				m.Here, m.There = facing(i, j, l.Loop, l.Right, l.Left, l.Normal)
				d := l.Loop[j].Sub(p)
				m.Squared = d.Dot(d)
				m.Beside = beside(i, j, l.Tight, step, l.Loop, l.Right, l.Left, l.Normal)
				if m.Squared < float32(l.Tight*(m.Here+m.There)) || m.Beside {
					visit(m)
				}
			}
		}
	}
	return flat
}
