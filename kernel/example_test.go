package kernel_test

import (
	"fmt"

	"github.com/trackgen-go/trackgen/kernel"
)

// smooth replaces each point of a closed loop by the mean of its neighbours and itself, and measures the new loop. One
// group is one loop: loop e has count[e] points, from e*stride on.
//
//kernel:group lanes=64
func smooth(g kernel.Group, count []int32, stride int32, point []kernel.Vec2, length []float32) {
	var old [256]kernel.Vec2
	var edge [256]float32
	n := count[g.ID]
	base := g.ID * stride
	for i := range g.Each(n) {
		old[i] = point[base+i]
	}
	for i := range g.Each(n) {
		sum := old[(i+n-1)%n].Add(old[i]).Add(old[(i+1)%n])
		point[base+i] = sum.Scale(1.0 / 3)
	}
	for i := range g.Each(n) {
		edge[i] = point[base+(i+1)%n].Sub(point[base+i]).Len()
	}
	// Uniform code reads what the phases wrote; a sum in one order has one value.
	var total kernel.TwoFloat
	for i := int32(0); i < n; i++ {
		total = total.Add(edge[i])
	}
	for range g.Each(1) {
		length[g.ID] = total.Float32()
	}
}

// A kernel is a Go function. Here it runs on two squares, as two groups.
func Example() {
	square := []kernel.Vec2{{X: 0, Y: 0}, {X: 3, Y: 0}, {X: 3, Y: 3}, {X: 0, Y: 3}}
	point := append(append([]kernel.Vec2{}, square...), square...)
	length := make([]float32, 2)
	for e := range int32(2) {
		smooth(kernel.Group{ID: e}, []int32{4, 3}, 4, point, length)
	}
	fmt.Println(point[:4], length)
	// Output: [{1 1} {2 1} {2 2} {1 2}] [4 0]
}

// A stream gives the same numbers on every backend.
func ExampleRand() {
	r := kernel.NewRand(42)
	var x float32
	var k int32
	x, r = r.Uniform()
	k, _ = r.Integer(1, 7)
	fmt.Println(x, k)
	// Output: 0.6485052 6
}

// A two-float sum keeps what a float32 sum loses.
func ExampleTwoFloat() {
	var plain float32
	var sum kernel.TwoFloat
	for range 1_000_000 {
		plain += 0.1
		sum = sum.Add(0.1)
	}
	fmt.Println(plain, sum.Float32())
	// Output: 100958.34 100000
}
