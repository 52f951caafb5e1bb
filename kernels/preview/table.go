package preview

import "github.com/trackgen-go/trackgen/kernel"

const (
	// Quats is the number of elements of a row of the table.
	Quats = 3

	leastPoints = 3    // of a closed line
	limit       = 1e15 // largest magnitude of a coordinate: the sums of its squares are finite
)

// Size returns the number of elements of an env in the table, for lines of at most maxPoints points.
func Size(maxPoints int32) int32 { return Quats*(maxPoints+1) + 1 }

// within reports whether the coordinates of a point are numbers that are not too large.
func within(p kernel.Vec3) bool {
	return kernel.Abs(p.X) <= limit && kernel.Abs(p.Y) <= limit && kernel.Abs(p.Z) <= limit
}

// isSound reports whether point i of a row of points can be looked at: it is within, and not before the point of arc
// length s.
func isSound(i int32, s float32, borders int32, center, outer, inner []kernel.Vec3, arclen []float32) bool {
	sound := within(center[i]) && arclen[i] >= s
	if borders == 1 {
		sound = sound && within(outer[i]) && within(inner[i])
	}
	return sound
}

// orZero returns x, or 0 if it is no number that is not too large.
func orZero(x float32) float32 {
	if kernel.Abs(x) <= limit {
		return x
	}
	return 0
}

// borderOf returns point i of the outer or the inner border, or the origin if there are no borders.
func borderOf(isOuter bool, borders, i int32, outer, inner []kernel.Vec3) kernel.Vec3 {
	if borders == 0 {
		return kernel.V3(0, 0, 0)
	}
	if isOuter {
		return outer[i]
	}
	return inner[i]
}

// arclenOf returns the arc length where segment i of n begins; that of segment n is the length of the line. The arc
// lengths of the line begin at element from.
func arclenOf(i, n, from int32, length float32, arclen []float32) float32 {
	if i < n {
		return arclen[from+i]
	}
	return length
}

// note writes the table of the active envs. borders, bends and profiled say whether there are borders, a curvature and
// a speed. Arrays of points are [E, maxPoints]. A line of fewer than 3 points, or with a point, an arc length or a
// length that is no number or too large, or with arc lengths that fall, has no places (L-20). A curvature or a speed
// that is no number is 0.
//
//kernel:group lanes=64
//kernel:iterations noteIterations(maxPoints, lanes)
func note(g kernel.Group, active []int32, maxPoints, borders, bends, profiled int32, center, outer, inner []kernel.Vec3,
	arclen, length, winding []float32, count []int32, curvature, speed []float32, table []kernel.Quat) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	from := env * maxPoints
	n := count[env]
	if n > maxPoints {
		n = maxPoints
	}
	s := float32(0)
	sound := n >= leastPoints && length[env] <= limit
	for i := int32(0); i < n && sound; i++ {
		sound = isSound(from+i, s, borders, center, outer, inner, arclen)
		s = arclen[from+i]
	}
	if !(sound && s <= length[env]) {
		n = 0
	}
	base := env * Size(maxPoints)
	for k := range g.Each(Size(maxPoints)) {
		table[base+k] = kernel.Quat{X: 0, Y: 0, Z: 0, W: 0}
	}
	if n == 0 {
		return
	}
	for k := range g.Each(Quats*(n+1) + 1) {
		row := (k - 1) / Quats
		at := from + row
		if row == n {
			at = from
		}
		p := center[at]
		w := float32(0)
		switch (k + 2) % Quats {
		case 0:
			w = arclenOf(row, n, from, length[env], arclen)
		case 1:
			p = borderOf(winding[env] < 0, borders, at, outer, inner)
			if bends == 1 {
				w = orZero(curvature[at])
			}
		case 2:
			p = borderOf(!(winding[env] < 0), borders, at, outer, inner)
			if profiled == 1 {
				w = orZero(speed[at])
			}
		}
		q := kernel.Quat{X: p.X, Y: p.Y, Z: p.Z, W: w}
		if k == 0 {
			q = kernel.Quat{X: float32(n), Y: length[env], Z: 0, W: 0}
		}
		table[base+k] = q
	}
}
