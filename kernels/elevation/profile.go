package elevation

import "github.com/trackgen-go/trackgen/kernel"

// Profiles: how heights follow from the seed (C-10).
const (
	Flat       = 0 // one height
	Uniform    = 1 // each slot draws its own
	RandomWalk = 2 // sums of draws, closed to a loop
	Noise      = 3 // sums of sines
	Given      = 4 // measured heights, of an imported circuit; no configuration names it
)

// ProfileNames are the names of the profiles in configurations of generators.
var ProfileNames = []string{Flat: "flat", Uniform: "uniform", RandomWalk: "random_walk", Noise: "noise"}

// Salts of the random streams, multiplied with the effective seed in wrapping int32 (C-10).
const (
	saltUniform = 15679
	saltWalk    = 15683
	saltNoise   = 15731
)

const (
	twoPi = 6.283185307179586

	minPerimeter = 1e-9 // a shorter line has all its slots at its beginning
	minDistance  = 1e-9 // of two points in plan view whose heights are compared
	minWeight    = 1e-9 // keeps the division by the weights of the waves finite
)

// Walk stores the open random walk of n slots in walk[base..base+n). Slot i has the arc length arc[base+i], and between
// two slots the walk changes by at most maxStep per unit of length. It starts at 0.
func Walk(seed, n, base int32, arc []float32, maxStep float32, walk []float32) {
	r := kernel.NewRand(seed * saltWalk)
	w := float32(0)
	for i := int32(0); i < n; i++ {
		if i > 0 {
			var u float32
			u, r = r.Uniform()
			w += float32(float32((float32(2*u)-1)*maxStep) * (arc[base+i] - arc[base+i-1]))
		}
		walk[base+i] = w
	}
}

// Height returns the height of slot i of n (C-10). The slots have the arc lengths arc[base..base+n) on a closed line of
// the given perimeter. walk is that of Walk, and is read with the profile RandomWalk alone. level is the height of a
// flat line, and the one that a walk and a noise begin from; low and high bound the heights of a profile that is not
// flat.
func Height(seed, profile, i, n, base int32, arc []float32, perimeter float32, walk []float32,
	level, low, high, amplitude float32, harmonics int32) float32 {
	if profile == Flat {
		return level
	}
	if profile == Uniform {
		u, _ := kernel.NewRand(seed*saltUniform + i).Uniform()
		return low + float32(u*(high-low))
	}
	part := float32(0)
	if perimeter > minPerimeter {
		part = arc[base+i] / perimeter
	}
	if profile == RandomWalk {
		return kernel.Clamp((level+walk[base+i])-float32(walk[base+n-1]*part), low, high)
	}
	return kernel.Clamp(level+float32(amplitude*waves(seed, harmonics, part)), low, high)
}

// waves returns the mean of the waves at a part of the way around the line. Wave k has k+1 periods, the weight 1/(k+1),
// and a random amplitude and phase.
func waves(seed, harmonics int32, part float32) float32 {
	sum := float32(0)
	weights := float32(0)
	for k := int32(0); k < harmonics; k++ {
		u, r := kernel.NewRand(seed*saltNoise + k).Uniform()
		v, _ := r.Uniform()
		weight := 1 / float32(k+1)
		angle := float32(float32(twoPi*float32(k+1))*part) + float32(twoPi*v)
		sum += float32(float32(u*weight) * kernel.Sin(angle))
		weights += weight
	}
	return sum / kernel.Max(weights, minWeight)
}
