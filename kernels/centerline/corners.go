package centerline

import "github.com/trackgen-go/trackgen/kernel"

// Salts of the random streams, multiplied with the effective seed in wrapping int32 (docs/spec/pipeline.md, section 1).
const (
	SaltBezierCount   = 6151
	SaltBezierCorners = 9781
	saltBezierStyle   = 2741
	saltPolarKnots    = 7919
	saltPolarOffset   = 17
)

// maxRedraws is how often a corner that falls into a used cell is drawn again. The last draw is accepted.
const maxRedraws = 8

// CornerCount draws how many corners a loop has, uniform over lo..hi.
func CornerCount(seed, lo, hi int32) int32 {
	u, _ := kernel.NewRand(seed).Uniform()
	n := lo + kernel.ToInt32(float32(u*float32(hi-lo+1)))
	if n > hi {
		n = hi
	}
	return n
}

// DrawCorners draws n corner points over the square of the given scale, which is divided into cells x cells cells. A
// corner avoids the cells of the corners before it (docs/spec/pipeline.md, section 4.0). cell[base..base+n) gets the
// cell of each corner.
func DrawCorners(seed, n, cells int32, cellSize, scale float32, base int32, corner []kernel.Vec2, cell []int32) {
	r := kernel.NewRand(seed)
	total := cells * cells
	for k := int32(0); k < n; k++ {
		chosen := int32(0)
		for attempt := int32(0); attempt <= maxRedraws; attempt++ {
			var u float32
			u, r = r.Uniform()
			chosen = kernel.ToInt32(float32(u * float32(total)))
			if chosen > total-1 {
				chosen = total - 1
			}
			used := false
			for earlier := int32(0); earlier < k; earlier++ {
				if cell[base+earlier] == chosen {
					used = true
				}
			}
			if !used {
				break
			}
		}
		cell[base+k] = chosen
		var u, v float32
		u, r = r.Uniform()
		v, r = r.Uniform()
		x := float32(float32(chosen%cells)*cellSize) + (u - 0.5)
		y := float32(float32(chosen/cells)*cellSize) + (v - 0.5)
		corner[base+k] = kernel.V2(float32(x*scale), float32(y*scale))
	}
}

// Centroid returns the mean of the points point[base..base+n), n >= 1. Its sums are rounded once, at the end.
func Centroid(n, base int32, point []kernel.Vec2) kernel.Vec2 {
	var x, y kernel.TwoFloat
	for k := int32(0); k < n; k++ {
		x = x.Add(point[base+k].X)
		y = y.Add(point[base+k].Y)
	}
	return kernel.V2(x.Float32()/float32(n), y.Float32()/float32(n))
}

// SortByAngle sorts n corners by atan2(dx, dy) around their centroid, x first, which makes the loop clockwise. Equal
// angles keep their order.
func SortByAngle(n, base int32, corner []kernel.Vec2, angle []float32) {
	center := Centroid(n, base, corner)
	for k := int32(0); k < n; k++ {
		d := corner[base+k].Sub(center)
		angle[base+k] = kernel.Atan2(d.X, d.Y)
	}
	for k := int32(1); k < n; k++ {
		c := corner[base+k]
		a := angle[base+k]
		j := k
		for j > 0 && angle[base+j-1] > a {
			corner[base+j] = corner[base+j-1]
			angle[base+j] = angle[base+j-1]
			j--
		}
		corner[base+j] = c
		angle[base+j] = a
	}
}
