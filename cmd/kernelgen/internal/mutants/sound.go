// Package mutants holds small kernels for the tests of the instrumented twins: sound ones, and ones with a mistake
// each.
//
//kernel:nolauncher
//kernel:nodevice
package mutants

//go:generate go run ../.. .

import "github.com/trackgen-go/trackgen/kernel"

const rowLength = 64

// sweep smooths a closed chain of heights, each sweep from one half of a double buffer to the other.
//
//kernel:group lanes=32
func sweep(g kernel.Group, count, sweeps []int32, height []float32, smoothed []float32, total []int32) {
	var p [2][rowLength]float32
	n := count[g.ID]
	base := g.ID * rowLength
	last := sweeps[0]
	for i := range g.Each(n) {
		p[0][i] = height[base+i]
	}
	cur := int32(0)
	for k := int32(0); k < last; k++ {
		for i := range g.Each(n) {
			p[1-cur][i] = float32(0.5*p[cur][i]) + float32(0.25*(p[cur][(i+1)%n]+p[cur][(i+n-1)%n]))
		}
		cur = 1 - cur
	}
	for i := range g.Each(n) {
		smoothed[base+i] = p[cur][i]
		if p[cur][i] > 0.5 {
			kernel.AtomicAdd(total, 0, 1)
		}
		kernel.AtomicMax(total, 1, kernel.ToInt32(float32(p[cur][i]*1000)))
		kernel.AtomicOr(total, 2, i)
	}
}

// frame is a struct with an array and a method.
type frame struct {
	origin kernel.Vec2
	weight [3]float32
}

func (f frame) at(k int32) float32 { return f.weight[k] }

// minMax returns the smaller and the larger value of a row.
func minMax(row []float32, first, n int32) (low, high float32) {
	low, high = row[first], row[first]
	for k := first + 1; k < first+n; k++ {
		low = kernel.Min(low, row[k])
		high = kernel.Max(high, row[k])
	}
	return low, high
}

func halve(values []float32) {
	const half = 0.5
	for k := range int32(len(values)) {
		values[k] = float32(values[k] * half)
	}
}

// features runs through the constructs of the language.
//
//kernel:thread
func features(i int32, n int32, scale float32, row []float32, point []kernel.Vec3, code []int32) {
	var local [4]float32
	table := [3]float32{1, 2, 4}
	f := frame{origin: kernel.V2(scale, 1), weight: [3]float32{0.5, 0.25, 0.25}}
	for k := int32(0); k < 4; k++ {
		if k == 2 {
			continue
		}
		local[k] = float32(table[k%3] * scale)
	}
	f.weight[i%3] += 1
	halve(local[:])
	low, high := minMax(row, i*4, 4)
	switch i % 4 {
	case 0, 1:
		code[i] = i / (n + 1)
	case 2:
		code[i]--
		if high > 2 {
			break
		}
		code[i] <<= 3
	default:
		code[i] = -i
	}
	for m := i; m > 0; {
		m /= 2
		code[i] += m & 1
	}
	switch {
	case low < 0:
		point[i].X = low
	case high > 1:
		point[i].Y += high
	}
	point[i].Z = f.at(i%3) + f.origin.X - -local[i&3]
	local[0], local[1] = local[1], local[0]
	point[i] = point[i].Add(kernel.V3(local[0], local[1], 0))
	u := uint32(code[i])
	u ^= kernel.Hash(u) >> 16
	code[i] = int32(u)
}
