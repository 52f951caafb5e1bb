package results

import "github.com/trackgen-go/trackgen/kernel"

type extent struct{ low, high float32 }

func divide(a, b int32) (quotient, remainder int32) {
	if b == 0 {
		return
	}
	quotient = a / b
	remainder = a - quotient*b
	return quotient, remainder
}

func bounds(a, b kernel.Vec2) (extent, kernel.Vec2, bool) {
	return extent{a.X, b.X}, kernel.V2(a.Y, b.Y), a.X < b.X
}

func sign(x float32) float32 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	default:
		return x
	}
}

//kernel:thread
func results(i int32, n []int32, p []kernel.Vec2, x []float32) {
	q, r := divide(n[i], 7)
	_, n[i] = divide(q, r)
	e, v, ok := bounds(p[i], p[i])
	q, r = r, q
	k := n[i]
	if k >= 0 && k < int32(len(x)) {
		x[i], n[i], e.low = e.high, q, sign(x[i])
	}
	if ok {
		p[i] = v
	}
	_ = q
	_, _ = divide(r, 2)
	x[i] += e.low
}
