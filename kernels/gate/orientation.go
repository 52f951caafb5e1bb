package gate

import "github.com/trackgen-go/trackgen/kernel"

// minLength is the length below which a vector has no direction (C-3).
const minLength = 1e-12

// direction returns v divided by its length, or zero if v has no direction.
func direction(v kernel.Vec3) kernel.Vec3 {
	n := v.Len()
	if n < minLength {
		return kernel.V3(0, 0, 0)
	}
	return kernel.V3(v.X/n, v.Y/n, v.Z/n)
}

// orientation returns the rotation that turns the x axis to the unit vector forward and keeps the y axis level, as a
// quaternion (C-6). The sign of the quaternion is not continuous in forward.
func orientation(forward kernel.Vec3) kernel.Quat {
	left := kernel.V3(-forward.Y, forward.X, 0)
	length := left.Len()
	if length > 0 {
		left = kernel.V3(left.X/length, left.Y/length, 0)
	}
	up := forward.Cross(left)
	// The rows of the matrix are (f.x, l.x, u.x), (f.y, l.y, u.y), (f.z, l.z, u.z).
	x := left.Z - up.Y
	y := up.X - forward.Z
	z := forward.Y - left.X
	q := kernel.Quat{X: 0, Y: 0, Z: 0, W: 0}
	trace := (forward.X + left.Y) + up.Z
	if trace >= 0 {
		h := kernel.Sqrt(trace + 1)
		q.W = float32(0.5 * h)
		h = 0.5 / h
		q.X = float32(x * h)
		q.Y = float32(y * h)
		q.Z = float32(z * h)
		return unit(q)
	}
	largest := forward.X
	k := int32(0)
	if left.Y > largest {
		largest = left.Y
		k = 1
	}
	if up.Z > largest {
		k = 2
	}
	switch k {
	case 0:
		h := kernel.Sqrt((forward.X - (left.Y + up.Z)) + 1)
		q.X = float32(0.5 * h)
		h = 0.5 / h
		q.Y = float32((left.X + forward.Y) * h)
		q.Z = float32((up.X + forward.Z) * h)
		q.W = float32(x * h)
	case 1:
		h := kernel.Sqrt((left.Y - (up.Z + forward.X)) + 1)
		q.Y = float32(0.5 * h)
		h = 0.5 / h
		q.Z = float32((up.Y + left.Z) * h)
		q.X = float32((left.X + forward.Y) * h)
		q.W = float32(y * h)
	default:
		h := kernel.Sqrt((up.Z - (forward.X + left.Y)) + 1)
		q.Z = float32(0.5 * h)
		h = 0.5 / h
		q.X = float32((up.X + forward.Z) * h)
		q.Y = float32((up.Y + left.Z) * h)
		q.W = float32(z * h)
	}
	return unit(q)
}

// unit returns q divided by its length, or no rotation if q is zero.
func unit(q kernel.Quat) kernel.Quat {
	length := kernel.Sqrt(((float32(q.X*q.X) + float32(q.Y*q.Y)) + float32(q.Z*q.Z)) + float32(q.W*q.W))
	if length == 0 {
		return kernel.Quat{X: 0, Y: 0, Z: 0, W: 1}
	}
	s := 1 / length
	return kernel.Quat{X: float32(q.X * s), Y: float32(q.Y * s), Z: float32(q.Z * s), W: float32(q.W * s)}
}

// turnedY returns the y axis turned by q (C-5).
func turnedY(q kernel.Quat) kernel.Vec3 {
	c := float32(float32(2*q.W)*q.W) - 1
	d := float32(2 * q.Y)
	return kernel.V3(
		float32(q.X*d)-float32(float32(q.Z*q.W)*2),
		c+float32(q.Y*d),
		float32(q.Z*d)+float32(float32(q.X*q.W)*2))
}
