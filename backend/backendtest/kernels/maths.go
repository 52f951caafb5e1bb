package kernels

import "github.com/trackgen-go/trackgen/kernel"

// functions computes every function of package kernel of one argument.
//
//kernel:thread
func functions(i int32, x []float32, sin, cos, exp, log, atan, root, floor, magnitude, split []float32, class []int32) {
	v := x[i]
	sin[i] = kernel.Sin(v)
	cos[i] = kernel.Cos(v)
	exp[i] = kernel.Exp(v)
	log[i] = kernel.Log(v)
	atan[i] = kernel.Atan(v)
	root[i] = kernel.Sqrt(v)
	floor[i] = kernel.Floor(v)
	magnitude[i] = kernel.Abs(v)
	s, c := kernel.Sincos(v)
	split[i] = s - c
	known := int32(0)
	if kernel.IsNaN(v) {
		known |= 1
	}
	if kernel.IsFinite(v) {
		known |= 2
	}
	class[i] = known ^ kernel.ToInt32(v)<<2
}

// binary computes every function of package kernel of two or three floats, and two-float arithmetic.
//
//kernel:thread
func binary(i int32, x, y []float32, angle, least, greatest, clamped, signed []float32, sum, product, quotient,
	chained []kernel.Vec2) {
	a, b := x[i], y[i]
	angle[i] = kernel.Atan2(a, b)
	least[i] = kernel.Min(a, b)
	greatest[i] = kernel.Max(a, b)
	clamped[i] = kernel.Clamp(a, kernel.Min(b, 1), kernel.Max(b, 1))
	signed[i] = kernel.CopySign(a, b)
	s := kernel.TwoSum(a, b)
	sum[i] = kernel.V2(s.Hi, s.Lo)
	p := kernel.TwoProd(a, b)
	product[i] = kernel.V2(p.Hi, p.Lo)
	q := s.Div(b)
	quotient[i] = kernel.V2(q.Hi, q.Lo)
	t := s.Sub(b).Mul(a).AddTwo(p).SubTwo(q).MulTwo(s)
	chained[i] = kernel.V2(t.Hi, t.Float32())
}

// vectors computes every method of the vectors.
//
//kernel:thread
func vectors(i int32, a, b []kernel.Vec3, sum, cross []kernel.Vec3, measures []kernel.Quat, flat []kernel.Vec2) {
	u, v := a[i], b[i]
	sum[i] = u.Add(v).Sub(u.Scale(0.5))
	cross[i] = u.Cross(v)
	p, q := kernel.V2(u.X, u.Y), kernel.V2(v.X, v.Y)
	measures[i] = kernel.Quat{X: u.Dot(v), Y: u.Len(), Z: p.Dot(q), W: p.Cross(q)}
	flat[i] = p.Add(q).Sub(q.Scale(p.Len()))
}

// draws takes one value of each distribution from the stream of a seed.
//
//kernel:thread
func draws(i int32, seed []int32, uniform, normal []float32, integer []int32, state []uint32) {
	r := kernel.NewRand(seed[i])
	uniform[i], r = r.Uniform()
	normal[i], r = r.Normal()
	integer[i], r = r.Integer(-7, seed[i])
	state[i] = r.State
}
