package vocabulary

import "github.com/trackgen-go/trackgen/kernel"

//kernel:thread
func work(i int32, out []float32, n []int32) {
	out[i] = sum(kernel.V2(1, 2)) + sum(product(out[i]))

}

func product(x float32) kernel.Vec2 {
	return kernel.Vec2{X: x, Y: x * x} // want "product"
}

func sum(v kernel.Vec2) float32 { return v.X + v.Y }
