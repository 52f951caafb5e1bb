package loop

import "github.com/trackgen-go/trackgen/kernel"

//kernel:group lanes=32
func work(g kernel.Group, out []float32, n []int32) {
	for k := int32(0); k < n[0]; k++ { // want "loop: the condition of a loop around phases reads memory"
		for i := range g.Each(4) {
			out[i] = 1
		}
	}
	for k := int32(0); k < limit(k); k += n[1] { // want "loop: the condition of a loop around phases calls a function" "loop: the post statement of a loop around phases reads memory"
		for i := range g.Each(4) {
			out[i] = 1
		}
	}
	for k := int32(0); k < n[0]; k++ {
	}
	for range out { // want "loop: a range over a ..float32"
	}
	for _, v := range n { // want "loop: a range with two variables"
		_ = v
	}

}

func limit(k int32) int32 { return 3 }
