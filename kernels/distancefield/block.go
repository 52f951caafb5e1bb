package distancefield

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/heightfield"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// A block is a square of cells whose segments are searched together: what is near one of its cells is near the others.
const (
	blockSide  = 4
	blockCells = blockSide * blockSide
	blockRow   = 1<<blockSide - 1 // the bits of the cells of a row
)

// middles writes the coordinates of the middles of the columns and of the rows of a block.
func middles(left, top, side int32, low, high kernel.Vec2, x, y []float32) {
	for i := int32(0); i < blockSide; i++ {
		p := heightfield.MiddleOf(left+i, top+i, side, low, high)
		x[i] = p.X
		y[i] = p.Y
	}
}

// leastSquares writes the least squared distances of the cells of a block from a line of at least 3 points; infinity if
// no distance is a number.
//
// Let d be the distance of the middle of the block from the line, and r the diagonal of the block. A cell is at most
// r/2 from the middle, so its nearest segment is at most d + r/2 away from the cell, and d + r from the middle. The
// slack is for the rounding of points on segments, which is below 6/2^24 of their coordinates.
func leastSquares(x, y []float32, l polyline.Line, index []kernel.Quat, least []float32) {
	middle := kernel.V2(float32(0.5*(x[0]+x[blockSide-1])), float32(0.5*(y[0]+y[blockSide-1])))
	r := kernel.V2(x[blockSide-1]-x[0], y[blockSide-1]-y[0]).Len()
	d := kernel.Sqrt(leastSquared(middle, l, index))
	slack := float32(1e-5 * (((kernel.Abs(middle.X) + kernel.Abs(middle.Y)) + d) + r))
	limit := (d + r) + slack
	limit = float32(limit * limit)
	for i := int32(0); i < blockCells; i++ {
		least[i] = kernel.Inf()
	}
	nodes := l.Nodes()
	for node := int32(0); node < nodes; {
		at := l.Node(node)
		second := index[at+1]
		if squaredToBox(middle, index[at]) > limit {
			node = polyline.Skip(node, second)
			continue
		}
		if polyline.LeavesOf(second) == 1 {
			end := l.EndOf(second)
			for i := polyline.FirstLeaf(second) * polyline.LeafSegments; i < end; i++ {
				approach(x, y, polyline.Plan(index[l.Base+i]), polyline.Plan(index[l.Base+i+1]), least)
			}
		}
		node++
	}
}

// approach lowers the squared distances of the cells of a block to those from the segment from a to b (C-70).
func approach(x, y []float32, a, b kernel.Vec2, least []float32) {
	d := b.Sub(a)
	length := d.Dot(d)
	isPoint := !(length > minSquared)
	for i := int32(0); i < blockCells; i++ {
		p := kernel.V2(x[i%blockSide], y[i/blockSide])
		t := float32(0)
		if !isPoint {
			t = kernel.Max(p.Sub(a).Dot(d)/length, 0) // 0 for a NaN (C-2)
			if t > 1 {
				t = 1
			}
		}
		away := p.Sub(kernel.V2(a.X+float32(d.X*t), a.Y+float32(d.Y*t)))
		if away.Dot(away) < least[i] {
			least[i] = away.Dot(away)
		}
	}
}

// insides returns one bit for each cell of a block that is inside a line of at least 3 points: a ray along the x axis
// crosses the line an odd number of times.
func insides(x, y []float32, l polyline.Line, index []kernel.Quat) int32 {
	odd := int32(0)
	nodes := l.Nodes()
	for node := int32(0); node < nodes; {
		at := l.Node(node)
		first := index[at]
		second := index[at+1]
		isRight := x[blockSide-1] < first.X // of the block
		if isRight {
			from := index[l.Base+polyline.FirstLeaf(second)*polyline.LeafSegments].Y
			odd = odd ^ between(y, from, index[l.Base+l.EndOf(second)].Y)
		}
		if isRight || x[0] > first.Z || y[blockSide-1] < first.Y || y[0] > first.W {
			node = polyline.Skip(node, second)
			continue
		}
		if polyline.LeavesOf(second) == 1 {
			end := l.EndOf(second)
			for i := polyline.FirstLeaf(second) * polyline.LeafSegments; i < end; i++ {
				odd = odd ^ crossed(x, y, polyline.Plan(index[l.Base+i]), polyline.Plan(index[l.Base+i+1]))
			}
		}
		node++
	}
	return odd
}

// between returns the bits of the cells of the rows of a block that are between two heights, as C-70 compares them.
func between(y []float32, from, to float32) int32 {
	bits := int32(0)
	for row := int32(0); row < blockSide; row++ {
		if from > y[row] != (to > y[row]) {
			bits |= blockRow << (row * blockSide & 31)
		}
	}
	return bits
}

// crossed returns the bits of the cells of a block whose rays cross the segment from a to b (C-70).
func crossed(x, y []float32, a, b kernel.Vec2) int32 {
	bits := int32(0)
	for row := int32(0); row < blockSide; row++ {
		if a.Y > y[row] != (b.Y > y[row]) {
			at := a.X + float32((y[row]-a.Y)*(b.X-a.X))/(b.Y-a.Y)
			for column := int32(0); column < blockSide; column++ {
				if x[column] < at {
					bits |= 1 << ((row*blockSide + column) & 31)
				}
			}
		}
	}
	return bits
}
