package kernel

// Vec2 is two float32, 8 bytes in a buffer.
type Vec2 struct{ X, Y float32 }

// V2 returns the vector (x, y).
func V2(x, y float32) Vec2 { return Vec2{X: x, Y: y} }

// Add returns a + b.
func (a Vec2) Add(b Vec2) Vec2 { return Vec2{X: a.X + b.X, Y: a.Y + b.Y} }

// Sub returns a - b.
func (a Vec2) Sub(b Vec2) Vec2 { return Vec2{X: a.X - b.X, Y: a.Y - b.Y} }

// Scale returns a times s, each component rounded once.
func (a Vec2) Scale(s float32) Vec2 { return Vec2{X: float32(a.X * s), Y: float32(a.Y * s)} }

// Dot returns a.X*b.X + a.Y*b.Y, each product rounded before the sum.
func (a Vec2) Dot(b Vec2) float32 { return float32(a.X*b.X) + float32(a.Y*b.Y) }

// Cross returns the z component of the cross product, a.X*b.Y - a.Y*b.X.
func (a Vec2) Cross(b Vec2) float32 { return float32(a.X*b.Y) - float32(a.Y*b.X) }

// Len returns the Euclidean length.
func (a Vec2) Len() float32 { return Sqrt(float32(a.X*a.X) + float32(a.Y*a.Y)) }

// Vec3 is three float32, packed: 12 bytes in a buffer on every backend.
type Vec3 struct{ X, Y, Z float32 }

// V3 returns the vector (x, y, z).
func V3(x, y, z float32) Vec3 { return Vec3{X: x, Y: y, Z: z} }

// Add returns a + b.
func (a Vec3) Add(b Vec3) Vec3 { return Vec3{X: a.X + b.X, Y: a.Y + b.Y, Z: a.Z + b.Z} }

// Sub returns a - b.
func (a Vec3) Sub(b Vec3) Vec3 { return Vec3{X: a.X - b.X, Y: a.Y - b.Y, Z: a.Z - b.Z} }

// Scale returns a times s, each component rounded once.
func (a Vec3) Scale(s float32) Vec3 {
	return Vec3{X: float32(a.X * s), Y: float32(a.Y * s), Z: float32(a.Z * s)}
}

// Dot returns the inner product, summed from x to z, each product rounded first.
func (a Vec3) Dot(b Vec3) float32 {
	return float32(a.X*b.X) + float32(a.Y*b.Y) + float32(a.Z*b.Z)
}

// Cross returns the cross product a x b.
func (a Vec3) Cross(b Vec3) Vec3 {
	return Vec3{
		X: float32(a.Y*b.Z) - float32(a.Z*b.Y),
		Y: float32(a.Z*b.X) - float32(a.X*b.Z),
		Z: float32(a.X*b.Y) - float32(a.Y*b.X),
	}
}

// Len returns the Euclidean length.
func (a Vec3) Len() float32 { return Sqrt(a.Dot(a)) }

// Quat is a quaternion in the order (x, y, z, w), 16 bytes in a buffer.
type Quat struct{ X, Y, Z, W float32 }
