package world

import (
	"math"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// gateFaultsOf finds where the gate courses of a batch fail.
func gateFaultsOf(b *trackgen.GateBatch) []Fault {
	faults := []Fault{}
	for e := range b.Envs {
		if b.Valid[e] != 0 || b.Reason == nil {
			continue
		}
		for bit := gate.Reason(1); bit <= gate.ReasonTrack; bit <<= 1 {
			if b.Reason[e]&bit != 0 {
				f := gateFault(b, e, bit)
				f.Env, f.Reason = e, bit.String()
				faults = append(faults, f)
			}
		}
	}
	return faults
}

// gateFault finds the gates that fail one test.
func gateFault(b *trackgen.GateBatch, e int, bit gate.Reason) Fault {
	position := b.Gates(b.Position, e)
	n := len(position)
	whole := Fault{At: -1, With: -1}
	switch bit {
	case gate.ReasonTooFew, gate.ReasonTooMany:
		whole.Value = float64(n)
	case gate.ReasonSeparation:
		return closestGates(position)
	case gate.ReasonCrossing:
		return crossingGates(b.Gates(b.Left, e), b.Gates(b.Right, e))
	case gate.ReasonGrade:
		return extreme(n, func(i int) float64 {
			way := position[(i+1)%n].Sub(position[i])
			return math.Abs(float64(way.Z)) / math.Max(math.Hypot(float64(way.X), float64(way.Y)), 1e-12)
		})
	case gate.ReasonDistance:
		mean := 0.0
		length := func(i int) float64 { return float64(position[(i+1)%n].Sub(position[i]).Len()) }
		for i := range n {
			mean += length(i) / float64(n)
		}
		f := extreme(n, func(i int) float64 { return math.Abs(length(i) - mean) })
		if f.At >= 0 {
			f.With, f.Value = (f.At+1)%n, length(f.At)
		}
		return f
	case gate.ReasonTurn:
		return extreme(n, func(i int) float64 {
			before, after := position[i].Sub(position[(i+n-1)%n]), position[(i+1)%n].Sub(position[i])
			return math.Atan2(float64(before.Cross(after).Len()), float64(before.Dot(after)))
		})
	}
	return whole
}

// extreme returns the gate with the largest value.
func extreme(n int, value func(i int) float64) Fault {
	f := Fault{At: -1, With: -1}
	for i := range n {
		if v := value(i); f.At < 0 || v > f.Value {
			f.At, f.Value = i, v
		}
	}
	return f
}

// closestGates finds the two gates that are nearest to each other in plan view.
func closestGates(position []kernel.Vec3) Fault {
	f := Fault{At: -1, With: -1, Value: math.Inf(1)}
	for i, p := range position {
		for j := i + 1; j < len(position); j++ {
			if d := math.Hypot(float64(position[j].X-p.X), float64(position[j].Y-p.Y)); d < f.Value {
				f.At, f.With, f.Value = i, j, d
			}
		}
	}
	if f.At < 0 {
		f.Value = 0
	}
	return f
}

// crossingGates finds two gates that cross in plan view.
func crossingGates(left, right []kernel.Vec3) Fault {
	plan := func(v kernel.Vec3) kernel.Vec2 { return kernel.V2(v.X, v.Y) }
	for i := range left {
		for j := i + 1; j < len(left); j++ {
			if centerline.SegmentsCross(plan(left[i]), plan(right[i]), plan(left[j]), plan(right[j])) {
				return Fault{At: i, With: j}
			}
		}
	}
	return Fault{At: -1, With: -1}
}
