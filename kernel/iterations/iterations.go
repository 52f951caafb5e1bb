// Package iterations counts the iterations of loops as devices that end long ones do, for the bounds that kernels state
// (//kernel:iterations). Numbers are float64, so that no product overflows.
package iterations

import "math"

// Loop counts a loop of n iterations, whose body makes so many itself, with the test that ends it.
func Loop(n, body float64) float64 { return max(0, n)*(1+body) + 1 }

// Phase counts, for one lane, a phase of n items over so many lanes, where an item makes so many iterations itself.
// Lanes run side by side, so that each round takes as many as its longest item.
func Phase(n, lanes, item float64) float64 { return Loop(math.Ceil(max(0, n)/lanes), item) }

// Search counts a binary search for one of n elements.
func Search(n float64) float64 { return Loop(math.Ceil(math.Log2(max(1, n))), 0) }
