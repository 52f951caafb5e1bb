// Package geometry holds helpers that kernels of another package call.
package geometry

import "github.com/trackgen-go/trackgen/kernel"

const (
	tiny = 1e-3
	half = tiny * 500
	// Slots is the capacity of a Ring.
	Slots = 4
)

// Ring keeps the last Slots values.
type Ring struct {
	Values [Slots]float32
	Next   int32
}

// Push returns the ring with a value added.
func (r Ring) Push(x float32) Ring {
	r.Values[wrap(r.Next, Slots)] = x
	r.Next++
	return r
}

// Mean returns the mean of n elements of row from first on, halved.
func Mean(row []float32, first, n int32) float32 {
	var sum kernel.TwoFloat
	for k := range n {
		sum = sum.Add(float32(row[first+k] * half))
	}
	return sum.Float32() / kernel.Max(float32(n), tiny)
}

func wrap(i, n int32) int32 { return i % n }

type hidden struct{ value float32 }

// Hidden returns a value whose type has no name outside.
func Hidden(i int32) hidden { return hidden{value: float32(i)} } // want "twin: type hidden of package .*geometry is not exported" "twin: type hidden"

// Value returns what is hidden.
func (h hidden) Value() float32 { return h.value } // want "twin: type hidden"
