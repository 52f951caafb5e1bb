package iterations

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCounts(t *testing.T) {
	assert.EqualValues(t, 1, Loop(0, 5), "the test that ends it")
	assert.EqualValues(t, 1, Loop(-3, 5))
	assert.EqualValues(t, 19, Loop(3, 5))
	assert.EqualValues(t, 1, Phase(-1, 128, 5))
	assert.EqualValues(t, 7, Phase(128, 128, 5))
	assert.EqualValues(t, 13, Phase(129, 128, 5), "a second round")
	assert.EqualValues(t, 40e18, Loop(2e9, 2e10)-2e9-1, "no overflow")
}

// The bound of a search is the maximum count over all elements.
func TestSearch(t *testing.T) {
	for n := 1; n < 300; n++ {
		most := 0
		for target := range n {
			made := 1 // the test that ends the loop
			for lo, hi := 0, n-1; lo < hi; made++ {
				if middle := (lo + hi) / 2; middle >= target {
					hi = middle
				} else {
					lo = middle + 1
				}
			}
			most = max(most, made)
		}
		assert.EqualValues(t, most, Search(float64(n)), "%d elements", n)
	}
}
