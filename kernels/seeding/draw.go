package seeding

import "github.com/trackgen-go/trackgen/kernel"

// The draws of the per-env random numbers (docs/spec/pipeline.md, section 1). One thread per sample: sample i belongs
// to the env ids[i/per], and is number i%per of that env. Its stream starts at the env's state plus that number, so
// samples are independent of each other and of the launch; advanceStreams then moves the state on by the number of
// samples. An id that names no env leaves its samples as they are.

// stream returns the random stream of one sample.
func stream(state, number int32) kernel.Rand {
	return kernel.Rand{State: uint32(state) + uint32(number)}
}

// advanceStreams moves the state of each drawing env on by per samples; an env that is named twice moves twice. One
// thread per id.
//
//kernel:thread
func advanceStreams(i int32, ids, state []int32, per int32) {
	id := ids[i]
	if id >= 0 && id < int32(len(state)) {
		kernel.AtomicAdd(state, id, per)
	}
}

// uniform draws low + (high-low) u with u from [0, 1).
//
//kernel:thread
func uniform(i int32, ids, state []int32, per int32, low, high float32, out []float32) {
	id := ids[i/per]
	if id >= 0 && id < int32(len(state)) {
		u, _ := stream(state[id], i%per).Uniform()
		out[i] = low + float32((high-low)*u)
	}
}

// integer draws from low..high-1.
//
//kernel:thread
func integer(i int32, ids, state []int32, per, low, high int32, out []int32) {
	id := ids[i/per]
	if id >= 0 && id < int32(len(state)) {
		v, _ := stream(state[id], i%per).Integer(low, high)
		out[i] = v
	}
}

// signInt draws -1 or 1.
//
//kernel:thread
func signInt(i int32, ids, state []int32, per int32, out []int32) {
	id := ids[i/per]
	if id >= 0 && id < int32(len(state)) {
		u, _ := stream(state[id], i%per).Uniform()
		v := int32(1)
		if u < 0.5 {
			v = -1
		}
		out[i] = v
	}
}

// signFloat draws -1 or 1.
//
//kernel:thread
func signFloat(i int32, ids, state []int32, per int32, out []float32) {
	id := ids[i/per]
	if id >= 0 && id < int32(len(state)) {
		u, _ := stream(state[id], i%per).Uniform()
		v := float32(1)
		if u < 0.5 {
			v = -1
		}
		out[i] = v
	}
}

// normal draws from the normal distribution with this mean and standard deviation.
//
//kernel:thread
func normal(i int32, ids, state []int32, per int32, mean, deviation float32, out []float32) {
	id := ids[i/per]
	if id >= 0 && id < int32(len(state)) {
		v, _ := stream(state[id], i%per).Normal()
		out[i] = mean + float32(deviation*v)
	}
}

// poisson draws from the Poisson distribution with mean lambda, in [0, 4096].
//
//kernel:thread
//kernel:iterations maxAttempts*14 + 1
func poisson(i int32, ids, state []int32, per int32, lambda float32, out []int32) {
	id := ids[i/per]
	if id >= 0 && id < int32(len(state)) {
		out[i] = drawPoisson(stream(state[id], i%per), lambda)
	}
}

// quaternion draws a unit quaternion, uniform over all rotations.
//
//kernel:thread
func quaternion(i int32, ids, state []int32, per int32, out []kernel.Quat) {
	id := ids[i/per]
	if id >= 0 && id < int32(len(state)) {
		out[i] = drawQuaternion(stream(state[id], i%per))
	}
}

// drawQuaternion is the subgroup algorithm of Shoemake, "Uniform Random Rotations", Graphics Gems III, 1992. It takes
// three draws.
func drawQuaternion(r kernel.Rand) kernel.Quat {
	const turn = 0x1.921fb6p+2 // 2 pi
	u, r := r.Uniform()
	v, r := r.Uniform()
	w, _ := r.Uniform()
	a, b := kernel.Sqrt(1-u), kernel.Sqrt(u)
	p, q := float32(turn*v), float32(turn*w)
	return kernel.Quat{
		X: float32(a * kernel.Sin(p)),
		Y: float32(a * kernel.Cos(p)),
		Z: float32(b * kernel.Sin(q)),
		W: float32(b * kernel.Cos(q)),
	}
}

// maxAttempts bounds the loops of drawPoisson. A single attempt succeeds with a probability of at least 0.7, so the bound
// is never met; it keeps the loop finite for the checker.
const maxAttempts = 256

// drawPoisson multiplies uniforms for small means (Knuth, The Art of Computer Programming 2, 3.4.1) and uses the
// transformed rejection of Hormann, "The transformed rejection method for generating Poisson random variables",
// Insurance: Mathematics and Economics 12, 1993, for means of 10 and more.
func drawPoisson(r kernel.Rand, lambda float32) int32 {
	if !(lambda > 0) {
		return 0
	}
	if lambda < 10 {
		return poissonByProduct(r, lambda)
	}
	return poissonByRejection(r, lambda)
}

func poissonByProduct(r kernel.Rand, lambda float32) int32 {
	limit := kernel.Exp(-lambda)
	u, r := r.Uniform()
	count := int32(0)
	product := u
	for product > limit && count < maxAttempts {
		u, r = r.Uniform()
		product = float32(product * u)
		count++
	}
	return count
}

func poissonByRejection(r kernel.Rand, lambda float32) int32 {
	logLambda := kernel.Log(lambda)
	b := 0.931 + float32(2.53*kernel.Sqrt(lambda))
	a := float32(0.02483*b) - 0.059
	inverseAlpha := 1.1239 + 1.1328/(b-3.4)
	squeeze := 0.9277 - 3.6224/(b-2)
	for attempt := int32(0); attempt < maxAttempts; attempt++ {
		var u, v float32
		u, r = r.Uniform()
		v, r = r.Uniform()
		u = u - 0.5
		tail := 0.5 - kernel.Abs(u)
		k := kernel.ToInt32(kernel.Floor(float32((float32(2*a)/tail+b)*u) + lambda + 0.43))
		if tail >= 0.07 && v <= squeeze {
			return k
		}
		if k < 0 || (tail < 0.013 && v > tail) {
			continue
		}
		left := kernel.Log(float32(v*inverseAlpha) / (a/float32(tail*tail) + b))
		if left <= float32(float32(k)*logLambda)-lambda-logFactorial(k) {
			return k
		}
	}
	return kernel.ToInt32(lambda)
}

// logFactorial returns ln(k!) for k >= 0: the logarithm of the product up to 12, Stirling's series beyond.
func logFactorial(k int32) float32 {
	if k <= 12 { // 12! < 2^31
		product := int32(1)
		for f := int32(2); f <= k; f++ {
			product *= f
		}
		return kernel.Log(float32(product))
	}
	x := float32(k)
	const halfLogTurn = 0.918938533 // ln(2 pi) / 2
	return float32((x+0.5)*kernel.Log(x)) - x + halfLogTurn + 1/float32(12*x)
}
