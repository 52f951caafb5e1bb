package export

import (
	"math"

	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
)

// GateMeasures are the measures of one gate course, with one element for each gate.
type GateMeasures struct {
	Distances []float64 // from each gate to the next one, in space
	Turns     []float64 // angle between the way to each gate and the way from it, 0 to pi; nil for fewer than 3 gates
	Heights   []float64 // absolute difference in height of each gate to the next one
}

// MeasureGates measures course e of a batch, which is closed: the next gate of the last one is the first. e must be
// below Envs.
func MeasureGates(b *gate.Batch, e int) GateMeasures {
	gates := b.Gates(b.Position, e)
	n := len(gates)
	var m GateMeasures
	if n < 2 {
		return m
	}
	way := func(i int) [3]float64 { return wayBetween(gates[i%n], gates[(i+1)%n]) }
	for i := range n {
		from := way(i)
		m.Distances = append(m.Distances, math.Sqrt(dot(from, from)))
		m.Heights = append(m.Heights, math.Abs(from[2]))
		if n > 2 {
			m.Turns = append(m.Turns, angle(way(i+n-1), from))
		}
	}
	return m
}

func wayBetween(a, b kernel.Vec3) [3]float64 {
	return [3]float64{float64(b.X) - float64(a.X), float64(b.Y) - float64(a.Y), float64(b.Z) - float64(a.Z)}
}

func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// angle returns the angle between two vectors, exact also where it is near 0 or pi.
func angle(a, b [3]float64) float64 {
	cross := [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
	return math.Atan2(math.Sqrt(dot(cross, cross)), dot(a, b))
}
