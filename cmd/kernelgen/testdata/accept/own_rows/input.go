package own_rows

import "github.com/trackgen-go/trackgen/kernel"

//kernel:group lanes=32
func rows(g kernel.Group, n, columns int32, flat []float32, pairs, eights []int32, point []kernel.Vec2) {
	base := g.ID * n
	for i := range g.Each(n) {
		for k := int32(0); k < columns; k++ {
			flat[(base+i)*columns+k] = 1
		}
		for k := columns - 1; k >= 0; k-- {
			flat[(base+i)*columns+k] += flat[(base+i)*columns]
		}
		pairs[2*i] = i
		pairs[2*i+1] = pairs[2*i]
		row := (base + i) << 3
		for k := range int32(8) {
			eights[row+k] = eights[row+(k&7)]
		}
		box(point, i*4)
	}
	for range g.Each(1) {
		pairs[0] = pairs[1]
	}
	half := n / 2
	for i := range g.Each(half) {
		point[i].X = point[i].Y
	}
}

func box(p []kernel.Vec2, first int32) {
	for k := int32(0); k < 4; k++ {
		next := first + k
		p[next] = kernel.V2(1, 2)
	}
}
