package repulsive

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/trackgen-go/trackgen/kernel"
)

// A curve that has its length and keeps its area stops at the second call. A curve that has stopped stays as it is.
func TestStop(t *testing.T) {
	const n = 16
	curve := make([]kernel.Vec2, n)
	for i := range curve {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / n)
		curve[i] = kernel.V2(float32(cos), float32(sin))
	}
	area, iterations, unfinished := []float32{0}, []int32{0}, []int32{0}
	run := func(last, all int32, length float32) {
		unfinished[0] = 0
		stop(kernel.Group{}, []int32{1, 0}, n, n, last, 2, all, 0.05, 2, []float32{5}, []float32{length}, area, curve,
			iterations, unfinished)
	}
	run(4, 0, 5)
	assert.Equal(t, []int32{0, 1}, []int32{iterations[0], unfinished[0]}, "there is no area to compare with")
	assert.InDelta(t, n/2*math.Sin(2*math.Pi/n), area[0], 1e-5)
	run(8, 0, 4.9)
	assert.Equal(t, []int32{0, 1}, []int32{iterations[0], unfinished[0]}, "it is too short")
	area[0] *= 1.06
	run(12, 0, 5)
	assert.Equal(t, []int32{0, 1}, []int32{iterations[0], unfinished[0]}, "its area changes")
	run(16, 0, 5)
	assert.Equal(t, []int32{16, 0}, []int32{iterations[0], unfinished[0]})
	assert.InDelta(t, 2, curve[0].Len(), 1e-5, "scaled once")
	done := append([]kernel.Vec2(nil), curve...)
	run(20, 0, 5)
	run(24, 1, 5)
	assert.Equal(t, done, curve)
	assert.Equal(t, []int32{16, 0}, []int32{iterations[0], unfinished[0]})
}

// At the end every curve stops, whatever its length and area.
func TestStopAll(t *testing.T) {
	curve := []kernel.Vec2{{}, {X: 1}, {X: 1, Y: 1}, {Y: 1}}
	iterations, unfinished := []int32{0}, []int32{0}
	stop(kernel.Group{}, []int32{1, 0}, 4, 4, 9, 0, 1, 0.05, 3, []float32{5}, []float32{4}, []float32{100}, curve,
		iterations, unfinished)
	assert.Equal(t, []int32{9, 0}, []int32{iterations[0], unfinished[0]})
	assert.Equal(t, []kernel.Vec2{{}, {X: 3}, {X: 3, Y: 3}, {Y: 3}}, curve)
}
