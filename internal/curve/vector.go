package curve

import "math"

// Vector is a point or a direction in the plane.
type Vector struct{ X, Y float64 }

// Sub returns v - w.
func (v Vector) Sub(w Vector) Vector { return Vector{v.X - w.X, v.Y - w.Y} }

// Add returns v + w.
func (v Vector) Add(w Vector) Vector { return Vector{v.X + w.X, v.Y + w.Y} }

// Scale returns f times v. The products are rounded, so that no machine fuses them with a sum.
func (v Vector) Scale(f float64) Vector { return Vector{float64(v.X * f), float64(v.Y * f)} }

// Dot returns the scalar product.
func (v Vector) Dot(w Vector) float64 { return float64(v.X*w.X) + float64(v.Y*w.Y) }

// Cross returns the z component of the cross product: > 0 where w points to the left of v.
func (v Vector) Cross(w Vector) float64 { return float64(v.X*w.Y) - float64(v.Y*w.X) }

// Len returns the length of v.
func (v Vector) Len() float64 { return math.Sqrt(v.Dot(v)) }

// times returns the product of v and w as complex numbers: their angles add.
func (v Vector) times(w Vector) Vector {
	return Vector{float64(v.X*w.X) - float64(v.Y*w.Y), float64(v.X*w.Y) + float64(v.Y*w.X)}
}

// unit returns v with length 1, or 0 if v has no direction.
func (v Vector) unit() Vector {
	if length := v.Len(); length > 0 {
		return Vector{v.X / length, v.Y / length}
	}
	return Vector{}
}
