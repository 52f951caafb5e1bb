package export

// farOut is how far outside of an image, in pixels, a point may be. The rasterizer has 9 bits for parts of a pixel in
// numbers of 32 bits, and multiplies differences of points by 2.
const farOut = 1 << 16

// clip returns the part of a closed contour whose coordinates are at most limit from 0, by the method of Sutherland and
// Hodgman (Reentrant polygon clipping, 1974). The winding of every place inside stays as it is. A contour that is not
// farther than limit is returned itself.
func clip(contour []point, limit float64) []point {
	for _, side := range []point{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
		beyond := func(p point) float64 { return (p.x*side.x + p.y*side.y) - limit }
		isFar := false
		for _, p := range contour {
			isFar = isFar || !(beyond(p) <= 0)
		}
		if !isFar {
			continue
		}
		var kept []point
		for i, p := range contour {
			before := contour[(i+len(contour)-1)%len(contour)]
			from, to := beyond(before), beyond(p)
			if from > 0 && to <= 0 || from <= 0 && to > 0 {
				kept = append(kept, onTheWay(before, p, from/(from-to), side, limit))
			}
			if to <= 0 {
				kept = append(kept, p)
			}
		}
		contour = kept
	}
	return contour
}

// onTheWay returns the point at a part of the way from a to b, where it meets the side at limit.
func onTheWay(a, b point, part float64, side point, limit float64) point {
	if side.x != 0 {
		return point{x: side.x * limit, y: a.y + float64((b.y-a.y)*part)}
	}
	return point{x: a.x + float64((b.x-a.x)*part), y: side.y * limit}
}
