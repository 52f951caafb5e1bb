package gate

import "github.com/trackgen-go/trackgen/kernel"

// Salts of the draw of a size: the random stream starts from seed*8933+67, in wrapping int32. No other stage uses them.
const (
	saltSize   = 8933
	offsetSize = 67
)

// drawSize draws the size of the gates of every active env from its effective seed: a factor from low to high. One
// thread is one active env. kernelgen cannot prove that the list names no env twice.
//
//kernel:thread
//kernel:unproven
func drawSize(i int32, active, effective []int32, low, high float32, size []float32) {
	if i >= active[0] {
		return
	}
	env := active[i+1]
	u, _ := kernel.NewRand(effective[env]*saltSize + offsetSize).Uniform()
	size[env] = low + float32(u*(high-low))
}
