package variation

import "github.com/trackgen-go/trackgen/kernel"

// Indices of the lengths of a road. All lengths follow from the half width and the configuration.
const (
	HalfWidth = iota
	Spacing   // between the points of the centreline
	Target    // distance to which the relaxation pushes points apart
	Reach     // distance within which the relaxation remembers points
	MinRadius // radius to which the relaxation rounds bends
	Thickness // room on either side without which a track is not valid
	Lengths   // number of lengths
)

// Bits of turned: how a track is transformed.
const (
	Reversed = 1 << iota // driven the other way round
	Mirrored             // at the y axis
)

// Salts of the draws: the random stream starts from seed*8951+59, in wrapping int32. No other stage uses them.
const (
	saltRoad   = 8951
	offsetRoad = 59
)

// draw draws the road of every active env from its effective seed. All three draws are always made, so none depends on
// whether the others have an effect. shortest and longest [K*Lengths] are the lengths of the narrowest and of the
// widest road of each of K components; all lengths are linear in the half width. turns [K] has the bits of the ways in
// which tracks of a component may be turned, each with probability one half.
//
// With mixed 1, component [E] is the component of each env; with mixed 0, all envs have component 0. draw writes size
// [E*Lengths], sides [E], the half width for either side, and turned [E]. One thread is one active env. kernelgen
// cannot prove that the list names no env twice.
//
//kernel:thread
//kernel:unproven
//kernel:iterations Lengths + 1
func draw(i int32, active, effective []int32, mixed int32, component []int32, shortest, longest []float32,
	turns []int32, size []float32, sides []kernel.Vec2, turned []int32) {
	if i >= active[0] {
		return
	}
	env := active[i+1]
	from := component[env*mixed]
	width, r := kernel.NewRand(effective[env]*saltRoad + offsetRoad).Uniform()
	direction, r := r.Uniform()
	side, _ := r.Uniform()
	for k := int32(0); k < Lengths; k++ {
		low := shortest[from*Lengths+k]
		size[env*Lengths+k] = low + float32((longest[from*Lengths+k]-low)*width)
	}
	half := size[env*Lengths+HalfWidth]
	sides[env] = kernel.V2(half, half)
	ways := int32(0)
	if direction < 0.5 {
		ways |= Reversed
	}
	if side < 0.5 {
		ways |= Mirrored
	}
	turned[env] = ways & turns[from]
}
