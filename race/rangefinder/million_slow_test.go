//go:build slow

package rangefinder_test

import (
	"math/rand/v2"
	"testing"
)

// A million rays on roads of 84 points, and as many on roads of 840, have the ranges of a brute force in float64.
func TestAMillionRangesAreExact(t *testing.T) {
	checkExact(t, rand.New(rand.NewPCG(61, 1)), 100, 84, 100, 100)
	checkExact(t, rand.New(rand.NewPCG(62, 1)), 50, 840, 200, 100)
}
