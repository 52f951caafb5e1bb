package expressions

import "github.com/trackgen-go/trackgen/kernel"

type pair struct {
	first  int32
	second kernel.Vec2
}

//kernel:thread
func expressions(i int32, x []float32, n []int32, v []kernel.Vec2) {
	table := [4]int32{1, 2, 4, 8}
	grid := [2][2]float32{{1, 2}, {3, 4}}
	pairs := [2]pair{{first: 1}, {2, kernel.V2(1, 2)}}
	grid[i&1][1] = 0.5
	pairs[i&1].second.X += grid[1][i&1]
	p := pairs[n[i]&1]
	p.first = table[i%4]
	x[i] = float32(x[i]*x[i]) + float32(x[i]*x[i]*3)/2
	if x[i]*x[i] < 2 {
		x[i] = x[i] * x[i] / 3
	}
	n[i] = kernel.ToInt32(x[i]) + p.first - int32(len(table))
	n[i] += int32(kernel.Float32Bits(x[i])>>23) - 0x7f
	v[i] = p.second.Add(v[i]).Scale(-x[i])
	v[i].Y = kernel.Sqrt(kernel.Abs(v[i].X))
}
