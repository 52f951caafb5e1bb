package circuit

import "math"

// vector is a point or a direction in the plane.
type vector struct{ x, y float64 }

func (p vector) dot(q vector) float64       { return p.x*q.x + p.y*q.y }
func (p vector) cross(q vector) float64     { return p.x*q.y - p.y*q.x }
func (p vector) length() float64            { return math.Hypot(p.x, p.y) }
func (p vector) plus(q vector) vector       { return vector{p.x + q.x, p.y + q.y} }
func (p vector) minus(q vector) vector      { return vector{p.x - q.x, p.y - q.y} }
func (p vector) times(f float64) vector     { return vector{p.x * f, p.y * f} }
func (p vector) to(q vector) float64        { return math.Hypot(q.x-p.x, q.y-p.y) }
func (p vector) left() vector               { return vector{-p.y, p.x} } // turned by 90 degrees to the left
func (p vector) toward(q vector) vector     { return q.minus(p).unit() }
func between(p, q vector, f float64) vector { return vector{p.x + (q.x-p.x)*f, p.y + (q.y-p.y)*f} }

// unit returns the vector of length 1 in the same direction, or zero for zero.
func (p vector) unit() vector {
	if n := p.length(); n > 0 {
		return p.times(1 / n)
	}
	return vector{}
}
