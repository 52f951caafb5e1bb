package polyline

import "github.com/trackgen-go/trackgen/kernel"

// fetchStep is how many elements are 64 bytes, which a processor fetches at once.
const fetchStep = 4

// Fetched returns the number of elements that Fetch reads of each line.
func Fetched(maxPoints int32) int32 {
	return (maxPoints + 2 + leafElements*Leaves(maxPoints) + fetchStep - 1) / fetchStep
}

// Fetch reads the lines of an env, without their trees, from the begin to the end. A processor that sees this order
// fetches ahead; then the searches for many places, which have no order, find the lines in its cache. This is all that
// it is for. It returns true, which a compiler does not know: else it would leave out the reads.
func Fetch(env, lines, maxPoints int32, index []kernel.Quat) bool {
	bits := uint32(0)
	for line := int32(0); line < lines; line++ {
		first := (env*lines + line) * Size(maxPoints)
		for i := int32(0); i < Fetched(maxPoints); i++ {
			bits |= kernel.Float32Bits(index[first+fetchStep*i].X)
		}
	}
	return bits != 0 // the code of the number of points is not 0
}
