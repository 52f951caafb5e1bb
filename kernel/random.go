package kernel

// Hash is the 32-bit PCG hash (RXS-M-XS) of Jarzynski and Olano, "Hash Functions for GPU Rendering", JCGT 2020.
func Hash(s uint32) uint32 {
	b := s*747796405 + 2891336453
	c := (b ^ b>>((b>>28+4)&31)) * 277803737
	return c ^ c>>22
}

// Uniform maps a hashed state to [0, 1): its upper 24 bits times 2^-24, exactly.
func Uniform(s uint32) float32 { return float32(float32(int32(s>>8)) * (1.0 / 16777216)) }

// Integer maps a hashed state to lo..hi-1 by the remainder of s modulo hi-lo. An empty range gives lo.
func Integer(s uint32, lo, hi int32) int32 {
	if hi <= lo {
		return lo
	}
	return int32(s%uint32(hi-lo)) + lo
}

// Rand is the state of one random stream (docs/spec/pipeline.md, section 1). A draw returns its value and the stream
// after it:
//
//	r := kernel.NewRand(seed)
//	x, r = r.Uniform()
type Rand struct{ State uint32 }

// NewRand starts the stream of a seed. Streams of one env differ by salted seeds: int32 products, which wrap.
func NewRand(seed int32) Rand { return Rand{State: Hash(uint32(seed))} }

// Uniform draws from [0, 1), in steps of 2^-24.
func (r Rand) Uniform() (float32, Rand) {
	s := Hash(r.State)
	return Uniform(s), Rand{State: s}
}

// Integer draws from lo..hi-1; an empty range gives lo, and still takes a draw.
func (r Rand) Integer(lo, hi int32) (int32, Rand) {
	s := Hash(r.State)
	return Integer(s, lo, hi), Rand{State: s}
}

// Normal draws from the standard normal distribution by the cosine half of Box and Muller's method; it takes two draws.
func (r Rand) Normal() (float32, Rand) {
	first := Hash(r.State)
	second := Hash(first)
	radius := Sqrt(float32(-2 * Log(Uniform(first)+5.96e-8)))
	angle := float32(0x1.921fb6p+2 * Uniform(second)) // 2 pi u
	return float32(radius * Cos(angle)), Rand{State: second}
}
